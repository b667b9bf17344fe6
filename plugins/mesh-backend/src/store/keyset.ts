import { Knex } from 'knex';

/**
 * An order that stays the same while rows come and go: one expression in the
 * direction that the reader asks for, and others that break ties, always ascending.
 * The last one is unique.
 */
export interface KeysetOrder {
  primary: string;
  /** Whether `primary` is a number; otherwise it is a text. */
  numeric?: boolean;
  /** Texts. */
  ties: string[];
  order: 'asc' | 'desc';
}

/** Where a page ends: the values of `primary` and of `ties` in its last row. */
export type KeysetPosition = Array<string | number>;

/** Sorts a query, and starts it behind a position. The expressions are ours, never a reader's. */
export function seek(
  query: Knex.QueryBuilder,
  { primary, ties, order }: KeysetOrder,
  after?: KeysetPosition,
): void {
  query.orderByRaw(
    [`${primary} ${order}`, ...ties.map(tie => `${tie} asc`)].join(', '),
  );
  if (!after) return;
  const [first, ...rest] = after;
  const beyond = order === 'asc' ? '>' : '<';
  query.whereRaw(
    `(${primary} ${beyond} ? or (${primary} = ? and (${ties.join(
      ', ',
    )}) > (${ties.map(() => '?').join(', ')})))`,
    [first, first, ...rest],
  );
}

/** Whether a value has the shape of a position: what a reader gives back is not trusted. */
export function isPositionIn(
  { numeric, ties }: Omit<KeysetOrder, 'order'>,
  value: unknown,
): value is KeysetPosition {
  if (!Array.isArray(value) || value.length !== ties.length + 1) return false;
  const [primary, ...rest] = value;
  return (numeric ? isInt32(primary) : isText(primary)) && rest.every(isText);
}

/** Columns are integers of 32 bits; PostgreSQL refuses to compare them with more. */
function isInt32(value: unknown): boolean {
  return Number.isInteger(value) && Math.abs(value as number) < 2 ** 31;
}

/** PostgreSQL takes no NUL. */
function isText(value: unknown): boolean {
  return typeof value === 'string' && !value.includes('\u0000');
}

/** `like` for a part of a text, with the reader's `%` and `_` taken as they are. */
export function whereContains(
  query: Knex.QueryBuilder,
  column: string,
  part: string,
): void {
  const escaped = part.toLowerCase().replace(/[\\%_]/g, '\\$&');
  query.whereRaw(`?? like ? escape '\\'`, [column, `%${escaped}%`]);
}
