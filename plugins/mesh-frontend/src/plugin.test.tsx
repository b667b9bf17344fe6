import { screen } from '@testing-library/react';
import { mockMeshApi } from './__testUtils__/mockMeshApi';
import { renderMesh } from './__testUtils__/renderMesh';

jest.setTimeout(60_000);
const patience = { timeout: 30_000 };

describe('the plugin in the new frontend system', () => {
  it('opens the overview at /mesh', async () => {
    renderMesh('/mesh', { api: mockMeshApi() });
    expect(
      await screen.findByText('Clusters at a glance', {}, patience),
    ).toBeInTheDocument();
  });

  it('shows a service at its own address', async () => {
    renderMesh('/mesh/services/shop-mesh/checkout/cart', {
      api: mockMeshApi(),
    });
    expect(
      await screen.findByRole('heading', { name: 'checkout/cart' }, patience),
    ).toBeInTheDocument();
    expect(await screen.findByText('Where it runs')).toBeInTheDocument();
  });
});
