import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { clusterRoleManifest } from './clusterRole';

/* Writes docs/clusterrole.yaml anew, after the list of watched kinds has changed. Yarn runs it in the package's folder. */
writeFileSync(resolve('../../docs/clusterrole.yaml'), clusterRoleManifest());
