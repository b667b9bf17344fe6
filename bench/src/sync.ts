import { setTimeout as sleep } from 'node:timers/promises';
import { fetchAndParse } from './bareLoop';
import { BenchContext } from './BenchContext';
import { distributionOf, Figure } from './figures';
import { Portal } from './Portal';
import { pathOf } from './serviceView';
import { Simulator } from './Simulator';
import type { WatchedChange } from './simulatorProcess';

const giveUpAfterMs = 60_000;

// The simulator makes about this many watched objects for each service.
const objectsPerService = 5;

/** First sync beside a bare loop, then changes, then a restart: all on one fleet. */
export async function measureSync(context: BenchContext): Promise<Figure[]> {
  const { clusters, objects } = context.sizes.sync;
  const services = Math.ceil(objects / clusters / objectsPerService);
  context.say(`first sync: ${clusters} clusters, about ${objects} objects`);
  const simulator = await Simulator.start({ size: { clusters, services } });
  const directory = context.directory('sync');
  let portal: Portal | undefined;
  try {
    // Once before and once after, so that neither side alone has a warm simulator.
    const before = await fetchAndParse(simulator);
    const start = performance.now();
    portal = await Portal.start({
      simulator,
      directory,
      profileTo: context.profileTo,
    });
    const upMs = performance.now() - start;
    const cpuBefore = portal.cpuSeconds ?? NaN;
    const settled = await context.settle(portal, simulator, before.objects);
    const cpuMs = ((portal.cpuSeconds ?? NaN) - cpuBefore) * 1000;
    const residentMb = portal.residentMb;
    const after = await fetchAndParse(simulator);
    const bareMs = Math.min(before.ms, after.ms);
    const bareCpuMs = Math.min(before.cpuMs, after.cpuMs);
    const share = settled.storedMs * (100_000 / before.objects);

    const changes = await measureChanges(context, simulator, portal);
    const restart = await measureRestart(context, {
      simulator,
      portal,
      directory,
    });
    portal = restart.portal;
    context.detail('sync', {
      objects: before.objects,
      bytes: before.bytes,
      bareLoopMs: [before.ms, after.ms],
      bareLoopCpuMs: [before.cpuMs, after.cpuMs],
      portalCpuMs: cpuMs,
      portalResidentMb: residentMb,
      portalUpMs: upMs,
      ...settled,
      changes: changes.detail,
      restartMs: restart.ms,
    });
    return [
      {
        what: `first sync of ${before.objects} objects, against a bare loop`,
        value: settled.storedMs / bareMs,
        unit: 'times',
        bar: { at: 'most', value: 3 },
      },
      {
        what: 'first sync, all stored, for 100000 objects',
        value: share / 1000,
        unit: 's',
        bar: { at: 'most', value: 30 },
      },
      {
        what: 'first sync, all analysed too',
        value: settled.analysedMs / 1000,
        unit: 's',
      },
      { what: 'the bare loop', value: bareMs / 1000, unit: 's' },
      {
        what: 'CPU time until all is analysed, against that of the bare loop',
        value: cpuMs / bareCpuMs,
        unit: 'times',
      },
      {
        what: 'the same, for each object',
        value: cpuMs / before.objects,
        unit: 'ms',
      },
      ...changes.figures,
      {
        what: 'restart after a crash, until the first answer with all services',
        value: restart.ms / 1000,
        unit: 's',
      },
    ];
  } finally {
    await portal?.stop();
    await simulator.stop();
  }
}

async function measureChanges(
  context: BenchContext,
  simulator: Simulator,
  portal: Portal,
) {
  const { perSecond, watchEvery, seconds } = context.sizes.changes;
  context.say(`${perSecond} changes a second for ${seconds} s`);
  const paths = await pathsByInstance(portal);
  const looking: Array<Promise<number | undefined>> = [];
  const cpuBefore = portal.cpuSeconds;
  await simulator.startChurn({ perSecond, watchEvery });
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    for (const change of await simulator.takeWatched()) {
      const instance = `${change.cluster} ${change.namespace}/${change.service}`;
      const path = paths.get(instance);
      if (!path) throw new Error(`The API does not show ${instance}`);
      looking.push(untilSeen(portal, path, change));
    }
    await sleep(10);
  }
  await simulator.stopChurn();
  const seen = await Promise.all(looking);
  const latencies = seen.filter(ms => ms !== undefined);
  const lost = seen.length - latencies.length;
  const latency = distributionOf(latencies);
  const cpuMs = ((portal.cpuSeconds ?? NaN) - (cpuBefore ?? NaN)) * 1000;
  const figures: Figure[] = [
    {
      what: `a change until the API shows it, p99, at ${perSecond} a second`,
      value: latency.p99 / 1000,
      unit: 's',
      bar: { at: 'most', value: 1 },
    },
    { what: 'the same, p50', value: latency.p50 / 1000, unit: 's' },
    {
      what: 'CPU time of the portal for each change, questions included',
      value: cpuMs / (perSecond * seconds),
      unit: 'ms',
    },
    {
      what: 'changes that were not seen within a minute',
      value: lost,
      unit: '',
      bar: { at: 'most', value: 0 },
    },
  ];
  return { figures, detail: { ...latency, lost, cpuMs } };
}

/** How long it took until the API showed a change; undefined where it did not. */
async function untilSeen(
  portal: Portal,
  path: string,
  change: WatchedChange,
): Promise<number | undefined> {
  for (;;) {
    const { status, text } = await portal.get(path);
    const age = performance.timeOrigin + performance.now() - change.at;
    const instance =
      status === 200 &&
      JSON.parse(text).instances.find(
        (one: any) => one.cluster === change.cluster,
      );
    if (instance && instance.endpoints?.ready === change.ready) return age;
    if (age > giveUpAfterMs) return undefined;
    // Asking must not become the load that is measured: the longer it has taken,
    // the longer until the next question.
    await sleep(Math.max(50, age / 12));
  }
}

/** The path of the view that shows a Service of a cluster. */
async function pathsByInstance(portal: Portal): Promise<Map<string, string>> {
  const paths = new Map<string, string>();
  let cursor: string | undefined;
  do {
    const page = await portal.json(
      `/api/mesh/v1/services?limit=100${
        cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''
      }`,
    );
    for (const row of page.items) {
      for (const cluster of row.clusters) {
        paths.set(`${cluster} ${row.namespace}/${row.name}`, pathOf(row));
      }
    }
    cursor = page.nextCursor;
  } while (cursor);
  return paths;
}

async function measureRestart(
  context: BenchContext,
  options: { simulator: Simulator; portal: Portal; directory: string },
) {
  context.say('restart');
  const { totalItems } = await options.portal.json(
    '/api/mesh/v1/services?limit=1',
  );
  // A profile is written at an orderly end only.
  await (context.profileTo ? options.portal.stop() : options.portal.kill());
  const started = performance.now();
  const portal = await Portal.start(options);
  for (;;) {
    const page = await portal.json('/api/mesh/v1/services?limit=1');
    if (page.totalItems === totalItems) {
      return { portal, ms: performance.now() - started };
    }
    if (performance.now() - started > 120_000) {
      throw new Error(
        `After a restart ${page.totalItems} of ${totalItems} services are served`,
      );
    }
    await sleep(20);
  }
}
