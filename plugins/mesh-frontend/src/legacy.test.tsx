import { FlatRoutes } from '@backstage/core-app-api';
import { renderInTestApp, TestApiProvider } from '@backstage/test-utils';
import { entityRouteRef } from '@backstage/plugin-catalog-react';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Route } from 'react-router-dom';
import { MeshPage, meshApiRef } from './legacy';
import { mockMeshApi } from './__testUtils__/mockMeshApi';

jest.setTimeout(120_000);
const patience = { timeout: 30_000 };

describe('the plugin in the old frontend system', () => {
  it('leads from the overview to a service', async () => {
    await renderInTestApp(
      <TestApiProvider apis={[[meshApiRef, mockMeshApi()]]}>
        <FlatRoutes>
          <Route path="/mesh" element={<MeshPage />} />
        </FlatRoutes>
      </TestApiProvider>,
      {
        routeEntries: ['/mesh'],
        mountedRoutes: {
          '/catalog/:namespace/:kind/:name': entityRouteRef,
        },
      },
    );
    expect(
      await screen.findByText('Clusters at a glance', {}, patience),
    ).toBeInTheDocument();
    await userEvent.click(screen.getByRole('tab', { name: 'Services' }));
    const table = await screen.findByRole(
      'table',
      { name: 'Services' },
      patience,
    );
    await userEvent.click(
      within(table).getAllByRole('link', { name: 'cart' })[0],
    );
    expect(
      await screen.findByText('Where it runs', {}, patience),
    ).toBeInTheDocument();
    expect(
      screen.getByRole('heading', { name: 'checkout/cart' }),
    ).toBeInTheDocument();
  });
});
