import { screen, within } from '@testing-library/react';
import { clusters } from '../__testUtils__/fleet';
import {
  emptyFleet,
  fullFleet,
  mockMeshApi,
  responseError,
} from '../__testUtils__/mockMeshApi';
import { renderMesh } from '../__testUtils__/renderMesh';

jest.setTimeout(120_000);
const patience = { timeout: 30_000 };

describe('the overview', () => {
  it('says how the fleet is: clusters worst first, totals as lower bounds, what presses', async () => {
    renderMesh('/mesh/overview', { api: mockMeshApi() });
    const [first] = await screen.findAllByRole(
      'article',
      {
        name: /^Cluster/,
      },
      patience,
    );
    expect(first).toHaveAccessibleName('Cluster edge-fra');
    expect(first).toHaveTextContent('Unreachable for 4 h');
    expect(first).toHaveTextContent('updated 4 h ago');
    expect(first).toHaveTextContent('0 of 34 kinds – 34 unreachable');
    expect(
      await screen.findByRole('link', { name: 'at least 4 services' }),
    ).toHaveAttribute('href', '/mesh/services');
    const pressing = screen.getByRole('region', { name: 'Most pressing' });
    expect(
      await within(pressing).findByText(/Port names differ/, {}, patience),
    ).toBeInTheDocument();
    const changed = screen.getByRole('region', {
      name: 'What changed recently',
    });
    expect(
      await within(changed).findByText(/Resolved/, {}, patience),
    ).toBeInTheDocument();
  });

  it('marks a count that is not known, and says why', async () => {
    renderMesh('/mesh/overview', { api: mockMeshApi() });
    const staging = await screen.findByRole(
      'article',
      { name: 'Cluster staging' },
      patience,
    );
    expect(
      within(staging).getByTitle('unknown: no permission to read it'),
    ).toHaveTextContent('?');
  });

  it('shows the clusters although the services may not be seen', async () => {
    const error = await responseError(403, 'NotAllowedError', 'not you');
    renderMesh('/mesh/overview', {
      api: mockMeshApi(fullFleet, {
        getServiceFacets: () => Promise.reject(error),
      }),
    });
    expect(
      await screen.findByRole('article', { name: 'Cluster staging' }, patience),
    ).toBeInTheDocument();
    expect(
      (await screen.findAllByText('You may not see the services')).length,
    ).toBeGreaterThan(0);
  });

  it('teaches where no cluster is watched', async () => {
    renderMesh('/mesh/overview', { api: mockMeshApi(emptyFleet) });
    expect(
      await screen.findByText('No cluster is watched yet', {}, patience),
    ).toBeInTheDocument();
  });

  it('shows only what needs attention of a large fleet', async () => {
    const many = Array.from({ length: 40 }, (_, index) => ({
      ...clusters[0],
      name: `cluster-${index}`,
    }));
    renderMesh('/mesh/overview', {
      api: mockMeshApi({ ...fullFleet, clusters: many }),
    });
    expect(
      await screen.findAllByRole('article', { name: /^Cluster/ }, patience),
    ).toHaveLength(12);
    expect(
      screen.getByRole('link', { name: 'All 40 clusters' }),
    ).toHaveAttribute('href', '/mesh/clusters');
  });
});

describe('the clusters page', () => {
  it('lists the clusters with state, age and coverage', async () => {
    renderMesh('/mesh/clusters', { api: mockMeshApi() });
    const table = await screen.findByRole(
      'table',
      { name: 'Clusters' },
      patience,
    );
    const rows = within(table).getAllByRole('row');
    expect(rows).toHaveLength(6);
    expect(rows[1]).toHaveTextContent('does not answer (connection timed out)');
    expect(rows[2]).toHaveTextContent('31 of 34 kinds – 3 forbidden');
  });
});

describe('the page of a cluster', () => {
  it('spells out the permission that is missing', async () => {
    renderMesh('/mesh/clusters/staging', { api: mockMeshApi() });
    const table = await screen.findByRole(
      'table',
      { name: 'Coverage of staging by kind' },
      patience,
    );
    expect(within(table).getByText('list on nodes')).toBeInTheDocument();
    expect(
      screen.getByRole('button', { name: 'Copy the ClusterRole rules' }),
    ).toBeInTheDocument();
    expect(
      screen.getByText(/resources: \["mutatingwebhookconfigurations"\]/),
    ).toBeInTheDocument();
  });

  it('says that there is no such cluster', async () => {
    renderMesh('/mesh/clusters/atlantis', { api: mockMeshApi() });
    expect(
      await screen.findByText('There is no cluster "atlantis".', {}, patience),
    ).toBeInTheDocument();
  });
});
