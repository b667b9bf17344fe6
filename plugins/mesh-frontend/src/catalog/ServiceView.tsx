import { EntityRefLink, EntityRefLinks } from '@backstage/plugin-catalog-react';
import { makeStyles } from '@material-ui/core/styles';
import type { ServiceDetail } from '@mesh-for-backstage/plugin-mesh-common';
import { FindingList } from '../findings/FindingList';
import { fleetState } from '../fleet/order';
import {
  Age,
  DataplaneName,
  Facts,
  Owner,
  Panel,
  PartialBanner,
  ReadyCount,
  ServiceLinkName,
  plural,
} from '../ui';
import { ClusterSetName } from './ClusterSetName';
import { Instances } from './Instances';
import { Links } from './Links';
import { Workloads } from './Workloads';

const useStyles = makeStyles(theme => ({
  stack: { display: 'grid', gap: theme.spacing(2), minWidth: 0 },
  item: { minWidth: 0 },
}));

/** All that is known of one service: the page of the service, and the body of a component's tab. */
export const ServiceView = (props: { service: ServiceDetail }) => {
  const { service } = props;
  const classes = useStyles();
  return (
    <>
      <PartialBanner
        fleet={{
          partial: service.partial,
          clusters: fleetState(service.clusters).clusters,
        }}
      />
      <div className={classes.stack}>
        <Summary service={service} />
        <div className={classes.item}>
          <Panel
            title={
              service.findings.length === 0
                ? 'Findings'
                : plural(service.findings.length, 'finding')
            }
          >
            <FindingList
              findings={service.findings}
              none={
                service.partial
                  ? 'Nothing is wrong that we know of; some clusters are missing.'
                  : 'Nothing to mend.'
              }
            />
          </Panel>
        </div>
        <div className={classes.item}>
          <Panel
            title="Where it runs"
            note="One row for each Kubernetes Service of this name in the clusters that are linked."
          >
            <Instances service={service} />
          </Panel>
        </div>
        <div className={classes.item}>
          <Panel
            title="Workloads and their proxies"
            note="What the labels ask for, and what the pods run."
          >
            <Workloads service={service} />
          </Panel>
        </div>
        <div className={classes.item}>
          <Panel
            title="Links between clusters"
            note="An arrow means that callers in one cluster can reach the endpoints of the other."
          >
            <Links service={service} />
          </Panel>
        </div>
      </div>
    </>
  );
};

// The owner is named by an entity, or by a label such as `namespace label team`.
const entityRef = /^[a-z]+:[^/\s]+\/\S+$/i;

function Summary(props: { service: ServiceDetail }) {
  const { service } = props;
  const clusters = new Set(service.instances.map(({ cluster }) => cluster));
  return (
    <Panel title="At a glance">
      <Facts
        facts={[
          {
            term: 'Owner',
            value: (
              <>
                <Owner owner={service.owner} />
                {service.ownerBy && (
                  <div>
                    by{' '}
                    {entityRef.test(service.ownerBy) ? (
                      <EntityRefLink entityRef={service.ownerBy} />
                    ) : (
                      service.ownerBy
                    )}
                  </div>
                )}
              </>
            ),
          },
          {
            term: 'Mesh mode',
            value: <DataplaneName fact={service.dataplane} />,
          },
          {
            term: 'Ready endpoints',
            value: (
              <ReadyCount fact={service.endpoints} partial={service.partial} />
            ),
          },
          {
            term: 'Clusters',
            value:
              clusters.size === 0 ? (
                'none'
              ) : (
                <ClusterSetName names={[...clusters]} />
              ),
          },
          service.entities.length > 0 && {
            term: 'In the catalog',
            value: (
              <EntityRefLinks
                entityRefs={service.entities}
                defaultKind="component"
              />
            ),
          },
          { term: 'As of', value: <Age at={service.asOf} /> },
          service.homonyms.length > 0 && {
            term: 'Same name, not linked',
            value: service.homonyms.map((scope, index) => (
              <span key={scope}>
                {index > 0 && ', '}
                <ServiceLinkName
                  service={{ ...service, scope }}
                  text={`${service.namespace}/${service.name} in ${scope}`}
                />
              </span>
            )),
          },
        ]}
      />
    </Panel>
  );
}
