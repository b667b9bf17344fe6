import type {
  ServiceDetail,
  ServiceInstance,
  ServiceLinks,
} from '@mesh-for-backstage/plugin-mesh-common';
import {
  Column,
  DataTable,
  State,
  isUnknown,
  linkStates,
  mechanisms,
  roles,
} from '../ui';
import { ClusterSetName } from './ClusterSetName';
import { LinkPicture, Node, labelOf } from './LinkPicture';
import {
  Alike,
  LinkState,
  arrows,
  linkedAlike,
  oneByOne,
  worstLinks,
} from './linkedAlike';

/** More boxes than this make a picture that nobody can read; the table has them all. */
const mostBoxes = 9;

const among: Record<LinkState, string> = {
  active: 'all reach each other',
  broken: 'broken among them',
  suppressed: 'switched off among them',
  unknown: 'unknown among them',
};

function columnsFor(clusters: string[]): Column<ServiceLinks>[] {
  return [
    {
      id: 'from',
      header: 'From',
      cell: ({ from }) => <ClusterSetName names={from} of={clusters} />,
    },
    { id: 'to', header: 'To', cell: row => <Target {...row} of={clusters} /> },
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
}

/** Nobody is linked to itself: a cluster alone reaches `all others` at most, and clusters among themselves `each other`. */
function Target(props: ServiceLinks & { of: string[] }) {
  const { from, to, of } = props;
  if (from.length > 1 && from.join() === to.join()) return <>each other</>;
  const [only] = from;
  return from.length === 1 ? (
    <ClusterSetName
      names={to}
      of={of.filter(name => name !== only)}
      all="all others"
    />
  ) : (
    <ClusterSetName names={to} of={of} />
  );
}

/** The links between the clusters of a service: a picture, and the same as a table. */
export const Links = (props: { service: ServiceDetail }) => {
  const { links, instances } = props.service;
  const clusters = [
    ...new Set([
      ...instances.map(({ cluster }) => cluster),
      ...links.flatMap(({ from, to }) => [...from, ...to]),
    ]),
  ].sort();
  if (links.length === 0) {
    return clusters.length > 1 ? (
      <>
        No link is known between <ClusterSetName names={clusters} />: callers in
        one do not reach the endpoints of the other.
      </>
    ) : (
      <>
        This service runs in one cluster only. Where its clusters are linked –
        by Istio remote secrets, Multicluster Services, Cilium global services
        or Linkerd mirrors – the links show here.
      </>
    );
  }
  const boxes =
    clusters.length <= mostBoxes
      ? oneByOne(clusters)
      : linkedAlike(clusters, links);
  const drawn = arrows(boxes, links);
  const instanceIn = new Map(instances.map(one => [one.cluster, one]));
  return (
    <>
      {boxes.length <= mostBoxes && (
        <LinkPicture
          nodes={boxes.map(box => toNode(box, instanceIn))}
          arrows={drawn}
          means={
            boxes.length === clusters.length
              ? `${clusters.length} clusters and ${drawn.length} links between them; the table that follows lists the links.`
              : `${clusters.length} clusters in ${boxes.length} boxes, those that are linked alike in one, and ${drawn.length} arrows between them; the table that follows lists the links.`
          }
        />
      )}
      {boxes.length <= mostBoxes &&
        boxes
          .filter(box => box.clusters.length > 1)
          .map(box => (
            <div key={box.clusters[0]}>
              {labelOf(toNode(box, instanceIn))}:{' '}
              <ClusterSetName names={box.clusters} of={clusters} />
            </div>
          ))}
      <DataTable
        label="Links between clusters"
        columns={columnsFor(clusters)}
        rows={[...links].sort(
          (a, b) => worstLinks.indexOf(a.state) - worstLinks.indexOf(b.state),
        )}
        rowKey={({ from, to, mechanism, state }) =>
          `${from} ${to} ${mechanism} ${state}`
        }
      />
    </>
  );
};

function toNode(
  box: Alike,
  instanceIn: ReadonlyMap<string, ServiceInstance>,
): Node {
  const [first] = box.clusters;
  return {
    name: first,
    more: box.clusters.length - 1,
    note:
      box.clusters.length === 1
        ? noteOf(instanceIn.get(first))
        : (box.among && among[box.among]) ?? 'no links among them',
  };
}

function noteOf(instance?: ServiceInstance): string {
  if (!instance) return 'no Service here';
  const { role, endpoints } = instance;
  const ready = isUnknown(endpoints)
    ? 'endpoints unknown'
    : `${endpoints.ready} of ${endpoints.total} ready`;
  return role === 'backend' ? ready : `${roles[role].label}, ${ready}`;
}
