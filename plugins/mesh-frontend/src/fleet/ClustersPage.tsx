import { useState } from 'react';
import { Content } from '@backstage/core-components';
import { useApi } from '@backstage/core-plugin-api';
import type { ClusterSummary } from '@mesh-for-backstage/plugin-mesh-common';
import { meshApiRef } from '../api';
import { useLive } from '../live/useLive';
import {
  ClusterLinkName,
  Column,
  DataTable,
  FactValue,
  FilterBar,
  LiveContent,
  Panel,
  SearchField,
  SeverityCountsLabel,
  plural,
} from '../ui';
import { ClusterAge, ClusterStateLabel } from './ClusterState';
import { NoClusters } from './NoClusters';
import { Versions } from './Versions';
import { coverageText } from './coverage';
import { worstFirst } from './order';
import { secondName } from './secondName';

const columns: Column<ClusterSummary>[] = [
  {
    id: 'name',
    header: 'Cluster',
    cell: cluster => (
      <>
        <ClusterLinkName name={cluster.name} text={cluster.title} />
        <div>{secondName(cluster)}</div>
      </>
    ),
  },
  {
    id: 'state',
    header: 'State',
    cell: cluster => <ClusterStateLabel cluster={cluster} />,
  },
  {
    id: 'age',
    header: 'Data',
    hideBelow: 'sm',
    cell: cluster => <ClusterAge cluster={cluster} />,
  },
  {
    id: 'versions',
    header: 'Versions',
    hideBelow: 'md',
    cell: ({ versions }) => <Versions versions={versions} />,
  },
  {
    id: 'services',
    header: 'Services',
    align: 'right',
    cell: ({ counts }) => <FactValue fact={counts.services} />,
  },
  {
    id: 'workloads',
    header: 'Workloads',
    align: 'right',
    hideBelow: 'md',
    cell: ({ counts }) => <FactValue fact={counts.workloads} />,
  },
  {
    id: 'coverage',
    header: 'Coverage',
    hideBelow: 'sm',
    cell: ({ coverage }) => coverageText(coverage),
  },
  {
    id: 'findings',
    header: 'Findings',
    hideBelow: 'sm',
    cell: ({ findings, partial }) =>
      findings && <SeverityCountsLabel counts={findings} partial={partial} />,
  },
];

/** All clusters, those that need a person first. */
export const ClustersPage = () => {
  const api = useApi(meshApiRef);
  const live = useLive('clusters', () => api.listClusters(), ['clusters']);
  const [search, setSearch] = useState('');
  return (
    <Content>
      <LiveContent live={live} what="the clusters" lines={8}>
        {({ items }) => {
          if (items.length === 0) return <NoClusters />;
          const wanted = search.toLocaleLowerCase('en');
          const shown = worstFirst(items).filter(
            ({ name, title, environment }) =>
              [name, title, environment].some(text =>
                text?.toLocaleLowerCase('en').includes(wanted),
              ),
          );
          return (
            <Panel title={plural(items.length, 'cluster')}>
              {items.length > 10 && (
                <FilterBar>
                  <SearchField
                    label="Find a cluster"
                    value={search}
                    onChange={setSearch}
                    delay={100}
                  />
                </FilterBar>
              )}
              <DataTable
                label="Clusters"
                columns={columns}
                rows={shown}
                rowKey={({ name }) => name}
              />
            </Panel>
          );
        }}
      </LiveContent>
    </Content>
  );
};
