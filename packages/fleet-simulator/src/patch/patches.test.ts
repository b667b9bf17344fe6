import fc from 'fast-check';
import { builtinKinds } from '../kinds/builtinKinds';
import { schemaOfKind } from '../kinds/schemas';
import { mergePatch } from './mergePatch';
import { strategicMergePatch } from './strategicMergePatch';

const json = fc.letrec(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ maxLength: 3 }),
    fc.integer({ min: 0, max: 9 }),
    fc.boolean(),
    fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
  ),
})).value;
const objects = fc.dictionary(fc.constantFrom('a', 'b', 'c'), json, {
  maxKeys: 3,
});

/** The merge patch that turns one object into another, written down independently. */
function difference(from: any, to: any): any {
  const isMap = (v: any) => v && typeof v === 'object' && !Array.isArray(v);
  const patch: any = {};
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    if (!(key in to)) patch[key] = null;
    else if (isMap(from[key]) && isMap(to[key])) {
      patch[key] = difference(from[key], to[key]);
    } else patch[key] = to[key];
  }
  return patch;
}

describe('mergePatch', () => {
  it('turns one object into another by their difference', () => {
    fc.assert(
      fc.property(objects, objects, (from, to) => {
        expect(mergePatch(from, difference(from, to))).toEqual(to);
      }),
    );
  });

  it('is the same when done twice', () => {
    fc.assert(
      fc.property(objects, objects, (target, patch) => {
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once);
      }),
    );
  });

  it('leaves its target alone', () => {
    fc.assert(
      fc.property(objects, objects, (target, patch) => {
        const before = JSON.stringify(target);
        mergePatch(target, patch);
        expect(JSON.stringify(target)).toBe(before);
      }),
    );
  });

  // The examples of RFC 7386, appendix A.
  it.each<[unknown, unknown, unknown]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j with %j is %j', (target, patch, expected) => {
    expect(mergePatch(target, patch)).toEqual(expected);
  });
});

describe('strategicMergePatch', () => {
  const schema = schemaOfKind(builtinKinds.find(kind => kind.kind === 'Pod')!);
  const pod = (containers: object[], more: object = {}) => ({
    spec: { containers, ...more },
  });
  const merge = (target: object, patch: object) =>
    strategicMergePatch(target, patch, schema);

  it('merges keyed lists, and appends what is new', () => {
    expect(
      merge(
        pod([
          { name: 'a', image: 'a:1', args: ['x'] },
          { name: 'b', image: 'b:1' },
        ]),
        pod([
          { name: 'b', image: 'b:2' },
          { name: 'c', image: 'c:1' },
        ]),
      ),
    ).toEqual(
      pod([
        { name: 'a', image: 'a:1', args: ['x'] },
        { name: 'b', image: 'b:2' },
        { name: 'c', image: 'c:1' },
      ]),
    );
  });

  it('replaces lists without a key', () => {
    expect(
      merge(
        pod([{ name: 'a', args: ['x', 'y'] }]),
        pod([{ name: 'a', args: ['z'] }]),
      ),
    ).toEqual(pod([{ name: 'a', args: ['z'] }]));
  });

  it('follows directives', () => {
    const target = pod([{ name: 'a' }, { name: 'b' }]);
    expect(merge(target, pod([{ name: 'a', $patch: 'delete' }]))).toEqual(
      pod([{ name: 'b' }]),
    );
    expect(merge(target, pod([{ $patch: 'replace' }, { name: 'c' }]))).toEqual(
      pod([{ name: 'c' }]),
    );
    expect(
      merge(target, {
        spec: { $patch: 'replace', nodeName: 'n' },
      }),
    ).toEqual({ spec: { nodeName: 'n' } });
    expect(
      merge(target, {
        spec: { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] },
      }),
    ).toEqual(pod([{ name: 'b' }, { name: 'a' }]));
    expect(
      merge(pod([], { nodeName: 'n', hostNetwork: true }), {
        spec: { $retainKeys: ['nodeName'], nodeName: 'm' },
      }),
    ).toEqual({ spec: { nodeName: 'm' } });
    expect(
      merge(
        { metadata: { finalizers: ['a', 'b'] } },
        { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'] } },
      ),
    ).toEqual({ metadata: { finalizers: ['b'] } });
  });

  it('deletes what is null', () => {
    expect(
      merge(
        pod([{ name: 'a', image: 'i' }]),
        pod([{ name: 'a', image: null }]),
      ),
    ).toEqual(pod([{ name: 'a' }]));
  });

  it('is the same when done twice', () => {
    const containers = fc.uniqueArray(
      fc.record({
        name: fc.constantFrom('a', 'b', 'c'),
        image: fc.constantFrom('i:1', 'i:2'),
      }),
      { selector: container => container.name },
    );
    fc.assert(
      fc.property(containers, containers, (target, patch) => {
        const once = merge(pod(target), pod(patch))!;
        expect(merge(once, pod(patch))).toEqual(once);
        for (const { name, image } of patch) {
          expect(once.spec.containers).toContainEqual({ name, image });
        }
      }),
    );
  });
});
