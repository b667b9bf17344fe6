/* The rules for test files do not fit the function that declares tests. */
/* eslint-disable jest/no-export, jest/valid-title, jest/valid-describe-callback, jest/no-disabled-tests, jest/expect-expect */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { KUBEBUILDER_PROGRAMS, Need, NEEDS } from './programs';

/**
 * Declares tests that need real control planes.
 *
 * They run where `MESH_REAL_BIN` names the folder of programs. Without it they
 * are skipped, or fail where `MESH_REAL_REQUIRED=1` says that they must run. The
 * folder of `KUBEBUILDER_ASSETS` holds enough for `api` (the default), but no mesh.
 * Only for test files: it uses Jest's globals.
 *
 * @public
 */
export function describeReal(
  name: string,
  tests: () => void,
  options: { need?: Need } = {},
): void {
  const missing = missingFor(options.need ?? 'api');
  if (missing.length === 0) {
    describe(name, tests);
  } else if (process.env.MESH_REAL_REQUIRED === '1') {
    describe(name, () => {
      it('needs the programs of a real control plane', () => {
        throw new Error(
          `MESH_REAL_REQUIRED is set, but there is no ${missing.join(
            ', ',
          )} in MESH_REAL_BIN (docs/real-fleet.md says how to build them)`,
        );
      });
    });
  } else {
    describe.skip(name, tests);
  }
}

function missingFor(need: Need): string[] {
  const { MESH_REAL_BIN: bin, KUBEBUILDER_ASSETS: assets } = process.env;
  return NEEDS[need].filter(
    program =>
      !bin ||
      !(
        existsSync(join(bin, program)) ||
        (assets &&
          KUBEBUILDER_PROGRAMS.has(program) &&
          existsSync(join(assets, program)))
      ),
  );
}
