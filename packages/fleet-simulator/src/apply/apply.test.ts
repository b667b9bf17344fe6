import fc from 'fast-check';
import { builtinKinds } from '../kinds/builtinKinds';
import { schemaOfKind } from '../kinds/schemas';
import { KubeObject } from '../objects/KubeObject';
import { FieldSet, fieldsOf, withoutFields } from './FieldSet';
import { Manager, serverSideApply } from './managedFields';

const schemaFor = (kind: string) =>
  schemaOfKind(builtinKinds.find(entry => entry.kind === kind)!);
const configMap = schemaFor('ConfigMap');
const service = schemaFor('Service');

const data = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd'),
  fc.constantFrom('1', '2'),
  { maxKeys: 4 },
);

function object(fields: Record<string, string>): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'm' },
    ...(Object.keys(fields).length > 0 && { data: fields }),
  };
}

function manager(name: string): Manager {
  return {
    name,
    operation: 'Apply',
    apiVersion: 'v1',
    time: '2026-01-01T00:00:00Z',
  };
}

function apply(
  live: KubeObject,
  wanted: KubeObject,
  name: string,
  force = true,
  schema = configMap,
): KubeObject {
  return serverSideApply(live, wanted, manager(name), schema, force);
}

const fresh = (): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'm' },
});

function ownedBy(live: KubeObject, name: string): string[] {
  const entry = live.metadata.managedFields?.find(e => e.manager === name);
  return entry ? FieldSet.parse(entry.fieldsV1).paths() : [];
}

describe('serverSideApply', () => {
  it('gives a manager all that it wants, and takes back what it no longer wants', () => {
    fc.assert(
      fc.property(data, data, (first, second) => {
        const once = apply(fresh(), object(first), 'one');
        expect(once.data ?? {}).toEqual(first);
        const twice = apply(once, object(second), 'one');
        expect(twice.data ?? {}).toEqual(second);
        expect(ownedBy(twice, 'one').sort()).toEqual(
          Object.keys(second)
            .map(key => `.data.${key}`)
            .sort(),
        );
      }),
    );
  });

  it('changes nothing when done twice', () => {
    fc.assert(
      fc.property(data, data, (first, second) => {
        const live = apply(
          apply(fresh(), object(first), 'one'),
          object(second),
          'two',
        );
        expect(apply(live, object(second), 'two')).toEqual(live);
      }),
    );
  });

  it('never lets one manager remove what another one wants', () => {
    fc.assert(
      fc.property(data, data, data, (one, two, less) => {
        let live = apply(fresh(), object(one), 'one');
        live = apply(live, object(two), 'two');
        live = apply(live, object(less), 'one');
        for (const path of ownedBy(live, 'two')) {
          expect(live.data).toHaveProperty([path.slice('.data.'.length)]);
        }
      }),
    );
  });

  it('tells of a conflict exactly where values of another manager would change', () => {
    fc.assert(
      fc.property(data, data, (one, two) => {
        const live = apply(fresh(), object(one), 'one');
        const differing = Object.keys(two).filter(
          key => key in one && one[key] !== two[key],
        );
        const attempt = () => {
          try {
            return apply(live, object(two), 'two', false).data ?? {};
          } catch (error) {
            return /^Apply failed with (\d+) /.exec(
              (error as Error).message,
            )?.[1];
          }
        };
        expect(attempt()).toEqual(
          differing.length === 0
            ? { ...one, ...two }
            : String(differing.length),
        );
      }),
    );
  });

  it('merges keyed lists item by item, in the order that is wanted', () => {
    const ports = fc.uniqueArray(
      fc.record({
        port: fc.constantFrom(80, 90, 100),
        protocol: fc.constantFrom('TCP', 'UDP'),
        name: fc.constantFrom('x', 'y'),
      }),
      { selector: ({ port, protocol }) => `${port}${protocol}` },
    );
    const withPorts = (list: object[]): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'm' },
      spec: { ports: list },
    });
    fc.assert(
      fc.property(ports, ports, (one, two) => {
        const first = apply(fresh(), withPorts(one), 'one', true, service);
        const live = apply(first, withPorts(two), 'two', true, service);
        const key = (p: any) => `${p.port}${p.protocol}`;
        const wanted = new Map([...one, ...two].map(p => [key(p), p]));
        const merged: any[] = live.spec?.ports ?? [];
        expect(new Map(merged.map(p => [key(p), p]))).toEqual(wanted);
        const order = merged.map(key).filter(k => two.some(p => key(p) === k));
        expect(order).toEqual(two.map(key));
      }),
    );
  });
});

describe('FieldSet', () => {
  const sets = fc.tuple(data, data).map(([left, right]) => ({
    left: fieldsOf(object(left), configMap, 'apply'),
    right: fieldsOf(object(right), configMap, 'apply'),
  }));

  it('is written and read without loss', () => {
    fc.assert(
      fc.property(data, fc.constantFrom('apply', 'update'), (fields, mode) => {
        const set = fieldsOf(object(fields), configMap, mode as 'apply');
        if (set.isEmpty) return;
        expect(FieldSet.parse(set.toFieldsV1()).equals(set)).toBe(true);
      }),
    );
  });

  it('keeps the laws of sets', () => {
    fc.assert(
      fc.property(sets, ({ left, right }) => {
        const paths = (set: FieldSet) => new Set(set.paths());
        const union = left.union(right);
        expect(paths(union)).toEqual(
          new Set([...left.paths(), ...right.paths()]),
        );
        expect(
          left.difference(right).union(left.intersection(right)).equals(left),
        ).toBe(true);
        expect(left.intersection(right).equals(right.intersection(left))).toBe(
          true,
        );
        expect(left.difference(left).isEmpty).toBe(true);
      }),
    );
  });

  it('takes fields out of objects', () => {
    fc.assert(
      fc.property(data, data, (all, some) => {
        const rest = withoutFields(
          object(all),
          fieldsOf(object(some), configMap, 'apply'),
          configMap,
        );
        const left = Object.keys(all).filter(key => !(key in some));
        expect(Object.keys(rest.data ?? {})).toEqual(left);
      }),
    );
  });

  it('does not record what the server owns', () => {
    const set = fieldsOf(
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'm',
          namespace: 'n',
          uid: 'u',
          resourceVersion: '1',
          labels: { a: 'b' },
        },
      },
      configMap,
      'apply',
    );
    expect(set.paths()).toEqual(['.metadata.labels.a']);
  });
});
