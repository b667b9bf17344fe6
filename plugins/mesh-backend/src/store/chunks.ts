/**
 * Parts of a list that are small enough for one statement: SQLite takes 32,766
 * variables.
 */
export function* chunks<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) {
    yield items.slice(start, start + size);
  }
}
