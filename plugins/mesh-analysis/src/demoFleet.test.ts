import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { analyseFleet, expandLinks, ServiceView } from './catalog';
import { matchEntity } from './catalog/entity';
import { createInventory } from './inventory/createInventory';
import { Finding } from './rules';

// What docs/demo-fleet.md promises of the demo fleet: every situation is there and
// is found, and nothing else is wrong.

const demo = join(__dirname, '../../../fleets/demo');
const clusters = ['eu-west', 'eu-north', 'us-east', 'staging', 'edge'];

function readFolder(name: string): any[] {
  const directory = join(demo, name);
  return readdirSync(directory)
    .filter(file => file.endsWith('.yaml'))
    .flatMap(file =>
      parseAllDocuments(readFileSync(join(directory, file), 'utf8')).map(
        document => document.toJS(),
      ),
    )
    .filter(Boolean);
}

function analyse() {
  const inventory = createInventory({
    clusters: clusters.map(name => ({ name, objects: readFolder(name) })),
    now: '2026-11-30T12:00:00Z',
  });
  return analyseFleet(inventory, { ownerLabels: ['tidemark.example/team'] });
}

let fleet: ReturnType<typeof analyse>;
beforeAll(() => {
  fleet = analyse();
});

/** `rule cluster+cluster namespace/name`, with the clusters in the order of the alphabet. */
const lineOf = ({ rule, clusters: where, namespace = '', name }: Finding) =>
  `${rule} ${[...where].sort().join('+')} ${namespace}/${name}`;

const service = (scope: string, name: string): ServiceView => {
  const found = fleet.services.find(
    view => view.scope === scope && `${view.namespace}/${view.name}` === name,
  );
  if (!found) throw new Error(`No service ${name} in ${scope}`);
  return found;
};

const workload = (cluster: string, name: string) => {
  const [namespace, ...rest] = name.split('/');
  const found = fleet.namespaces
    .find(view => view.cluster === cluster && view.namespace === namespace)
    ?.workloads.find(one => one.name === rest.join('/'));
  if (!found) throw new Error(`No workload ${name} in ${cluster}`);
  return found;
};

describe('the demo fleet', () => {
  it.each([
    'PortNameMismatch eu-north+eu-west+us-east orders/order-api',
    'PortSetDiffers eu-north+eu-west+us-east storefront/web-bff',
    'HeadlessMixed eu-north+eu-west+us-east search/search-index',
    'SelectorOwnerDiffers eu-north+eu-west notifications/mailer',
    'OneSidedGlobal eu-north+eu-west sessions/rate-limits',
    'RevLabelShadowed eu-west /gift-cards',
    'RevisionNotInstalled eu-north /returns',
    'NeedsRestart us-east insights/event-collector',
    'RevisionOutdated eu-west loyalty/loyalty-api',
    'RevisionOutdated eu-west loyalty/points-ledger',
    'InjectionBlockedByNamespace eu-west data-science/notebooks',
    'InjectedButNotDiscovered eu-west /legacy-erp',
    'SidecarAndAmbient staging loyalty/loyalty-api',
    'AmbientNotEnrolled staging reviews/review-moderation',
    'WaypointMissing staging /reviews',
    'AsymmetricDiscovery eu-north+us-east istio-system/istio-remote-secret-us-east',
    'NetworkGatewayIgnored eu-north istio-system/istio-eastwestgateway-internal',
    'StaleBackends eu-north kube-system/cilium-config',
  ])('shows %s', line => {
    expect(fleet.findings.map(lineOf)).toContain(line);
  });

  it('has no error beside those that tell the story', () => {
    const errors = fleet.findings
      .filter(({ severity }) => severity === 'error')
      .map(lineOf)
      .sort();
    expect(errors).toEqual([
      'HeadlessMixed eu-north+eu-west+us-east search/search-index',
      'InjectedButNotDiscovered eu-west /legacy-erp',
      'PortNameMismatch eu-north+eu-west+us-east orders/order-api',
      'RevisionNotInstalled eu-north /returns',
      'WaypointMissing staging /reviews',
    ]);
  });

  it('is healthy in the main', () => {
    const troubled = fleet.services.filter(({ findings }) =>
      findings.some(({ severity }) => severity !== 'info'),
    );
    expect(fleet.services.length).toBeGreaterThan(40);
    expect(troubled.length).toBeLessThan(fleet.services.length / 4);
  });

  it('takes the services of three regions for one, and those of staging for another', () => {
    const cart = service('tidemark', 'checkout/cart');
    expect(cart.instances.map(({ cluster }) => cluster)).toEqual([
      'eu-west',
      'eu-north',
      'us-east',
    ]);
    expect(cart.endpoints).toEqual({ ready: 7, total: 7 });
    expect(cart.homonyms).toEqual(['tidemark-staging']);
    expect(service('tidemark-staging', 'checkout/cart').links).toEqual([]);
  });

  it('misses the way from us-east to eu-north only', () => {
    const ways = expandLinks(service('tidemark', 'checkout/cart').links).map(
      ({ from, to, state }) => `${from} ${to} ${state}`,
    );
    expect(ways.sort()).toEqual([
      'eu-north eu-west active',
      'eu-north us-east active',
      'eu-west eu-north active',
      'eu-west us-east active',
      'us-east eu-west active',
    ]);
  });

  it('has a stub, a mirror and derived Services that are not counted', () => {
    const roles = (view: ServiceView) =>
      view.instances.map(({ cluster, role }) => `${cluster} ${role}`).sort();
    expect(roles(service('tidemark', 'payments/fraud-scorer'))).toEqual([
      'eu-north stub',
      'eu-west backend',
      'us-east backend',
    ]);
    const mirrored = fleet.services.filter(
      ({ namespace, name }) => namespace === 'pricing' && name === 'price-feed',
    );
    expect(mirrored).toHaveLength(1);
    expect(roles(mirrored[0])).toContain('edge mirror');
    expect(expandLinks(mirrored[0].links)).toContainEqual(
      expect.objectContaining({
        from: 'edge',
        to: 'eu-west',
        mechanism: 'linkerd-mirror',
        state: 'active',
      }),
    );
    expect(roles(service('tidemark', 'inventory/stock'))).toContain(
      'eu-west derived',
    );
  });

  it('keeps kube-system in its cluster', () => {
    const states = service('tidemark', 'kube-system/kube-dns').links.map(
      ({ state }) => state,
    );
    expect(new Set(states)).toEqual(new Set(['suppressed']));
  });

  it('has an ExternalName and a service without a ready endpoint', () => {
    expect(
      service('tidemark', 'payments/acquirer').instances.map(
        ({ type }) => type,
      ),
    ).toEqual(['ExternalName', 'ExternalName', 'ExternalName']);
    const printer = service('tidemark', 'shipping/label-printer').instances;
    expect(printer.find(({ cluster }) => cluster === 'eu-north')).toMatchObject(
      { endpoints: { ready: 0, total: 2 } },
    );
  });

  it('has native sidecars where the kubelets allow it', () => {
    expect(workload('eu-west', 'checkout/cart').actual).toEqual([
      expect.objectContaining({
        revision: '1-29',
        version: '1.29.6',
        nativeSidecar: true,
      }),
    ]);
    const [older] = workload('us-east', 'checkout/cart').actual;
    expect(older.revision).toBe('1-29');
    expect(older.nativeSidecar ?? false).toBe(false);
  });

  it('is half-way through an upgrade', () => {
    const web = (cluster: string) => workload(cluster, 'storefront/web');
    expect(web('eu-west').requested).toMatchObject({
      revision: '1-30',
      tag: 'canary',
    });
    expect(web('eu-west').actual[0]).toMatchObject({ version: '1.30.3' });
    expect(web('us-east').requested).toMatchObject({
      revision: '1-29',
      tag: 'canary',
    });
  });

  it('has pods of two proxy versions in one workload', () => {
    expect(
      workload('eu-north', 'search/suggest')
        .actual.map(({ version, pods }) => `${version} ${pods}`)
        .sort(),
    ).toEqual(['1.29.4 1', '1.29.6 2']);
  });

  it('has ambient workloads, one of them behind a waypoint', () => {
    expect(workload('staging', 'recommendations/recommender')).toMatchObject({
      dataplane: 'ambient',
      ambient: 'enrolled',
    });
    expect(
      service('tidemark-staging', 'recommendations/recommender').instances[0]
        .waypoint,
    ).toMatchObject({ name: 'waypoint', state: 'bound' });
    expect(workload('staging', 'loyalty/loyalty-api').ambient).toBe(
      'blocked-by-sidecar',
    );
  });

  it.each([
    ['eu-west', 'inventory/replenishment', 'CronJob'],
    ['eu-west', 'orders/order-store', 'StatefulSet'],
    ['eu-west', 'observability/log-collector', 'DaemonSet'],
  ])('has in %s the workload %s of kind %s', (cluster, name, kind) => {
    expect(workload(cluster, name).kind).toBe(kind);
  });

  it('has Linkerd in the stores', () => {
    expect(workload('edge', 'tills/till-sync').dataplane).toBe('linkerd');
  });
});

describe('the software catalog of the demo fleet', () => {
  const entities = readFolder('catalog');
  const refs = new Set(
    entities.map(({ kind, metadata: { namespace = 'default', name } }) =>
      `${kind}:${namespace}/${name}`.toLocaleLowerCase('en'),
    ),
  );

  it('refers to nothing that is not there', () => {
    const named = entities.flatMap(({ kind, spec }) => [
      ...(spec.owner ? [`group:default/${spec.owner}`] : []),
      ...(spec.system ? [`system:default/${spec.system}`] : []),
      ...(spec.domain ? [`domain:default/${spec.domain}`] : []),
      ...(kind === 'User' ? spec.memberOf : []).map(
        (group: string) => `group:default/${group}`,
      ),
      ...(spec.dependsOn ?? []),
    ]);
    expect(named.filter(ref => !refs.has(ref))).toEqual([]);
  });

  it('finds the services of every entity but those that show how it fails', () => {
    const candidates = fleet.services.flatMap(view =>
      view.instances.map(instance => ({ instance, workloads: [] })),
    );
    const withoutService = entities
      .filter(({ kind }) => kind === 'Component' || kind === 'Resource')
      .map(({ metadata }) => ({
        name: metadata.name,
        ...matchEntity(metadata.annotations ?? {}, candidates, { clusters }),
      }))
      .filter(({ matched }) => matched.length === 0)
      .map(({ name, messages }) => [name, messages.map(({ level }) => level)]);
    expect(Object.fromEntries(withoutService)).toEqual({
      // Nothing names its services.
      'carrier-rates': [],
      // It names a cluster that is not there.
      'label-printer': ['error'],
      // Jobs, which have no Service.
      'nightly-report': ['warning'],
      replenishment: ['warning'],
    });
  });

  it('has two people of different teams, and a guest of none', () => {
    const users = entities
      .filter(({ kind }) => kind === 'User')
      .map(({ metadata, spec }) => [metadata.name, spec.memberOf]);
    expect(Object.fromEntries(users)).toEqual({
      anna: ['checkout'],
      marek: ['platform'],
      guest: [],
    });
  });
});
