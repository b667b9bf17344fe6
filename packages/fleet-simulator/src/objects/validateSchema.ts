import { Schema } from '../kinds/Kind';
import { fieldSchema, itemSchema } from '../kinds/schemas';
import { resolveSchema } from '../kinds/builtinKinds';
import { isRecord } from './KubeObject';

/** One field that is wrong, as a Status lists it. */
export interface FieldCause {
  reason: string;
  message: string;
  field: string;
}

/** What is wrong with a custom resource by the schema of its definition: types, required fields, enumerations, bounds and patterns. */
export function schemaCauses(
  value: unknown,
  schema: Schema | undefined,
  field = '',
): FieldCause[] {
  const resolved = resolveSchema(schema);
  if (!resolved || value === undefined) return [];
  const wrongType = typeCause(value, resolved, field);
  if (wrongType) return [wrongType];
  const causes = valueCauses(value, resolved, field);
  if (Array.isArray(value)) {
    const items = itemSchema(resolved);
    value.forEach((item, i) =>
      causes.push(...schemaCauses(item, items, `${field}[${i}]`)),
    );
  } else if (isRecord(value)) {
    const names = new Set([
      ...Object.keys(value),
      ...(resolved.required ?? []),
    ]);
    for (const name of [...names].sort()) {
      const at = field ? `${field}.${name}` : name;
      if (value[name] === undefined) {
        causes.push({
          reason: 'FieldValueRequired',
          message: 'Required value',
          field: at,
        });
      } else if (value[name] !== null) {
        causes.push(
          ...schemaCauses(value[name], fieldSchema(resolved, name), at),
        );
      }
    }
  }
  return causes;
}

function typeCause(
  value: unknown,
  schema: Schema,
  field: string,
): FieldCause | undefined {
  const { type } = schema;
  if (!type || schema['x-kubernetes-int-or-string']) return undefined;
  const actual = typeOf(value);
  if (actual === type || (type === 'number' && actual === 'integer')) {
    return undefined;
  }
  return {
    reason: 'FieldValueTypeInvalid',
    message: `Invalid value: "${actual}": ${field} in body must be of type ${type}: "${actual}"`,
    field,
  };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') {
    return Number.isInteger(value) ? 'integer' : 'number';
  }
  return typeof value;
}

function valueCauses(
  value: unknown,
  schema: Schema,
  field: string,
): FieldCause[] {
  if (schema.enum && !schema.enum.includes(value)) {
    const supported = schema.enum.map(item => JSON.stringify(item)).join(', ');
    return [
      {
        reason: 'FieldValueNotSupported',
        message: `Unsupported value: ${JSON.stringify(
          value,
        )}: supported values: ${supported}`,
        field,
      },
    ];
  }
  const { minimum, maximum, pattern, minLength } = schema as {
    minimum?: number;
    maximum?: number;
    pattern?: string;
    minLength?: number;
  };
  const rules: Array<[boolean, string]> = [
    [
      typeof value === 'number' && minimum !== undefined && value < minimum,
      `should be greater than or equal to ${minimum}`,
    ],
    [
      typeof value === 'number' && maximum !== undefined && value > maximum,
      `should be less than or equal to ${maximum}`,
    ],
    [
      typeof value === 'string' &&
        pattern !== undefined &&
        !matches(pattern, value),
      `should match '${pattern}'`,
    ],
    [
      typeof value === 'string' &&
        minLength !== undefined &&
        value.length < minLength,
      `should be at least ${minLength} chars long`,
    ],
  ];
  return rules
    .filter(([isBroken]) => isBroken)
    .map(([, rule]) => ({
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(
        value,
      )}: ${field} in body ${rule}`,
      field,
    }));
}

/** Patterns are Go's; the few that JavaScript does not understand are not checked. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern).test(value);
  } catch {
    return true;
  }
}
