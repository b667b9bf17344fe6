import { mockApis, renderInTestApp } from '@backstage/frontend-test-utils';
import {
  EntityProvider,
  entityRouteRef,
} from '@backstage/plugin-catalog-react';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { MeshApi, meshApiRef } from '../api';
import { cart, search } from '../__testUtils__/fleet';
import { fullFleet, mockMeshApi } from '../__testUtils__/mockMeshApi';
import { renderMesh } from '../__testUtils__/renderMesh';
import { EntityMeshCard } from './EntityMeshCard';
import { EntityMeshContent } from './EntityMeshContent';

jest.setTimeout(120_000);
const patience = { timeout: 30_000 };

describe('the page of a service', () => {
  it('tells what is asked for from what is, what is linked, and what else has the name', async () => {
    renderMesh('/mesh/services/shop-mesh/checkout/cart', {
      api: mockMeshApi(),
    });
    const workloads = await screen.findByRole(
      'table',
      { name: 'Workloads' },
      patience,
    );
    const [, europe, america, staging] = within(workloads).getAllByRole('row');
    expect(europe).toHaveTextContent('tag stable → 1-29-0');
    expect(europe).toHaveTextContent('Part of the pods run another revision');
    expect(america).toHaveTextContent('Not the revision asked for');
    expect(staging).toHaveTextContent('Ambient: not enrolled');
    expect(staging).toHaveTextContent('unknown: no permission to read it');

    const instances = screen.getByRole('table', {
      name: 'Instances',
    });
    expect(instances).toHaveTextContent('Stub');
    expect(instances).toHaveTextContent('http-cart 8080 → http (TCP, http)');
    expect(instances).toHaveTextContent(
      'checkout/waypoint: not ready – its Gateway is not programmed',
    );

    const links = screen.getByRole('table', { name: 'Links between clusters' });
    expect(within(links).getAllByRole('row')).toHaveLength(6);
    expect(links).toHaveTextContent(
      'Broken – the remote secret is refused with 401',
    );
    expect(
      screen.getByRole('img', { name: /4 clusters and 5 links/ }),
    ).toBeInTheDocument();
    expect(
      screen.getByRole('link', { name: 'checkout/cart in edge-mesh' }),
    ).toHaveAttribute('href', '/mesh/services/edge-mesh/checkout/cart');
  });

  it('tells the links of forty clusters in groups, and names the exceptions', async () => {
    renderMesh('/mesh/services/shop-mesh/identity/sessions', {
      api: mockMeshApi(),
    });
    const links = await screen.findByRole(
      'table',
      { name: 'Links between clusters' },
      patience,
    );
    const [, unknown, most, one] = within(links).getAllByRole('row');
    expect(unknown).toHaveTextContent(
      /region-31all others.*remote secrets may not be read there/,
    );
    expect(most).toHaveTextContent(
      'all 40 clusters but region-07, region-31all 40 clusters',
    );
    expect(one).toHaveTextContent('region-07all others but region-12');
    const picture = screen.getByRole('img', {
      name: /40 clusters in 4 boxes, .* 11 arrows/,
    });
    expect(picture).toHaveTextContent('region-01 +36');
    expect(picture).toHaveTextContent('all reach each other');
    expect(screen.getByText(/^region-01 \+36:/)).toHaveTextContent(
      'all 40 clusters but region-07, region-12, region-31',
    );
  });

  it('has its headings in order', async () => {
    renderMesh('/mesh/services/shop-mesh/checkout/cart', {
      api: mockMeshApi(),
    });
    await screen.findByText('Where it runs', {}, patience);
    const levels = screen
      .getAllByRole('heading')
      .map(({ tagName }) => Number(tagName[1]));
    const steps = levels.slice(1).map((level, index) => level - levels[index]);
    expect(Math.max(...steps)).toBeLessThanOrEqual(1);
  });

  it('says that there is no such service', async () => {
    renderMesh('/mesh/services/shop-mesh/checkout/crat', {
      api: mockMeshApi(),
    });
    expect(
      await screen.findByText(
        /There is no service checkout\/crat/,
        {},
        patience,
      ),
    ).toBeInTheDocument();
  });
});

const entity = (annotations?: Record<string, string>) => ({
  apiVersion: 'backstage.io/v1alpha1',
  kind: 'Component',
  metadata: { name: 'cart', annotations },
});

function renderEntity(
  element: JSX.Element,
  api: Partial<MeshApi>,
  annotations: Record<string, string> | undefined = {
    'backstage.io/kubernetes-id': 'cart',
  },
) {
  return renderInTestApp(
    <EntityProvider entity={entity(annotations)}>{element}</EntityProvider>,
    {
      apis: [[meshApiRef, mockMeshApi(fullFleet, api)], mockApis.identity()],
      mountedRoutes: { '/catalog/:namespace/:kind/:name': entityRouteRef },
    },
  );
}

describe('the Mesh tab of a component', () => {
  it('shows its service, even where the page of the plugin is switched off', async () => {
    renderEntity(<EntityMeshContent />, {});
    expect(
      await screen.findByText('Where it runs', {}, patience),
    ).toBeInTheDocument();
    expect(screen.queryByRole('link', { name: 'prod-eu-west' })).toBeNull();
  });

  it('shows several services as tabs', async () => {
    renderEntity(<EntityMeshContent />, {
      getEntityServices: async () => ({ items: [cart, search], messages: [] }),
    });
    const tab = await screen.findByRole(
      'tab',
      { name: 'catalog/search' },
      patience,
    );
    expect(screen.getByRole('tab', { name: 'checkout/cart' })).toHaveAttribute(
      'aria-selected',
      'true',
    );
    await userEvent.click(tab);
    expect(tab).toHaveAttribute('aria-selected', 'true');
    expect(
      await screen.findByText(/This service runs in one cluster only/),
    ).toBeInTheDocument();
    expect(screen.getByRole('tabpanel')).toHaveAccessibleName('catalog/search');
  });

  it('says which annotation matches nothing, and still shows the others', async () => {
    renderEntity(<EntityMeshContent />, {
      getEntityServices: async () => ({
        items: [search],
        messages: [
          {
            level: 'warning',
            annotation: 'mesh.backstage.io/services',
            text: 'No Service checkout/cart-v2 is known in any cluster.',
          },
        ],
      }),
    });
    expect(
      await screen.findByText(/No Service checkout\/cart-v2/, {}, patience),
    ).toBeInTheDocument();
    expect(screen.getByText('Where it runs')).toBeInTheDocument();
  });

  it.each([
    [
      'that none matches',
      { 'backstage.io/kubernetes-id': 'cart' },
      'No service matches the annotations of this component',
    ],
    [
      'that there are none',
      {},
      'This component does not say which services are its own',
    ],
  ])('teaches the annotations, saying %s', async (_, annotations, title) => {
    renderEntity(
      <EntityMeshContent />,
      { getEntityServices: async () => ({ items: [], messages: [] }) },
      annotations as Record<string, string>,
    );
    expect(await screen.findByText(title, {}, patience)).toBeInTheDocument();
    expect(
      screen.getByText(/mesh.backstage.io\/services: my-namespace\/cart/),
    ).toBeInTheDocument();
  });
});

describe('the card of a component', () => {
  it('sums up its services', async () => {
    renderEntity(<EntityMeshCard />, {});
    expect(
      await screen.findByText(
        '7 of 9 endpoints ready',
        { exact: false },
        patience,
      ),
    ).toBeInTheDocument();
    expect(screen.getByText('1 error')).toBeInTheDocument();
    expect(screen.getByText(/in 4 clusters/)).toBeInTheDocument();
  });
});
