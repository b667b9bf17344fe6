import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import {
  emptyFleet,
  fullFleet,
  mockMeshApi,
} from '../__testUtils__/mockMeshApi';
import { mockSignals, renderMesh } from '../__testUtils__/renderMesh';

jest.setTimeout(120_000);
const patience = { timeout: 30_000 };
const table = () => screen.findByRole('table', { name: 'Findings' }, patience);

describe('the findings page', () => {
  it('opens a finding in place with the keyboard, and keeps it open when the data is refreshed', async () => {
    const signals = mockSignals();
    const listFindings = jest.fn(mockMeshApi().listFindings);
    renderMesh('/mesh/findings', {
      api: mockMeshApi(fullFleet, { listFindings }),
      signals,
    });
    const button = within(await table()).getByRole('button', {
      name: 'Details of Port names differ between clusters, checkout/cart',
    });
    expect(button).toHaveAttribute('aria-expanded', 'false');
    button.focus();
    await userEvent.keyboard('{Enter}');
    expect(button).toHaveAttribute('aria-expanded', 'true');
    const details = document.getElementById(
      button.getAttribute('aria-controls')!,
    )!;
    expect(details).toHaveTextContent('Callers treat the endpoints');
    expect(details).toHaveTextContent('the owner of the service');
    expect(details).toHaveTextContent('KIA0601');
    expect(details).toHaveTextContent(
      'Service checkout/cart in prod-us-east: spec.ports[0].name = tcp-cart',
    );
    expect(
      within(details).getByRole('button', { name: 'Copy the fix' }),
    ).toBeInTheDocument();

    const before = listFindings.mock.calls.length;
    signals.send('findings');
    await waitFor(
      () => expect(listFindings.mock.calls.length).toBeGreaterThan(before),
      patience,
    );
    expect(button).toBeInTheDocument();
    expect(button).toHaveAttribute('aria-expanded', 'true');
  });

  it('shows the worst first, and open ones only until asked', async () => {
    const { address } = renderMesh('/mesh/findings', { api: mockMeshApi() });
    const shown = await table();
    expect(within(shown).getAllByRole('row')[1]).toHaveTextContent('Error');
    expect(within(shown).queryByText('Resolved')).not.toBeInTheDocument();
    await userEvent.click(
      screen.getByRole('checkbox', { name: 'Resolved too' }),
    );
    expect(
      await within(await table()).findByText('Resolved', {}, patience),
    ).toBeInTheDocument();
    expect(address()).toBe('/mesh/findings?state=all');
  });

  it('filters by rule, with the number of each', async () => {
    const { address } = renderMesh('/mesh/findings', { api: mockMeshApi() });
    await table();
    await userEvent.click(
      within(screen.getByRole('search')).getByRole('button', { name: 'Rule' }),
    );
    await userEvent.click(
      await screen.findByRole('checkbox', { name: /Service has no owner.*1/ }),
    );
    await waitFor(
      () => expect(address()).toBe('/mesh/findings?rule=ServiceUnowned'),
      patience,
    );
  });

  it('says that nothing is wrong only where it knows', async () => {
    renderMesh('/mesh/findings', { api: mockMeshApi(emptyFleet) });
    expect(
      await screen.findByText('Nothing to mend', {}, patience),
    ).toBeInTheDocument();
  });

  it('says that nothing is known where clusters are missing', async () => {
    renderMesh('/mesh/findings', {
      api: mockMeshApi({ ...fullFleet, findings: [] }),
    });
    expect(
      await screen.findByText('No finding is known', {}, patience),
    ).toBeInTheDocument();
  });
});
