import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ServiceRow } from '@mesh-for-backstage/plugin-mesh-common';
import { clusters, rows } from '../__testUtils__/fleet';
import {
  emptyFleet,
  fullFleet,
  mockMeshApi,
  responseError,
} from '../__testUtils__/mockMeshApi';
import { mockSignals, renderMesh } from '../__testUtils__/renderMesh';

jest.setTimeout(120_000);
const patience = { timeout: 30_000 };

const table = () => screen.findByRole('table', { name: 'Services' }, patience);

describe('the services page', () => {
  it('holds the place while it loads', async () => {
    renderMesh('/mesh/services', {
      api: mockMeshApi(fullFleet, {
        listServices: () => new Promise(() => {}),
      }),
    });
    expect(
      await screen.findByText('Loading the services', {}, patience),
    ).toBeInTheDocument();
  });

  it('lists services, says what is not known and why, and which clusters are missing', async () => {
    renderMesh('/mesh/services', { api: mockMeshApi() });
    const shown = await table();
    const edge = within(shown).getAllByRole('row')[2];
    expect(edge).toHaveTextContent('unknown: the cluster does not answer');
    expect(edge).toHaveTextContent('none known');
    expect(within(shown).getAllByRole('row')[1]).toHaveTextContent(
      '7 of 9 (partial)',
    );
    expect(
      screen.getByRole('heading', { name: 'at least 4 services' }),
    ).toBeInTheDocument();
    expect(
      screen.getByText(/2 clusters are missing or old/),
    ).toBeInTheDocument();
    expect(
      within(shown).getByRole('link', { name: 'ledger-export' }),
    ).toHaveAttribute(
      'href',
      '/mesh/services/shop-mesh/payments/ledger-export',
    );
  });

  it('tells services of one name apart by their mesh', async () => {
    renderMesh('/mesh/services', { api: mockMeshApi() });
    const carts = within(await table())
      .getAllByRole('row')
      .filter(row => row.textContent!.includes('cart'));
    expect(carts[0]).toHaveTextContent('in shop-mesh');
    expect(carts[1]).toHaveTextContent('in edge-mesh');
  });

  it('does not repeat the mesh where all services are of one', async () => {
    const ofOneMesh = rows.filter(({ scope }) => scope === 'shop-mesh');
    renderMesh('/mesh/services', {
      api: mockMeshApi({ ...fullFleet, rows: ofOneMesh }),
    });
    expect(await table()).not.toHaveTextContent('in shop-mesh');
  });

  it('says a whole total where no cluster is missing', async () => {
    renderMesh('/mesh/services', {
      api: mockMeshApi({ ...fullFleet, clusters: clusters.slice(0, 3) }),
    });
    await table();
    expect(
      screen.getByRole('heading', { name: '4 services' }),
    ).toBeInTheDocument();
    expect(screen.queryByText('Partial.')).not.toBeInTheDocument();
  });

  it('teaches where there is none', async () => {
    renderMesh('/mesh/services', { api: mockMeshApi(emptyFleet) });
    expect(
      await screen.findByText('No service is known yet', {}, patience),
    ).toBeInTheDocument();
  });

  it('says which permission is missing', async () => {
    const error = await responseError(403, 'NotAllowedError', 'not you');
    renderMesh('/mesh/services', {
      api: mockMeshApi(fullFleet, {
        listServices: () => Promise.reject(error),
      }),
    });
    expect(
      await screen.findByText('You may not see the services', {}, patience),
    ).toBeInTheDocument();
    expect(screen.getByText('mesh.service.read')).toBeInTheDocument();
  });

  it('says what went wrong, and tries again', async () => {
    const error = await responseError(503, 'Error', 'The database is away.');
    const listServices = jest.fn().mockRejectedValue(error);
    const working = mockMeshApi();
    renderMesh('/mesh/services', {
      api: mockMeshApi(fullFleet, { listServices }),
    });
    expect(
      await screen.findByText('The database is away.', {}, patience),
    ).toBeInTheDocument();
    listServices.mockImplementation(query => working.listServices(query));
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await table();
  });

  it('keeps what it shows when a refresh fails, and says that it is old', async () => {
    const signals = mockSignals();
    const working = mockMeshApi();
    const listServices = jest.fn(query => working.listServices(query));
    renderMesh('/mesh/services', {
      api: mockMeshApi(fullFleet, { listServices }),
      signals,
    });
    await table();
    listServices.mockRejectedValue(new Error('connection refused'));
    signals.send('services');
    expect(
      await screen.findByText(/Could not refresh/, {}, patience),
    ).toBeInTheDocument();
    expect(screen.getByRole('table', { name: 'Services' })).toBeInTheDocument();
  });

  it('reads its filters from the address', async () => {
    const listServices = jest.fn(mockMeshApi().listServices);
    renderMesh(
      '/mesh/services?search=cart&cluster=edge-fra&dataplane=unknown&sort=clusters&order=desc',
      { api: mockMeshApi(fullFleet, { listServices }) },
    );
    const shown = await table();
    expect(within(shown).getAllByRole('row')).toHaveLength(2);
    expect(listServices).toHaveBeenCalledWith(
      expect.objectContaining({
        search: 'cart',
        cluster: ['edge-fra'],
        dataplane: ['unknown'],
        sort: 'clusters',
        order: 'desc',
      }),
    );
    expect(
      within(shown).getByRole('columnheader', { name: /Clusters/ }),
    ).toHaveAttribute('aria-sort', 'descending');
    expect(screen.getByLabelText('Search name or namespace')).toHaveValue(
      'cart',
    );
  });

  it('writes its filters into the address, and the back button takes them back', async () => {
    const { address, back } = renderMesh('/mesh/services', {
      api: mockMeshApi(),
    });
    await table();
    await userEvent.click(
      within(screen.getByRole('search')).getByRole('button', {
        name: 'Namespace',
      }),
    );
    await userEvent.click(
      await screen.findByRole('checkbox', { name: /payments/ }),
    );
    await waitFor(
      () => expect(address()).toBe('/mesh/services?namespace=payments'),
      patience,
    );
    await userEvent.keyboard('{Escape}');
    expect(
      await screen.findByRole('button', {
        name: 'Remove filter Namespace: payments',
      }),
    ).toBeInTheDocument();

    await userEvent.type(
      await screen.findByLabelText('Search name or namespace'),
      'nothing-like-it',
    );
    expect(
      await screen.findByText(
        'No service takes all of these filters',
        {},
        patience,
      ),
    ).toBeInTheDocument();
    expect(address()).toContain('search=nothing-like-it');

    back();
    await waitFor(() => expect(address()).toBe('/mesh/services'), patience);
    expect(screen.getByLabelText('Search name or namespace')).toHaveValue('');
  });

  it('sorts by a header, with the keyboard', async () => {
    const { address } = renderMesh('/mesh/services', { api: mockMeshApi() });
    const header = within(await table()).getByRole('button', {
      name: /Findings/,
    });
    header.focus();
    await userEvent.keyboard('{Enter}');
    await waitFor(
      () => expect(address()).toBe('/mesh/services?sort=severity&order=desc'),
      patience,
    );
    await userEvent.click(
      within(await table()).getByRole('button', { name: /Findings/ }),
    );
    await waitFor(
      () => expect(address()).toBe('/mesh/services?sort=severity&order=asc'),
      patience,
    );
  });

  describe('with more than one page', () => {
    const many = Array.from(
      { length: 120 },
      (_, index): ServiceRow => ({
        ...rows[1],
        name: `search-${String(index).padStart(3, '0')}`,
      }),
    );
    const api = mockMeshApi({ ...fullFleet, rows: many });

    it('goes forth and back, by its buttons and the browser’s', async () => {
      const { address, back } = renderMesh('/mesh/services', { api });
      await screen.findByText('search-000', {}, patience);
      await userEvent.click(screen.getByRole('button', { name: 'Next' }));
      await screen.findByText('search-050', {}, patience);
      await userEvent.click(screen.getByRole('button', { name: 'Next' }));
      await screen.findByText('search-100', {}, patience);
      expect(address()).toBe('/mesh/services?cursor=100&page=3');
      expect(screen.getByRole('button', { name: 'Next' })).toBeDisabled();

      await userEvent.click(screen.getByRole('button', { name: 'Previous' }));
      await screen.findByText('search-050', {}, patience);
      expect(address()).toBe('/mesh/services?cursor=50&page=2');

      back();
      await screen.findByText('search-100', {}, patience);
    });

    it('opens in the middle, and leads to the first page from there', async () => {
      const { address } = renderMesh('/mesh/services?cursor=50&page=2', {
        api,
      });
      await screen.findByText('search-050', {}, patience);
      await userEvent.click(screen.getByRole('button', { name: 'First page' }));
      await screen.findByText('search-000', {}, patience);
      expect(address()).not.toContain('cursor');
    });

    it('goes back to the first page when a filter changes', async () => {
      const { address } = renderMesh('/mesh/services?cursor=50&page=2', {
        api,
      });
      await screen.findByText('search-050', {}, patience);
      await userEvent.type(
        screen.getByLabelText('Search name or namespace'),
        '-11',
      );
      await screen.findByText('search-110', {}, patience);
      expect(address()).toBe('/mesh/services?search=-11');
    });
  });

  it('saves all rows of the filters as CSV', async () => {
    const servicesCsv = jest.fn().mockResolvedValue('name\ncart\n');
    const createObjectURL = jest.fn((_: Blob) => 'blob:mesh');
    Object.assign(URL, { createObjectURL, revokeObjectURL: jest.fn() });
    const click = jest
      .spyOn(HTMLAnchorElement.prototype, 'click')
      .mockImplementation(() => {});
    renderMesh('/mesh/services?cluster=staging', {
      api: mockMeshApi(fullFleet, { servicesCsv }),
    });
    await table();
    await userEvent.click(screen.getByRole('button', { name: 'CSV' }));
    await waitFor(() => expect(click).toHaveBeenCalledTimes(1), patience);
    expect(servicesCsv).toHaveBeenCalledWith(
      expect.objectContaining({ cluster: ['staging'] }),
    );
    expect(createObjectURL.mock.calls[0][0].size).toBe(10);
    click.mockRestore();
  });
});
