import { mockApis } from '@backstage/frontend-test-utils';
import { readIdentities } from './identities';

const providers = {
  guest: {},
  demo: {
    development: {
      users: [
        { entityRef: 'user:default/ada', displayName: 'Ada Ferreira' },
        { entityRef: 'user:default/noor' },
      ],
    },
  },
};

const namesFor = (auth: object) =>
  readIdentities(mockApis.config({ data: { auth } as any })).map(
    ({ name }) => name,
  );

describe('readIdentities', () => {
  it('offers guest first, then the users by the names they have', () => {
    expect(namesFor({ environment: 'development', providers })).toEqual([
      'guest',
      'Ada Ferreira',
      'user:default/noor',
    ]);
  });

  it.each([
    ['only what is configured', { environment: 'development', providers: {} }],
    ['nothing in production', { environment: 'production', providers }],
    ['nothing where no environment is named', { providers }],
  ])('offers %s', (_, auth) => {
    expect(namesFor(auth)).toEqual([]);
  });

  it('asks the backend for the chosen user by a header', () => {
    const [, ada] = readIdentities(
      mockApis.config({
        data: { auth: { environment: 'development', providers } },
      }),
    );
    expect(ada).toMatchObject({
      provider: 'demo',
      headers: { 'x-mesh-demo-user': 'user:default/ada' },
    });
  });
});
