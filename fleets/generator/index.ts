/* Writes fleets/demo from the description in this folder: yarn demo-fleet */
import { join } from 'node:path';
import { addCrds } from './crds';
import { catalogFolder } from './catalog';
import { ClusterFolder } from './ClusterFolder';
import { clusters } from './clusters';
import { addIstio } from './istio';
import { addLinkerd } from './linkerd';
import { addNamespaces } from './namespaces';
import { addSystem } from './system';
import { addTopics } from './topics';

const demo = join(__dirname, '..', 'demo');
const origin =
  'Written by fleets/generator; change it there, then run `yarn demo-fleet`.';

function main() {
  for (const cluster of clusters) {
    const to = new ClusterFolder(cluster);
    addCrds(to);
    addSystem(to);
    if (cluster.istio) addIstio(to);
    if (cluster.linkerd) addLinkerd(to);
    addNamespaces(to);
    addTopics(to);
    to.folder.write(
      join(demo, cluster.name),
      file => `Cluster ${cluster.name}: ${file}. ${origin}`,
    );
  }
  catalogFolder().write(
    join(demo, 'catalog'),
    file => `Software catalog of Tidemark: ${file}. ${origin}`,
  );
}

main();
