import knexFactory from 'knex';
import { resolve } from 'path';
import { rmSync } from 'fs';
import { KubeConfig } from '@kubernetes/client-node';
import { Simulator } from '../../../../bench/src/Simulator';
import { fetchAndParse } from '../../../../bench/src/bareLoop';
import { ClusterStore } from '../store/ClusterStore';
import { ObjectStore } from '../store/ObjectStore';
import { Queue } from '../store/Queue';
import { ClusterSources } from '../clusters';
import { Collectors } from './Collectors';
import { defaultCollectSettings } from './settings';
const logger: any = {
  info() {},
  warn: console.log,
  error: console.log,
  debug() {},
  child: () => logger,
};
async function main() {
  const n = Number(process.env.CLUSTERS ?? 20),
    s = Number(process.env.SERVICES ?? 1000);
  const sim = await Simulator.start({ size: { clusters: n, services: s } });
  if (!process.env.NOBARE) {
    for (let i = 0; i < 2; i++) {
      const c0 = process.cpuUsage();
      const b = await fetchAndParse(sim);
      const c1 = process.cpuUsage(c0);
      console.log(
        'bare',
        b,
        'cpu',
        (c1.user + c1.system) / 1e6,
        'rss',
        (process.memoryUsage().rss / 1e6) | 0,
      );
    }
  }
  rmSync('/tmp/mycol/perf.db', { force: true });
  rmSync('/tmp/mycol/perf.db-wal', { force: true });
  const knex = knexFactory({
    client: 'better-sqlite3',
    connection: '/tmp/mycol/perf.db',
    useNullAsDefault: true,
    pool: { min: 1, max: 1 },
  });
  await knex.migrate.latest({
    directory: resolve('plugins/mesh-backend/migrations'),
  });
  await knex.raw('pragma journal_mode = wal');
  await knex.raw('pragma synchronous = normal');
  const queue = Queue.create({ database: knex, instanceId: 'x' });
  const clusterStore = ClusterStore.create({ database: knex, queue });
  const objectStore = ObjectStore.create({ database: knex, queue });
  const sources = ClusterSources.create({
    sources: [
      {
        id: 't',
        listClusters: async () =>
          sim.clusters.map(c => ({
            name: c.name,
            server: c.url,
            fingerprint: c.url,
            createKubeConfig: () => {
              const kc = new KubeConfig();
              kc.loadFromClusterAndUser(
                {
                  name: c.name,
                  server: c.url,
                  caData: c.caData,
                  skipTLSVerify: false,
                },
                { name: 'u', token: c.token },
              );
              return kc;
            },
          })),
      },
    ],
    settings: {
      kubernetesConfig: true,
      kubernetesCatalog: true,
      modules: true,
      refreshIntervalMs: 60000,
      clusters: new Map(),
    },
    systemNamespaces: ['istio-system', 'kube-system'],
    logger,
  });
  const collectors = Collectors.create({
    sources,
    clusterStore,
    objectStore,
    settings: defaultCollectSettings,
    logger,
    instanceId: 'one',
  });
  const cpu0 = process.cpuUsage();
  const t = performance.now();
  let max = 0;
  collectors.start();
  for (;;) {
    await new Promise(r => setTimeout(r, 250));
    max = Math.max(max, process.memoryUsage().rss);
    const list = await clusterStore.list();
    if (process.env.TRACE)
      console.log(
        (performance.now() - t) | 0,
        Number((await knex('objects').count({ c: '*' }).first())!.c),
        list.filter(c => c.state === 'synced').length,
        (process.cpuUsage(cpu0).user / 1e6).toFixed(1),
      );
    if (list.length === n && list.every(c => c.state === 'synced')) break;
    if (performance.now() - t > 300000) {
      console.log(list.map(c => [c.name, c.state, c.message]));
      break;
    }
  }
  const cpu = process.cpuUsage(cpu0);
  console.log(
    'sync ms',
    (performance.now() - t) | 0,
    'cpu s',
    (cpu.user + cpu.system) / 1e6,
    'rss',
    (process.memoryUsage().rss / 1e6) | 0,
    'max',
    (max / 1e6) | 0,
    await knex('objects').count(),
  );
  await new Promise(r => setTimeout(r, 20000));
  (global as any).gc?.();
  const m = process.memoryUsage();
  console.log(
    'settled rss',
    (m.rss / 1e6) | 0,
    'heap',
    (m.heapUsed / 1e6) | 0,
    'ext',
    (m.external / 1e6) | 0,
  );
  await collectors.stop();
  await knex.destroy();
  await sim.stop();
  process.exit();
}
main().catch(e => {
  console.error(e);
  process.exit(1);
});
