import { Content } from '@backstage/core-components';
import { useApi } from '@backstage/core-plugin-api';
import type {
  DataplaneFilter,
  ServiceRow,
  ServicesQuery,
} from '@mesh-for-backstage/plugin-mesh-common';
import { meshApiRef } from '../api';
import { useFacets } from '../live/useFacets';
import { useLive } from '../live/useLive';
import { useUrlState } from '../live/useUrlState';
import {
  ActiveFilters,
  ClusterLinkName,
  Column,
  CsvButton,
  DataTable,
  DataplaneName,
  EmptyState,
  FilterBar,
  FilterMenu,
  FilterOption,
  LiveContent,
  Owner,
  Paging,
  Panel,
  PartialBanner,
  ReadyCount,
  SearchField,
  ServiceLinkName,
  SeverityCountsLabel,
  dataplanes,
  severityWord,
  total,
} from '../ui';

const nameColumn: Column<ServiceRow> = {
  id: 'name',
  header: 'Service',
  sort: 'name',
  cell: row => <ServiceLinkName service={row} />,
};

/** One name may be two services, in two meshes; what tells them apart stands below it. */
const nameColumnOfManyMeshes: Column<ServiceRow> = {
  ...nameColumn,
  cell: row => (
    <>
      <ServiceLinkName service={row} />
      <div>in {row.scope}</div>
    </>
  ),
};

const otherColumns: Column<ServiceRow>[] = [
  {
    id: 'namespace',
    header: 'Namespace',
    sort: 'namespace',
    hideBelow: 'sm',
    cell: ({ namespace }) => namespace,
  },
  {
    id: 'owner',
    header: 'Owner',
    sort: 'owner',
    hideBelow: 'md',
    cell: ({ owner }) => <Owner owner={owner} />,
  },
  {
    id: 'clusters',
    header: 'Clusters',
    sort: 'clusters',
    first: 'desc',
    hideBelow: 'sm',
    cell: ({ clusters }) =>
      clusters.map((cluster, index) => (
        <span key={cluster}>
          {index > 0 && ', '}
          <ClusterLinkName name={cluster} />
        </span>
      )),
  },
  {
    id: 'dataplane',
    header: 'Mesh mode',
    hideBelow: 'sm',
    cell: ({ dataplane, revisions }) => (
      <>
        <DataplaneName fact={dataplane} />
        {revisions && revisions.length > 0 && (
          <div>
            {revisions.length === 1 ? 'revision' : 'revisions'}{' '}
            {revisions.join(', ')}
          </div>
        )}
      </>
    ),
  },
  {
    id: 'endpoints',
    header: 'Ready endpoints',
    sort: 'endpoints',
    hideBelow: 'sm',
    cell: ({ endpoints, partial }) => (
      <ReadyCount fact={endpoints} partial={partial} />
    ),
  },
  {
    id: 'findings',
    header: 'Findings',
    sort: 'severity',
    first: 'desc',
    cell: ({ findings, partial }) => (
      <SeverityCountsLabel counts={findings} partial={partial} />
    ),
  },
];

function columnsFor(rows: readonly ServiceRow[]): Column<ServiceRow>[] {
  const ofManyMeshes = rows.some(({ scope }) => scope !== rows[0].scope);
  return [ofManyMeshes ? nameColumnOfManyMeshes : nameColumn, ...otherColumns];
}

const filterNames = {
  cluster: 'Cluster',
  namespace: 'Namespace',
  owner: 'Owner',
  dataplane: 'Mesh mode',
  severity: 'Severity',
} as const;
type FilterName = keyof typeof filterNames;

function labelOf(name: FilterName, value: string): string {
  if (name === 'dataplane')
    return dataplanes[value as DataplaneFilter] ?? value;
  if (name === 'severity') {
    return value === 'none'
      ? 'No finding'
      : severityWord[value as keyof typeof severityWord] ?? value;
  }
  if (name === 'owner' && value === 'none') return 'No owner';
  return value;
}

/** All services of the fleet, filtered, sorted and paged by the backend. Every choice is in the address. */
export const ServicesPage = () => {
  const api = useApi(meshApiRef);
  const url = useUrlState();
  const facets = useFacets();

  const query: ServicesQuery = {
    search: url.get('search') || undefined,
    cluster: url.all('cluster'),
    namespace: url.all('namespace'),
    owner: url.all('owner'),
    dataplane: url.all('dataplane') as DataplaneFilter[],
    severity: url.all('severity') as ServicesQuery['severity'],
    sort: (url.get('sort') || undefined) as ServicesQuery['sort'],
    order: (url.get('order') || undefined) as ServicesQuery['order'],
  };
  const live = useLive(
    `services?${url.key}`,
    () => api.listServices({ ...query, cursor: url.page.cursor }),
    ['services'],
  );

  const options: Record<FilterName, ServiceFacetOptions> = {
    cluster: facets.clusters,
    namespace: facets.namespaces,
    owner: facets.owners,
    dataplane: facets.dataplanes,
    severity: facets.severities,
  };
  const names = Object.keys(filterNames) as FilterName[];
  const active = names.flatMap(name =>
    url.all(name).map(value => ({
      name: filterNames[name],
      label: labelOf(name, value),
      onRemove: () =>
        url.set({ [name]: url.all(name).filter(one => one !== value) }),
    })),
  );
  const clear = () =>
    url.set({
      search: undefined,
      ...Object.fromEntries(names.map(name => [name, []])),
    });

  return (
    <Content>
      <FilterBar
        end={
          <CsvButton
            fileName="mesh-services.csv"
            load={() => api.servicesCsv(query)}
          />
        }
      >
        <SearchField
          label="Search name or namespace"
          value={url.get('search')}
          onChange={search => url.set({ search }, { replace: true })}
        />
        {names.map(name => (
          <FilterMenu
            key={name}
            label={filterNames[name]}
            options={options[name].map(
              ({ value, count }): FilterOption => ({
                value,
                count,
                label: labelOf(name, value),
              }),
            )}
            selected={url.all(name)}
            onChange={selected => url.set({ [name]: selected })}
          />
        ))}
      </FilterBar>
      <ActiveFilters filters={active} onClear={clear} />
      <LiveContent live={live} what="the services" lines={10}>
        {page => (
          <>
            <PartialBanner fleet={page.fleet} />
            <Panel
              title={total(page.totalItems, page.fleet.partial, 'service')}
            >
              {page.items.length === 0 ? (
                <NoServices
                  filtered={active.length > 0 || url.get('search') !== ''}
                  partial={page.fleet.partial}
                />
              ) : (
                <DataTable
                  label="Services"
                  columns={columnsFor(page.items)}
                  rows={page.items}
                  rowKey={({ scope, namespace, name }) =>
                    `${scope}/${namespace}/${name}`
                  }
                  busy={live.busy}
                  sorting={{
                    by: query.sort ?? 'name',
                    order: query.order ?? 'asc',
                    onChange: (sort, order) => url.set({ sort, order }),
                  }}
                />
              )}
              <Paging
                text={`${page.items.length} of ${total(
                  page.totalItems,
                  page.fleet.partial,
                  'service',
                )}`}
                page={url.page.number}
                onFirst={url.page.first}
                onPrevious={url.page.previous}
                onNext={
                  page.nextCursor
                    ? () => url.page.next(page.nextCursor!)
                    : undefined
                }
              />
            </Panel>
          </>
        )}
      </LiveContent>
    </Content>
  );
};

type ServiceFacetOptions = Array<{ value: string; count: number }>;

function NoServices(props: { filtered: boolean; partial: boolean }) {
  if (props.filtered) {
    return (
      <EmptyState level={3} title="No service takes all of these filters">
        Take one away, or search for a part of the name only.
      </EmptyState>
    );
  }
  return (
    <EmptyState level={3} title="No service is known yet">
      <p>
        {props.partial
          ? 'Some clusters have not answered yet, so there may well be services: see above.'
          : 'The clusters that are watched hold no Service that belongs to an application.'}
      </p>
      <p>
        A service is the Kubernetes Services of one namespace and name in all
        clusters that are linked with each other. System services, and those
        that a mesh has written itself, are left out.
      </p>
    </EmptyState>
  );
}
