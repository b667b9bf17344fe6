import { startFleet } from '../Fleet';
import { apiServerContract } from './apiServerContract';

apiServerContract('the simulator', async () => {
  const fleet = await startFleet({ clusters: ['east'] });
  const cluster = fleet.cluster('east');
  return {
    url: cluster.url,
    caData: cluster.caData,
    adminToken: cluster.token('admin'),
    readerToken: cluster.token('reader'),
    readerUser: 'reader',
    grantReader: async rules => cluster.setPermissions('reader', rules),
    compact: async () => cluster.compact(),
    stop: () => fleet.stop(),
  };
});
