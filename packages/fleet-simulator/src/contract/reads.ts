// The tests are registered by whoever asks the contract of an API server.
/* eslint-disable jest/no-export */
import { Contract } from './apiServerContract';

export function readContract(contract: Contract): void {
  describe('get and list', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(l => `page-${l}`);
    const maps = (query: string) =>
      `${contract.path('configmaps')}?labelSelector=set%3Dpages&${query}`;

    beforeAll(async () => {
      for (const [index, name] of names.entries()) {
        await contract.admin.post(
          contract.path('configmaps'),
          contract.configMap(
            name,
            {},
            {
              set: 'pages',
              index: String(index),
              ...(index % 2 === 0 && { tier: index < 4 ? 'front' : 'back' }),
            },
          ),
        );
      }
    }, 60_000);

    it('returns an object with kind, version and what the server adds', async () => {
      const { status, body } = await contract.admin.get(
        contract.path('configmaps', 'page-a'),
      );
      expect(status).toBe(200);
      expect(body).toMatchObject({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: {
          name: 'page-a',
          namespace: contract.namespace,
          uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          resourceVersion: expect.stringMatching(/^\d+$/),
          creationTimestamp: expect.stringMatching(
            /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
          ),
        },
      });
    });

    it('says what it did not find', async () => {
      const { status, body } = await contract.admin.get(
        contract.path('configmaps', 'nothing'),
      );
      expect(status).toBe(404);
      expect(body).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'configmaps "nothing" not found',
        reason: 'NotFound',
        details: { name: 'nothing', kind: 'configmaps' },
        code: 404,
      });
    });

    it('names the group of what it did not find', async () => {
      const { body } = await contract.admin.get(
        contract.path('deployments', 'nothing'),
      );
      expect(body).toMatchObject({
        message: 'deployments.apps "nothing" not found',
        details: { name: 'nothing', group: 'apps', kind: 'deployments' },
      });
    });

    it('lists in order of names, without the kind of built-in items', async () => {
      const { body } = await contract.admin.get(maps(''));
      expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
      expect(body.metadata.resourceVersion).toMatch(/^\d+$/);
      expect(body.items.map((item: any) => item.metadata.name)).toEqual(names);
      expect(body.items[0]).not.toHaveProperty('kind');
    });

    it('pages through a snapshot that does not change meanwhile', async () => {
      const all = `${contract.path('configmaps')}?limit=3`;
      const first = await contract.admin.get(all);
      const found = first.body.items.map((item: any) => item.metadata.name);
      expect(found).toHaveLength(3);
      expect(first.body.metadata.remainingItemCount).toBeGreaterThanOrEqual(4);
      await contract.admin.post(
        contract.path('configmaps'),
        contract.configMap('page-late'),
      );
      await contract.admin.delete(contract.path('configmaps', 'page-g'));
      let next = first.body.metadata.continue;
      while (next) {
        const page = await contract.admin.get(
          `${all}&continue=${encodeURIComponent(next)}`,
        );
        expect(page.status).toBe(200);
        expect(page.body.metadata.resourceVersion).toBe(
          first.body.metadata.resourceVersion,
        );
        found.push(...page.body.items.map((item: any) => item.metadata.name));
        next = page.body.metadata.continue;
      }
      expect(found).toContain('page-g');
      expect(found).not.toContain('page-late');
      await contract.admin.delete(contract.path('configmaps', 'page-late'));
      await contract.admin.post(
        contract.path('configmaps'),
        contract.configMap(
          'page-g',
          {},
          { set: 'pages', index: '6', tier: 'back' },
        ),
      );
    });

    it('leaves out the count of the rest where a selector is given', async () => {
      const { body } = await contract.admin.get(maps('limit=2'));
      expect(body.items).toHaveLength(2);
      expect(body.metadata.continue).toEqual(expect.any(String));
      expect(body.metadata).not.toHaveProperty('remainingItemCount');
    });

    it('refuses a token that is none', async () => {
      const { status, body } = await contract.admin.get(
        maps('limit=1&continue=garbage'),
      );
      expect(status).toBe(400);
      expect(body.message).toMatch(
        /^invalid continue token: continue key is not valid: /,
      );
    });

    it('answers 410 for a page or list of a version that is forgotten', async () => {
      // A server that has just started remembers everything, for its first five minutes.
      await contract.target.compact?.();
      const { status, body } = await contract.admin.get(
        `${contract.path(
          'configmaps',
        )}?resourceVersion=1&resourceVersionMatch=Exact`,
      );
      expect(status).toBe(410);
      expect(body).toMatchObject({
        status: 'Failure',
        reason: 'Expired',
        code: 410,
        message: 'The resourceVersion for the provided list is too old.',
      });
    });

    it('answers 410 with a token to go on with, once the snapshot is compacted', async () => {
      if (!contract.target.compact) return;
      const { body: first } = await contract.admin.get(maps('limit=2'));
      await contract.admin.put(
        contract.path('configmaps', 'page-a'),
        contract.configMap(
          'page-a',
          { at: String(Date.now()) },
          { set: 'pages', index: '0', tier: 'front' },
        ),
      );
      await contract.target.compact();
      const late = await contract.admin.get(
        maps(`limit=2&continue=${first.metadata.continue}`),
      );
      expect(late.status).toBe(410);
      expect(late.body.reason).toBe('Expired');
      const rest = await contract.admin.get(
        maps(`continue=${late.body.metadata.continue}`),
      );
      expect(rest.body.items.map((i: any) => i.metadata.name)).toEqual(
        names.slice(2),
      );
    });

    it('lists an old version exactly', async () => {
      const { body: before } = await contract.admin.get(maps(''));
      await contract.admin.post(
        contract.path('configmaps'),
        contract.configMap('page-new', {}, { set: 'pages' }),
      );
      const version = before.metadata.resourceVersion;
      const exact = await contract.admin.get(
        maps(`resourceVersion=${version}&resourceVersionMatch=Exact`),
      );
      expect(exact.body.metadata.resourceVersion).toBe(version);
      expect(exact.body.items).toHaveLength(names.length);
      const newer = await contract.admin.get(
        maps(`resourceVersion=${version}&resourceVersionMatch=NotOlderThan`),
      );
      expect(newer.body.items).toHaveLength(names.length + 1);
      await contract.admin.delete(contract.path('configmaps', 'page-new'));
    });

    it('ignores the limit for version 0', async () => {
      const { body } = await contract.admin.get(
        maps('resourceVersion=0&limit=2'),
      );
      expect(body.items).toHaveLength(names.length);
      expect(body.metadata).not.toHaveProperty('continue');
    });

    it.each<[string, number, string]>([
      [
        'resourceVersionMatch=Exact',
        422,
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      ],
      [
        'resourceVersion=0&resourceVersionMatch=Exact',
        422,
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
      ],
      [
        'resourceVersion=abc',
        400,
        'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
      ],
    ])('refuses %s', async (query, status, message) => {
      const answer = await contract.admin.get(maps(query));
      expect([answer.status, answer.body.message]).toEqual([status, message]);
    });

    it('does not answer for a version that is yet to come', async () => {
      const { status, body, headers } = await contract.admin.get(
        maps('resourceVersion=999999999&resourceVersionMatch=NotOlderThan'),
      );
      expect(status).toBe(504);
      expect(headers['retry-after']).toBe('1');
      expect(body).toMatchObject({
        reason: 'Timeout',
        message: expect.stringMatching(
          /^Timeout: Too large resource version: 999999999, current: \d+$/,
        ),
        details: {
          causes: [
            {
              reason: 'ResourceVersionTooLarge',
              message: 'Too large resource version',
            },
          ],
          retryAfterSeconds: 1,
        },
      });
    });

    it.each<[string, string[]]>([
      ['tier=front', ['page-a', 'page-c']],
      ['tier==front,index=0', ['page-a']],
      ['tier!=front', ['page-b', 'page-d', 'page-e', 'page-f', 'page-g']],
      ['tier in (front, back)', ['page-a', 'page-c', 'page-e', 'page-g']],
      [
        'tier notin (front)',
        ['page-b', 'page-d', 'page-e', 'page-f', 'page-g'],
      ],
      ['tier', ['page-a', 'page-c', 'page-e', 'page-g']],
      ['!tier', ['page-b', 'page-d', 'page-f']],
      ['index>4', ['page-f', 'page-g']],
      ['index<2', ['page-a', 'page-b']],
      ['tier=', []],
    ])('selects by labels: %s', async (selector, expected) => {
      const { body } = await contract.admin.get(
        `${contract.path('configmaps')}?labelSelector=${encodeURIComponent(
          `set=pages,${selector}`,
        )}`,
      );
      expect(body.items.map((i: any) => i.metadata.name)).toEqual(expected);
    });

    it.each<[string, string]>([
      ['a in', "unable to parse requirement: found '' expected: '('"],
      [
        'a foo b',
        "unable to parse requirement: found 'foo', expected: in, notin, =, ==, !=, gt, lt",
      ],
      [
        'a in (b',
        "unable to parse requirement: found '', expected: ',' or ')'",
      ],
      ['a,', "found '', expected: identifier after ','"],
    ])('refuses the label selector %s', async (selector, message) => {
      const { status, body } = await contract.admin.get(
        `${contract.path('configmaps')}?labelSelector=${encodeURIComponent(
          selector,
        )}`,
      );
      expect([status, body.reason, body.message]).toEqual([
        400,
        'BadRequest',
        message,
      ]);
    });

    it.each<[string, string[]]>([
      ['metadata.name=page-b', ['page-b']],
      ['metadata.name!=page-b', names.filter(name => name !== 'page-b')],
      ['metadata.namespace=elsewhere', []],
    ])('selects by fields: %s', async (selector, expected) => {
      const { body } = await contract.admin.get(
        maps(`fieldSelector=${encodeURIComponent(selector)}`),
      );
      expect(body.items.map((i: any) => i.metadata.name)).toEqual(expected);
    });

    it('refuses fields that cannot be selected by', async () => {
      const refused = async (path: string) =>
        (await contract.admin.get(`${path}?fieldSelector=a.b%3Dc`)).body
          .message;
      expect(await refused(contract.path('configmaps'))).toBe(
        '"a.b" is not a known field selector: only "metadata.name", "metadata.namespace"',
      );
      expect(await refused(contract.path('pods'))).toBe(
        'field label not supported: a.b',
      );
    });

    it('selects pods by node and phase', async () => {
      const pods = contract.path('pods');
      await contract.admin.post(contract.path('serviceaccounts'), {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'default' },
      });
      const made = await contract.admin.post(pods, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'waiting' },
        spec: {
          schedulerName: 'nobody',
          containers: [{ name: 'app', image: 'app:1' }],
        },
      });
      expect(made.status).toBe(201);
      const count = async (selector: string) =>
        (
          await contract.admin.get(
            `${pods}?fieldSelector=${encodeURIComponent(selector)}`,
          )
        ).body.items.length;
      expect(await count('status.phase=Pending,spec.nodeName=')).toBe(1);
      expect(await count('status.phase!=Pending')).toBe(0);
      expect(await count('spec.nodeName=other')).toBe(0);
    });

    it('returns nothing but metadata where that is asked for', async () => {
      const accept = (as: string) => ({
        Accept: `application/json;as=${as};g=meta.k8s.io;v=v1`,
      });
      const one = await contract.admin.get(
        contract.path('configmaps', 'page-a'),
        accept('PartialObjectMetadata'),
      );
      expect(one.body).toMatchObject({
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { name: 'page-a' },
      });
      expect(one.body).not.toHaveProperty('data');
      const list = await contract.admin.get(
        maps('limit=2'),
        accept('PartialObjectMetadataList'),
      );
      expect(list.body).toMatchObject({
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { continue: expect.any(String) },
        items: [
          { kind: 'PartialObjectMetadata', metadata: { name: 'page-a' } },
          { kind: 'PartialObjectMetadata', metadata: { name: 'page-b' } },
        ],
      });
    });

    it('returns a table where that is asked for', async () => {
      const { body } = await contract.admin.get(maps(''), {
        Accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
      });
      expect(body).toMatchObject({
        kind: 'Table',
        apiVersion: 'meta.k8s.io/v1',
      });
      expect(body.columnDefinitions.map((c: any) => c.name)).toEqual([
        'Name',
        'Data',
        'Age',
      ]);
      expect(body.rows[0]).toMatchObject({
        cells: ['page-a', expect.anything(), expect.stringMatching(/^\d+/)],
        object: {
          kind: 'PartialObjectMetadata',
          metadata: { name: 'page-a' },
        },
      });
    });
  });
}
