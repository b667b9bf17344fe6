import { createDatabase, databaseIds } from '../__testUtils__/databases';
import { createStores } from './createStores';
import { isPassing, tellable } from './databaseErrors';

jest.setTimeout(120_000);

const coded = (code: string) => Object.assign(new Error('x'), { code });

describe('errors of the database', () => {
  it.each(['40P01', '57P01', '08006', '53300', 'ECONNREFUSED', 'SQLITE_BUSY'])(
    'takes %s for passing',
    code => expect(isPassing(coded(code))).toBe(true),
  );

  it.each(['23505', '22021', '42P01', 'SQLITE_CONSTRAINT', 'ERR_ASSERTION'])(
    'takes %s for lasting',
    code => expect(isPassing(coded(code))).toBe(false),
  );

  it('knows what drivers say without a code', () => {
    expect(isPassing(new Error('Connection terminated unexpectedly'))).toBe(
      true,
    );
    expect(isPassing(new TypeError('undefined is not iterable'))).toBe(false);
    expect(tellable(new TypeError('undefined\n is not iterable'))).toBe(
      'undefined is not iterable',
    );
    expect(tellable(new Error('x'.repeat(1_000)))).toHaveLength(301);
  });

  describe.each(databaseIds)('of %s', id => {
    it('hold none of the values that were to be written, nor do findings', async () => {
      const database = await createDatabase(id);
      createStores({ database, instanceId: 'test' });
      const row = {
        ...{ cluster: 'east', namespace: '', kind: 'Pod', name: 'a' },
        hash: '1',
        body: 'the-value-of-a-variable',
      };
      await database('objects').insert(row);
      const error: Error = await database('objects')
        .insert(row)
        .then(
          () => new Error('not refused'),
          refused => refused,
        );
      expect(error.message).toMatch(/unique/i);
      expect(`${error.message}${error.stack}`).not.toContain(row.body);
      expect(isPassing(error)).toBe(false);
      expect(tellable(error)).toMatch(/^the database refused what came of it/);
      expect(tellable(error)).not.toContain('insert');
    });
  });
});
