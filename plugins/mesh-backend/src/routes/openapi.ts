import { resolvePackagePath } from '@backstage/backend-plugin-api';
import type { Router } from 'express';
import { readFileSync } from 'fs';
import { parse } from 'yaml';
import { RouterOptions } from './createRouter';

/** The contract, as plugin-mesh-common ships it. */
export function readContract(): Record<string, any> {
  return parse(
    readFileSync(
      resolvePackagePath(
        '@mesh-for-backstage/plugin-mesh-common',
        'openapi.yaml',
      ),
      'utf8',
    ),
  );
}

export function addOpenApiRoute(
  router: Router,
  { httpAuth }: RouterOptions,
): void {
  const contract = readContract();
  router.get('/openapi.json', async (request, response) => {
    await httpAuth.credentials(request, { allow: ['user', 'service'] });
    response.json(contract);
  });
}
