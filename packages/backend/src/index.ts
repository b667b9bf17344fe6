import { createBackend } from '@backstage/backend-defaults';

const backend = createBackend();

backend.add(import('@backstage/plugin-app-backend'));

// Sign-in. The guest and the named demo users exist for development alone: in
// production their code is not even loaded. A company adds the module of its
// own identity provider here; see docs/production.md.
backend.add(import('@backstage/plugin-auth-backend'));
if (process.env.NODE_ENV === 'development') {
  backend.add(import('@backstage/plugin-auth-backend-module-guest-provider'));
  backend.add(import('./auth'));
}

backend.add(import('@backstage/plugin-catalog-backend'));

backend.add(import('@backstage/plugin-permission-backend'));
backend.add(import('./permissions'));

backend.add(import('@backstage/plugin-signals-backend'));

backend.add(import('@mesh-for-backstage/plugin-mesh-backend'));

backend.start();
