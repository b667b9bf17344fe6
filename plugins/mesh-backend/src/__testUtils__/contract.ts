import Ajv, { ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { readContract } from '../routes/openapi';

const contract = readContract();
const ajv = addFormats(new Ajv({ strict: false, allErrors: true }));
const validators = new Map<string, ValidateFunction>();

/**
 * Fails unless an answer is what the contract says of its path, such as
 * `/v1/clusters/{name}`, and status. Every path and status that a test meets has to
 * be in the contract.
 */
export function expectContract(
  path: string,
  answer: { status: number; body: unknown },
): void {
  const validate = validatorOf(path, String(answer.status));
  if (!validate(answer.body)) {
    throw new Error(
      `The answer of ${path} breaks the contract: ${ajv.errorsText(
        validate.errors,
        { separator: '\n' },
      )}\n${JSON.stringify(answer.body, undefined, 2)}`,
    );
  }
}

function validatorOf(path: string, status: string): ValidateFunction {
  const key = `${path} ${status}`;
  const known = validators.get(key);
  if (known) return known;
  const responses = contract.paths[path]?.get?.responses;
  if (!responses) throw new Error(`The contract has no path ${path}`);
  const response = resolve(responses[status] ?? errorResponse(status));
  const validate = ajv.compile({
    ...response.content['application/json'].schema,
    components: contract.components,
  });
  validators.set(key, validate);
  return validate;
}

/** 401 and 403 may come from every path, and have the shape of all errors. */
function errorResponse(status: string) {
  if (!['401', '403'].includes(status)) {
    throw new Error(`The contract has no answer with status ${status}`);
  }
  return { $ref: '#/components/responses/Error' };
}

function resolve(response: any): any {
  const reference: string | undefined = response.$ref;
  if (!reference) return response;
  return reference
    .split('/')
    .slice(1)
    .reduce((node, step) => node[step], contract);
}
