// The tests are registered by whoever asks the contract of an API server.
/* eslint-disable jest/no-export */
import { until } from './ApiClient';
import { Contract } from './apiServerContract';

export function watchContract(contract: Contract): void {
  describe('watch', () => {
    const maps = () => contract.path('configmaps');

    async function versionNow(): Promise<string> {
      const { body } = await contract.admin.get(`${maps()}?limit=1`);
      return body.metadata.resourceVersion;
    }

    async function watchFromNow(query = '', headers = {}) {
      const version = await versionNow();
      return contract.admin.watch(
        `${maps()}?watch=true&resourceVersion=${version}&timeoutSeconds=60${query}`,
        headers,
      );
    }

    it('tells what is added, changed and removed', async () => {
      const watch = await watchFromNow();
      expect(watch.status).toBe(200);
      await contract.admin.post(maps(), contract.configMap('seen', { a: '1' }));
      await contract.admin.put(
        contract.path('configmaps', 'seen'),
        contract.configMap('seen', { a: '2' }),
      );
      await contract.admin.delete(contract.path('configmaps', 'seen'));
      const events = await watch.take(3);
      watch.close();
      expect(events.map(event => event.type)).toEqual([
        'ADDED',
        'MODIFIED',
        'DELETED',
      ]);
      expect(events[1].object).toMatchObject({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        data: { a: '2' },
      });
      const versions = events.map(({ object }) =>
        Number(object.metadata.resourceVersion),
      );
      expect(versions).toEqual([...versions].sort((a, b) => a - b));
      expect(new Set(versions).size).toBe(3);
    });

    it('begins where it is told to, and misses nothing in between', async () => {
      const version = await versionNow();
      for (const name of ['between-a', 'between-b']) {
        await contract.admin.post(maps(), contract.configMap(name));
      }
      const watch = await contract.admin.watch(
        `${maps()}?watch=1&resourceVersion=${version}`,
      );
      const events = await watch.take(2);
      watch.close();
      expect(events.map(({ object }) => object.metadata.name)).toEqual([
        'between-a',
        'between-b',
      ]);
    });

    it.each(['', '&resourceVersion=0'])(
      'begins with what there is, with%s no version',
      async query => {
        await contract.admin.post(maps(), contract.configMap('there'));
        const watch = await contract.admin.watch(`${maps()}?watch=1${query}`);
        const event = await watch.find(
          ({ object }) => object.metadata.name === 'there',
        );
        watch.close();
        expect(event.type).toBe('ADDED');
      },
    );

    it('shows objects that come into the selection and leave it', async () => {
      const watch = await watchFromNow('&labelSelector=team%3Dred');
      const at = contract.path('configmaps', 'mover');
      await contract.admin.post(
        maps(),
        contract.configMap('mover', {}, { team: 'blue' }),
      );
      for (const team of ['red', 'blue']) {
        await contract.admin.put(at, contract.configMap('mover', {}, { team }));
      }
      const events = await watch.take(2);
      watch.close();
      expect(events.map(event => event.type)).toEqual(['ADDED', 'DELETED']);
      // The object as it was when it was last selected, with the version of the change.
      expect(events[1].object.metadata.labels).toEqual({ team: 'red' });
    });

    it('watches one object by name', async () => {
      const watch = await watchFromNow('&fieldSelector=metadata.name%3Dalone');
      await contract.admin.post(maps(), contract.configMap('other'));
      await contract.admin.post(maps(), contract.configMap('alone'));
      const [event] = await watch.take(1);
      watch.close();
      expect(event.object.metadata.name).toBe('alone');
    });

    it('ends after the time that is asked for, without bookmarks that nobody asked for', async () => {
      const version = await versionNow();
      const watch = await contract.admin.watch(
        `${maps()}?watch=1&resourceVersion=${version}&timeoutSeconds=1`,
      );
      await watch.ended();
      expect(watch.events).toEqual([]);
    });

    it('streams the initial list and marks its end', async () => {
      await contract.admin.post(maps(), contract.configMap('initial'));
      const watch = await contract.admin.watch(
        `${maps()}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      );
      const end = await watch.find(({ type }) => type === 'BOOKMARK');
      watch.close();
      expect(end.object).toMatchObject({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: {
          resourceVersion: expect.stringMatching(/^\d+$/),
          annotations: { 'k8s.io/initial-events-end': 'true' },
        },
      });
      const before = watch.events.slice(0, watch.events.indexOf(end));
      expect(before.map(({ object }) => object.metadata.name)).toContain(
        'initial',
      );
      expect(new Set(before.map(({ type }) => type))).toEqual(
        new Set(['ADDED']),
      );
    });

    it('refuses initial events without a match', async () => {
      const { status, body } = await contract.admin.get(
        `${maps()}?watch=1&sendInitialEvents=true`,
      );
      expect([status, body.message]).toEqual([
        422,
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
      ]);
    });

    it('tells by an ERROR event that a version is too old', async () => {
      if (!contract.target.compact) return;
      const version = await versionNow();
      await contract.admin.post(maps(), contract.configMap('later'));
      await contract.target.compact();
      const watch = await contract.admin.watch(
        `${maps()}?watch=1&resourceVersion=${version}`,
      );
      expect(watch.status).toBe(200);
      const [event] = await watch.take(1);
      expect(event).toMatchObject({
        type: 'ERROR',
        object: {
          kind: 'Status',
          apiVersion: 'v1',
          status: 'Failure',
          reason: 'Expired',
          code: 410,
          message: expect.stringMatching(/^too old resource version: /),
        },
      });
      await watch.ended();
    });

    it('sends nothing but metadata where that is asked for', async () => {
      const watch = await watchFromNow('', {
        Accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
      });
      await contract.admin.post(
        maps(),
        contract.configMap('bare', { secret: 'x' }),
      );
      const [event] = await watch.take(1);
      watch.close();
      expect(event.object).toMatchObject({
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { name: 'bare' },
      });
      expect(event.object).not.toHaveProperty('data');
    });

    it('watches all namespaces at once', async () => {
      const version = await versionNow();
      const watch = await contract.admin.watch(
        `/api/v1/configmaps?watch=1&resourceVersion=${version}`,
      );
      await contract.admin.post(maps(), contract.configMap('everywhere'));
      const event = await watch.find(
        ({ object }) =>
          object.metadata.name === 'everywhere' &&
          object.metadata.namespace === contract.namespace,
      );
      watch.close();
      expect(event.type).toBe('ADDED');
      await until(
        () => watch.isEnded,
        () => 'the closed watch',
      );
    });
  });
}
