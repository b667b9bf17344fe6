import { InputError } from '@backstage/errors';
import type { Request } from 'express';
import { z } from 'zod';

/** PostgreSQL stores no NUL, and refuses a question that holds one. */
export function holdsNul(text: string): boolean {
  return text.includes('\u0000');
}

/**
 * Parts of a path that name something. What no name can be is not looked for: it
 * finds nothing, as any other name that nothing has.
 */
export function canBeNames(...names: string[]): boolean {
  return names.every(one => one.length <= 600 && !holdsNul(one));
}

/** A parameter that may be repeated. */
export function list<T extends z.ZodType>(item: T) {
  return z.array(item).min(1).max(200).optional();
}

const limit = z.coerce
  .number({ error: 'must be a whole number' })
  .int({ error: 'must be a whole number' })
  .min(1, { error: 'must be at least 1' })
  .max(200, { error: 'must be at most 200' });

/** Names of clusters and namespaces. */
export const name = z.string().min(1).max(253);

/** An owner: an entity ref, compared in lower case, or `none`. */
export const owner = z
  .string()
  .max(500)
  .transform(value => value.toLowerCase())
  .refine(value => value === 'none' || /^[^:/]+:[^:/]+\/[^:/]+$/.test(value), {
    error:
      'must be an entity ref such as group:default/checkout, or none for what nobody owns',
  });

/** What all lists take. */
export const listParameters = {
  search: z.string().max(200).optional(),
  order: z.enum(['asc', 'desc']).default('asc'),
  cursor: z.string().max(4_000).optional(),
  limit: limit.default(50),
  format: z.enum(['json', 'csv']).default('json'),
};

/**
 * The query of a request, by a schema whose arrays are the parameters that may be
 * repeated. What is wrong is refused with the name of the parameter and what would
 * be right; a parameter that does not exist is refused too, because a filter with a
 * typing error would answer with everything.
 */
export function parseQuery<S extends z.ZodRawShape>(
  request: Request,
  shape: S,
): z.output<z.ZodObject<S>> {
  // Read from the URL itself: Express makes objects and arrays out of brackets.
  const mark = request.originalUrl.indexOf('?');
  const searchParams = new URLSearchParams(
    mark < 0 ? '' : request.originalUrl.slice(mark),
  );
  const given: Record<string, string | string[]> = {};
  for (const key of new Set(searchParams.keys())) {
    if (!Object.prototype.hasOwnProperty.call(shape, key)) {
      throw new InputError(
        `Unknown parameter ${quoted(key)}; known are ${Object.keys(shape).join(
          ', ',
        )}`,
      );
    }
    // An empty value is what a cleared field of a form leaves behind.
    const values = searchParams.getAll(key).filter(value => value !== '');
    if (values.some(holdsNul)) {
      throw new InputError(
        `Parameter ${quoted(key)} holds a NUL character; leave it out`,
      );
    }
    if (values.length === 0) continue;
    if (isList(shape[key])) {
      given[key] = values;
    } else if (values.length > 1) {
      throw new InputError(`Parameter ${quoted(key)} may be given once only`);
    } else {
      given[key] = values[0];
    }
  }
  const parsed = z.object(shape).safeParse(given);
  if (parsed.success) return parsed.data;
  throw new InputError(parsed.error.issues.map(explain).join('; '));
}

function isList(schema: unknown): boolean {
  return (
    schema instanceof z.ZodOptional && schema.unwrap() instanceof z.ZodArray
  );
}

function explain(issue: z.core.$ZodIssue): string {
  const parameter = `Parameter ${quoted(String(issue.path[0]))}`;
  switch (issue.code) {
    case 'invalid_value':
      return `${parameter} must be one of ${issue.values.join(', ')}`;
    case 'too_big':
      return issue.origin === 'array'
        ? `${parameter} may be repeated at most ${issue.maximum} times`
        : `${parameter} ${
            issue.origin === 'string'
              ? `must have at most ${issue.maximum} characters`
              : issue.message
          }`;
    default:
      return `${parameter} ${issue.message}`;
  }
}

/** What a reader wrote, shortened, since it goes into an answer and a log. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
