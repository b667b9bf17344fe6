/** Conflicts with others, and databases that start, stop or are full of connections. */
const PASSING_CODES =
  /^(40P01|40001|55P03|57P0[123]|53\d{3}|08\w{3}|SQLITE_(BUSY|LOCKED)\w*|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/;
/** What the drivers say without a code. */
const PASSING_MESSAGES =
  /Connection terminated|connection error and is not queryable|timeout expired|Unable to acquire a connection/;
const CODES = /^([0-9A-Z]{5}|SQLITE_\w+)$/;

/**
 * Whether the database could not be asked just now, or decided a conflict for
 * somebody else: trying again is all there is to do, and what was asked is not at fault.
 */
export function isPassing(error: unknown): boolean {
  const { code, name, message } = error as Partial<NodeJS.ErrnoException>;
  return (
    (typeof code === 'string' && PASSING_CODES.test(code)) ||
    name === 'KnexTimeoutError' ||
    (typeof message === 'string' && PASSING_MESSAGES.test(message))
  );
}

/**
 * What may be told of an error to those who read findings. The message of a
 * database holds SQL, and may hold data; it is for the log.
 */
export function tellable(error: unknown): string {
  const { code, message } = error as Partial<NodeJS.ErrnoException>;
  if (typeof code === 'string' && CODES.test(code)) {
    return `the database refused what came of it (${code}); the log of the backend says more`;
  }
  const text = String(message ?? error)
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
