/* The rules for test files do not fit the function that declares tests. */
/* eslint-disable jest/no-export, jest/valid-title, jest/valid-describe-callback, jest/no-disabled-tests, jest/expect-expect */

/**
 * Declares tests that need real control planes.
 *
 * They run where `MESH_REAL_BIN` names the folder of programs. Without it they
 * are skipped, or fail where `MESH_REAL_REQUIRED=1` says that they must run.
 * Only for test files: it uses Jest's globals.
 *
 * @public
 */
export function describeReal(name: string, tests: () => void): void {
  if (process.env.MESH_REAL_BIN) {
    describe(name, tests);
  } else if (process.env.MESH_REAL_REQUIRED === '1') {
    describe(name, () => {
      it('needs the programs of a real control plane', () => {
        throw new Error(
          'MESH_REAL_REQUIRED is set, but MESH_REAL_BIN does not name the folder of programs (docs/real-fleet.md says how to build them)',
        );
      });
    });
  } else {
    describe.skip(name, tests);
  }
}
