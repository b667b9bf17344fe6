import { Semaphore } from './Semaphore';

describe('Semaphore', () => {
  const never = new AbortController().signal;

  it('lets so many run at a time, in order', async () => {
    const semaphore = Semaphore.create(2);
    let running = 0;
    let most = 0;
    const begun: number[] = [];
    await Promise.all(
      [1, 2, 3, 4, 5].map(one =>
        semaphore.run(async () => {
          begun.push(one);
          most = Math.max(most, ++running);
          await new Promise(done => setImmediate(done));
          running--;
        }, never),
      ),
    );
    expect(most).toBe(2);
    expect(begun).toEqual([1, 2, 3, 4, 5]);
  });

  it('lets go who no longer waits, and keeps the permit for others', async () => {
    const semaphore = Semaphore.create(1);
    let end!: () => void;
    const first = semaphore.run(
      () => new Promise<void>(done => (end = done)),
      never,
    );
    const controller = new AbortController();
    const second = semaphore.run(async () => 'second', controller.signal);
    const third = semaphore.run(async () => 'third', never);
    controller.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    end();
    await first;
    expect(await third).toBe('third');
    expect(await semaphore.run(async () => 'fourth', never)).toBe('fourth');
    await expect(
      semaphore.run(async () => 'fifth', controller.signal),
    ).rejects.toThrow('gone');
  });
});
