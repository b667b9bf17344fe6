/** The media type by which kubectl and Go clients send built-in types. */
export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** Fields of a message by number: a name, and what the bytes are. */
interface Field {
  name: string;
  type: 'string' | 'bool' | 'int' | 'map' | Message;
  isRepeated?: boolean;
}
type Message = Record<number, Field>;

const text = (name: string): Field => ({ name, type: 'string' });
const texts = (name: string): Field => ({
  name,
  type: 'string',
  isRepeated: true,
});
const map = (name: string): Field => ({ name, type: 'map' });
const message = (name: string, type: Message): Field => ({ name, type });

const META: Message = {
  1: text('name'),
  2: text('generateName'),
  3: text('namespace'),
  5: text('uid'),
  6: text('resourceVersion'),
  11: map('labels'),
  12: map('annotations'),
  14: texts('finalizers'),
};

const RESOURCE: Message = {
  1: text('namespace'),
  2: text('verb'),
  3: text('group'),
  4: text('version'),
  5: text('resource'),
  6: text('subresource'),
  7: text('name'),
};

const PATH: Message = { 1: text('path'), 2: text('verb') };

/**
 * The few types that kubectl sends as protobuf and that are read here; numbers as in
 * `generated.proto` of the Kubernetes API. Other types are refused with 415.
 */
const MESSAGES: Record<string, Message> = {
  SelfSubjectAccessReview: {
    1: message('metadata', META),
    2: message('spec', {
      1: message('resourceAttributes', RESOURCE),
      2: message('nonResourceAttributes', PATH),
    }),
  },
  SelfSubjectRulesReview: {
    1: message('metadata', META),
    2: message('spec', { 1: text('namespace') }),
  },
  SelfSubjectReview: { 1: message('metadata', META) },
  Namespace: { 1: message('metadata', META) },
  ServiceAccount: { 1: message('metadata', META) },
  ConfigMap: { 1: message('metadata', META), 2: map('data') },
  DeleteOptions: { 4: text('propagationPolicy'), 5: texts('dryRun') },
};

/** An object sent as protobuf, as JSON has it; undefined for types that are not known here. */
export function decodeProtobuf(
  body: Buffer,
): Record<string, unknown> | undefined {
  if (body.subarray(0, 4).toString('latin1') !== 'k8s\0') return undefined;
  try {
    const envelope = readMessage(body.subarray(4), {
      1: message('type', { 1: text('apiVersion'), 2: text('kind') }),
    });
    const { apiVersion, kind } = (envelope.type ?? {}) as Record<
      string,
      string
    >;
    const known = MESSAGES[kind];
    const raw = rawField(body.subarray(4), 2);
    if (!known || !raw) return undefined;
    return { apiVersion, kind, ...readMessage(raw, known) };
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readMessage(bytes: Buffer, fields: Message): Record<string, unknown> {
  const result: Record<string, any> = {};
  for (const { number, value } of entries(bytes)) {
    const field = fields[number];
    if (!field) continue;
    const read = readValue(value, field);
    if (field.type === 'map') {
      result[field.name] = { ...result[field.name], ...(read as object) };
    } else if (field.isRepeated) {
      result[field.name] = [...(result[field.name] ?? []), read];
    } else if (read !== '') result[field.name] = read;
  }
  return result;
}

function readValue(value: Buffer | number, { type }: Field): unknown {
  if (typeof value === 'number') return type === 'bool' ? value !== 0 : value;
  if (type === 'map') {
    const { key, value: item } = readMessage(value, {
      1: text('key'),
      2: text('value'),
    });
    return { [String(key ?? '')]: item ?? '' };
  }
  return typeof type === 'object'
    ? readMessage(value, type)
    : value.toString('utf8');
}

function rawField(bytes: Buffer, wanted: number): Buffer | undefined {
  for (const { number, value } of entries(bytes)) {
    if (number === wanted && typeof value !== 'number') return value;
  }
  return undefined;
}

/** The fields of a message on the wire. Reading past the end throws a RangeError. */
function* entries(
  bytes: Buffer,
): Generator<{ number: number; value: Buffer | number }> {
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes.readUInt8(at++);
      value += (byte % 128) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    const wire = tag % 8;
    if (wire === 0) yield { number, value: varint() };
    else if (wire === 2) {
      const length = varint();
      if (at + length > bytes.length)
        throw new RangeError('message is cut off');
      yield { number, value: bytes.subarray(at, at + length) };
      at += length;
    } else if (wire === 1) at += 8;
    else if (wire === 5) at += 4;
    else throw new RangeError(`wire type ${wire} is not known`);
  }
}
