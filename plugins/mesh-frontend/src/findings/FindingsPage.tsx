import { Content } from '@backstage/core-components';
import { useApi } from '@backstage/core-plugin-api';
import FormControlLabel from '@material-ui/core/FormControlLabel';
import Switch from '@material-ui/core/Switch';
import type {
  FindingsQuery,
  StoredFinding,
} from '@mesh-for-backstage/plugin-mesh-common';
import { meshApiRef } from '../api';
import { useExpansion } from '../live/useExpansion';
import { useFacets } from '../live/useFacets';
import { useLive } from '../live/useLive';
import { useUrlState } from '../live/useUrlState';
import {
  ActiveFilters,
  Age,
  Column,
  CsvButton,
  DataTable,
  EmptyState,
  FilterBar,
  FilterMenu,
  LiveContent,
  Owner,
  Paging,
  Panel,
  PartialBanner,
  SearchField,
  ServiceLinkName,
  SeverityLabel,
  State,
  severityWord,
  total,
} from '../ui';
import { FindingDetails } from './FindingDetails';

const columns: Column<StoredFinding>[] = [
  {
    id: 'title',
    header: 'Finding',
    sort: 'rule',
    cell: ({ title }) => title,
  },
  {
    id: 'severity',
    header: 'Severity',
    sort: 'severity',
    first: 'desc',
    cell: ({ severity, resolvedAt }) =>
      resolvedAt ? (
        <State
          tone="good"
          label="Resolved"
          reason={severityWord[severity].toLocaleLowerCase('en')}
        />
      ) : (
        <SeverityLabel severity={severity} />
      ),
  },
  {
    id: 'object',
    header: 'Where',
    sort: 'namespace',
    hideBelow: 'sm',
    cell: finding =>
      finding.service ? (
        <ServiceLinkName
          service={finding.service}
          text={`${finding.service.namespace}/${finding.service.name}`}
        />
      ) : (
        <>
          {finding.kind} {finding.namespace && `${finding.namespace}/`}
          {finding.name}
        </>
      ),
  },
  {
    id: 'clusters',
    header: 'Clusters',
    hideBelow: 'sm',
    cell: ({ clusters }) => clusters.join(', '),
  },
  {
    id: 'owner',
    header: 'Owner',
    hideBelow: 'md',
    cell: ({ owner }) => <Owner owner={owner} />,
  },
  {
    id: 'firstSeen',
    header: 'First seen',
    sort: 'firstSeen',
    first: 'desc',
    hideBelow: 'md',
    cell: ({ firstSeen }) => <Age at={firstSeen} />,
  },
  {
    id: 'lastSeen',
    header: 'Last seen',
    sort: 'lastSeen',
    first: 'desc',
    hideBelow: 'lg',
    cell: ({ lastSeen, resolvedAt }) => <Age at={resolvedAt ?? lastSeen} />,
  },
];

const filterNames = {
  rule: 'Rule',
  severity: 'Severity',
  cluster: 'Cluster',
  namespace: 'Namespace',
  owner: 'Owner',
} as const;
type FilterName = keyof typeof filterNames;

/** All findings of the fleet. Every filter is in the address. */
export const FindingsPage = () => {
  const api = useApi(meshApiRef);
  const url = useUrlState();
  const expansion = useExpansion();
  const facets = useFacets();

  const filters = {
    search: url.get('search') || undefined,
    rule: url.all('rule'),
    severity: url.all('severity') as FindingsQuery['severity'],
    cluster: url.all('cluster'),
    namespace: url.all('namespace'),
    owner: url.all('owner'),
    state: (url.get('state') || 'open') as FindingsQuery['state'],
    // Worst first.
    sort: (url.get('sort') || 'severity') as FindingsQuery['sort'],
    order: (url.get('order') || 'desc') as FindingsQuery['order'],
  };
  const live = useLive(
    `findings?${url.key}`,
    () => api.listFindings({ ...filters, cursor: url.page.cursor }),
    ['findings'],
  );
  const withResolved = filters.state !== 'open';
  const ruleTitle = (rule: string) =>
    live.value?.rules.find(one => one.rule === rule)?.title ?? rule;
  const labelOf = (name: FilterName, value: string) => {
    if (name === 'rule') return ruleTitle(value);
    if (name === 'severity')
      return severityWord[value as keyof typeof severityWord] ?? value;
    if (name === 'owner' && value === 'none') return 'no owner';
    return value;
  };
  const active = (Object.keys(filterNames) as FilterName[]).flatMap(name =>
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
      rule: [],
      severity: [],
      cluster: [],
      namespace: [],
      owner: [],
    });
  const menu = (
    name: FilterName,
    options: Parameters<typeof FilterMenu>[0]['options'],
  ) => (
    <FilterMenu
      label={filterNames[name]}
      options={options}
      selected={url.all(name)}
      onChange={selected => url.set({ [name]: selected })}
    />
  );
  return (
    <Content>
      <FilterBar
        end={
          <CsvButton
            fileName="mesh-findings.csv"
            load={() => api.findingsCsv(filters)}
          />
        }
      >
        <SearchField
          label="Search name or namespace"
          value={url.get('search')}
          onChange={search => url.set({ search }, { replace: true })}
        />
        {menu(
          'severity',
          (['error', 'warning', 'info'] as const).map(value => ({
            value,
            label: severityWord[value],
          })),
        )}
        {menu(
          'rule',
          (live.value?.rules ?? []).map(({ rule, title, count }) => ({
            value: rule,
            label: title,
            count,
          })),
        )}
        {menu(
          'cluster',
          facets.clusters.map(({ value }) => ({ value })),
        )}
        {menu(
          'namespace',
          facets.namespaces.map(({ value }) => ({ value })),
        )}
        {menu(
          'owner',
          facets.owners.map(({ value }) => ({
            value,
            label: labelOf('owner', value),
          })),
        )}
        <FormControlLabel
          control={
            <Switch
              color="primary"
              checked={withResolved}
              onChange={() =>
                url.set({ state: withResolved ? undefined : 'all' })
              }
            />
          }
          label="Resolved too"
        />
      </FilterBar>
      <ActiveFilters filters={active} onClear={clear} />
      <LiveContent live={live} what="the findings" lines={10}>
        {page => (
          <>
            <PartialBanner fleet={page.fleet} />
            <Panel
              title={total(page.totalItems, page.fleet.partial, 'finding')}
            >
              {page.items.length === 0 ? (
                <NoFindings
                  filtered={active.length > 0 || url.get('search') !== ''}
                  partial={page.fleet.partial}
                />
              ) : (
                <DataTable
                  label="Findings"
                  columns={columns}
                  rows={page.items}
                  rowKey={({ id }) => id}
                  busy={live.busy}
                  sorting={{
                    by: filters.sort!,
                    order: filters.order!,
                    onChange: (sort, order) => url.set({ sort, order }),
                  }}
                  expansion={{
                    ...expansion,
                    label: ({ title, namespace, name }) =>
                      `${title}, ${namespace ? `${namespace}/` : ''}${name}`,
                    details: finding => (
                      <FindingDetails finding={finding} withService />
                    ),
                  }}
                />
              )}
              <Paging
                text={`${page.items.length} of ${total(
                  page.totalItems,
                  page.fleet.partial,
                  'finding',
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

function NoFindings(props: { filtered: boolean; partial: boolean }) {
  if (props.filtered) {
    return (
      <EmptyState level={3} title="No finding takes all of these filters">
        Take one away, or turn on the resolved ones.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      level={3}
      title={props.partial ? 'No finding is known' : 'Nothing to mend'}
    >
      <p>
        A finding says that something about a service or a cluster is not as it
        is meant to be: where it was read, what follows for traffic, and what to
        do about it. They appear here within seconds of a change.
      </p>
      {props.partial && (
        <p>Some clusters are missing, so that this is not the whole truth.</p>
      )}
    </EmptyState>
  );
}
