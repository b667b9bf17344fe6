import { Folder, Manifest } from './Folder';
import { DemoService, domains, namespaces, services, teams } from './company';

const systems: Record<
  string,
  { title: string; domain: string; owner: string }
> = {
  shop: { title: 'Shop', domain: 'shopping', owner: 'storefront' },
  search: { title: 'Search', domain: 'shopping', owner: 'storefront' },
  discovery: { title: 'Discovery', domain: 'shopping', owner: 'storefront' },
  purchase: { title: 'Purchase', domain: 'shopping', owner: 'checkout' },
  stock: { title: 'Stock', domain: 'fulfilment', owner: 'logistics' },
  delivery: { title: 'Delivery', domain: 'fulfilment', owner: 'logistics' },
  pricing: { title: 'Pricing', domain: 'growth', owner: 'insights' },
  loyalty: { title: 'Loyalty', domain: 'growth', owner: 'insights' },
  outreach: { title: 'Outreach', domain: 'growth', owner: 'insights' },
  reporting: { title: 'Reporting', domain: 'growth', owner: 'insights' },
  accounts: { title: 'Accounts', domain: 'foundation', owner: 'platform' },
  telemetry: { title: 'Telemetry', domain: 'foundation', owner: 'platform' },
  mesh: { title: 'Mesh', domain: 'foundation', owner: 'platform' },
  'point-of-sale': {
    title: 'Point of sale',
    domain: 'stores',
    owner: 'logistics',
  },
};

const people = [
  { name: 'anna', title: 'Anna Lindqvist', team: 'checkout' },
  { name: 'marek', title: 'Marek Nowak', team: 'platform' },
];

/** The software catalog of the company. */
export function catalogFolder(): Folder {
  const folder = new Folder();
  const entity = (
    file: string,
    kind: string,
    metadata: Manifest['metadata'],
    spec: object,
    note?: string,
  ) =>
    folder.add(
      file,
      { apiVersion: 'backstage.io/v1alpha1', kind, metadata, spec } as Manifest,
      note,
    );

  entity(
    'organization',
    'Group',
    {
      name: 'tidemark',
      title: 'Tidemark',
      description: 'Outdoor gear, on the web and in stores',
    },
    { type: 'organization', children: [] },
  );
  for (const team of teams) {
    entity(
      'organization',
      'Group',
      { name: team.name, title: team.title, description: team.description },
      {
        type: 'team',
        parent: 'tidemark',
        profile: {
          displayName: team.title,
          email: `${team.name}@tidemark.example`,
        },
        children: [],
      },
    );
  }
  for (const person of people) {
    entity(
      'organization',
      'User',
      { name: person.name, title: person.title },
      {
        profile: {
          displayName: person.title,
          email: `${person.name}@tidemark.example`,
        },
        memberOf: [person.team],
      },
    );
  }
  entity(
    'organization',
    'User',
    { name: 'guest', namespace: 'development', title: 'Guest' },
    { profile: { displayName: 'Guest' }, memberOf: [] },
    'Whoever signs in as guest: a member of no team.',
  );

  for (const domain of domains) {
    entity(
      'systems',
      'Domain',
      {
        name: domain.name,
        title: domain.title,
        description: domain.description,
      },
      { owner: domain.owner },
    );
  }
  for (const [name, system] of Object.entries(systems)) {
    entity(
      'systems',
      'System',
      { name, title: system.title },
      { owner: system.owner, domain: system.domain },
    );
  }

  for (const service of services) {
    if (service.entity === 'none') continue;
    const namespace = namespaces.find(
      ({ name }) => name === service.namespace,
    )!;
    const { annotations, note } = annotationsOf(service);
    const resource = service.type === 'database' || service.type === 'external';
    entity(
      `team-${namespace.team}`,
      resource ? 'Resource' : 'Component',
      {
        name: service.name,
        title: service.title,
        annotations,
        tags: service.tech ? [service.tech] : undefined,
      },
      {
        type:
          service.type === 'external'
            ? 'external-api'
            : service.type ?? 'service',
        ...(resource ? {} : { lifecycle: service.lifecycle ?? 'production' }),
        owner: namespace.team,
        system: service.system,
        dependsOn: service.dependsOn?.map(refOf),
      },
      note,
    );
  }
  return folder;
}

function refOf(name: string): string {
  const service = services.find(candidate => candidate.name === name);
  if (!service) throw new Error(`No service ${name}`);
  const kind =
    service.type === 'database' || service.type === 'external'
      ? 'resource'
      : 'component';
  return `${kind}:default/${name}`;
}

/** How the entity says which Kubernetes objects are its own. */
function annotationsOf(service: DemoService): {
  annotations?: Record<string, string>;
  note?: string;
} {
  switch (service.entity) {
    case 'bare':
      return {
        note: 'Situation: no annotation, so nothing in the clusters is taken for it.',
      };
    case 'services':
      return {
        annotations: {
          'mesh.backstage.io/services': `${service.namespace}/${service.name}`,
        },
      };
    case 'selector':
      return {
        annotations: {
          'backstage.io/kubernetes-label-selector': `app.kubernetes.io/name=${service.name},app.kubernetes.io/part-of=${service.system}`,
          'backstage.io/kubernetes-namespace': service.namespace,
        },
      };
    case 'misspelt':
      return {
        annotations: {
          'backstage.io/kubernetes-id': service.name,
          'backstage.io/kubernetes-namespace': service.namespace,
          'backstage.io/kubernetes-cluster': 'eu-nroth',
        },
        note: 'Situation: the cluster is misspelt. It selects nothing, instead of every cluster.',
      };
    default:
      return {
        annotations: {
          'backstage.io/kubernetes-id': service.name,
          'backstage.io/kubernetes-namespace': service.namespace,
        },
      };
  }
}
