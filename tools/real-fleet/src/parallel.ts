/** Works on all items, so many at once; the first failure is thrown when all that began have ended. */
export async function inParallel<T>(
  atOnce: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = [...items];
  const results = await Promise.allSettled(
    Array.from({ length: atOnce }, async () => {
      for (let item = rest.shift(); item; item = rest.shift()) {
        await work(item);
      }
    }),
  );
  const failed = results.find(result => result.status === 'rejected');
  if (failed) {
    throw failed.reason;
  }
}
