import { apiServerContract } from '@mesh-for-backstage/fleet-simulator';
import { startControlPlane } from './ControlPlane';
import { describeReal } from './testing';

jest.setTimeout(300_000);

describeReal('the same contract as the simulator', () => {
  apiServerContract('a real API server', async () => {
    const plane = await startControlPlane({ name: 'contract' });
    return {
      url: plane.url,
      caData: plane.caData,
      adminToken: plane.token('admin'),
      readerToken: plane.token('reader'),
      readerUser: 'reader',
      grantReader: rules => plane.setPermissions('reader', rules),
      compact: () => plane.expireHistory(),
      stop: () => plane.stop(),
    };
  });
});
