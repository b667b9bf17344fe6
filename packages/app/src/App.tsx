import { createApp } from '@backstage/frontend-defaults';
import catalogPlugin from '@backstage/plugin-catalog/alpha';
import { navModule } from './nav';
import { signInModule } from './signIn';

// The other plugins are found by `app.packages: all` in app-config.yaml.
export default createApp({
  features: [catalogPlugin, navModule, signInModule],
});
