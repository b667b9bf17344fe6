import type {
  ServiceDetail,
  ServiceLink,
} from '@mesh-for-backstage/plugin-mesh-common';
import {
  ClusterLinkName,
  Column,
  DataTable,
  State,
  linkStates,
  mechanisms,
} from '../ui';
import { LinkPicture } from './LinkPicture';

const columns: Column<ServiceLink>[] = [
  {
    id: 'from',
    header: 'From',
    cell: ({ from }) => <ClusterLinkName name={from} />,
  },
  { id: 'to', header: 'To', cell: ({ to }) => <ClusterLinkName name={to} /> },
  {
    id: 'state',
    header: 'State',
    cell: ({ state, reason }) => {
      const { tone, label, means } = linkStates[state];
      return <State tone={tone} label={label} reason={reason ?? means} />;
    },
  },
  {
    id: 'mechanism',
    header: 'By',
    hideBelow: 'sm',
    cell: ({ mechanism }) => mechanisms[mechanism],
  },
];

/** The links between the clusters of a service: a picture, and the same as a table. */
export const Links = (props: { service: ServiceDetail }) => {
  const { service } = props;
  const clusters = [
    ...new Set([
      ...service.instances.map(({ cluster }) => cluster),
      ...service.links.flatMap(({ from, to }) => [from, to]),
    ]),
  ].sort();
  if (service.links.length === 0) {
    return clusters.length > 1 ? (
      <>
        No link is known between {clusters.join(', ')}: callers in one do not
        reach the endpoints of the other.
      </>
    ) : (
      <>
        This service runs in one cluster only. Where its clusters are linked –
        by Istio remote secrets, Multicluster Services, Cilium global services
        or Linkerd mirrors – the links show here.
      </>
    );
  }
  return (
    <>
      <LinkPicture
        clusters={clusters.map(name => ({
          name,
          instance: service.instances.find(({ cluster }) => cluster === name),
        }))}
        links={service.links}
      />
      <DataTable
        label="Links between clusters"
        columns={columns}
        rows={service.links}
        rowKey={({ from, to, mechanism }) => `${from} ${to} ${mechanism}`}
      />
    </>
  );
};
