import { InputError } from '@backstage/errors';
import { createHash } from 'crypto';
import { KeysetPosition } from '../store/keyset';

/** What a cursor belongs to: the same question, asked for another page. */
export interface Question {
  sort: string;
  order: string;
  filter: object;
}

/** A position in the answer to a question, as readers hand it back. Opaque to them. */
export function encodeCursor(
  question: Question,
  position: KeysetPosition,
): string {
  const { sort, order } = question;
  return Buffer.from(
    JSON.stringify({
      s: sort,
      o: order,
      f: fingerprint(question),
      p: position,
    }),
  ).toString('base64url');
}

/** Throws where the cursor is damaged or belongs to another question. */
export function decodeCursor(
  question: Question,
  cursor: string,
  isPosition: (position: unknown) => position is KeysetPosition,
): KeysetPosition {
  const content = parse(cursor);
  if (content.s !== question.sort || content.o !== question.order) {
    throw new InputError(
      `Parameter "cursor" belongs to a list that is sorted otherwise; leave it out to start anew`,
    );
  }
  if (content.f !== fingerprint(question)) {
    throw new InputError(
      'Parameter "cursor" belongs to a list with another filter; leave it out to start anew',
    );
  }
  if (!isPosition(content.p)) throw damaged();
  return content.p;
}

function parse(cursor: string): Record<string, unknown> {
  try {
    const content = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (typeof content === 'object' && content !== null) return content;
  } catch {
    // Falls through to the same answer as any other damage.
  }
  throw damaged();
}

function damaged(): InputError {
  return new InputError(
    'Parameter "cursor" is not one that this API has given out; leave it out to start anew',
  );
}

function fingerprint({ filter }: Question): string {
  return createHash('sha256')
    .update(JSON.stringify(Object.entries(filter).sort()))
    .digest('base64url')
    .slice(0, 12);
}
