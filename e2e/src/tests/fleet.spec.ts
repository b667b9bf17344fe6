import { expect, test } from '../fixtures';

test.beforeEach(async ({ portal }) => {
  await portal.signIn();
});

test('the overview shows every cluster with its state and figures @smoke', async ({
  portal,
}) => {
  const { page } = portal;
  await page.getByRole('link', { name: 'Mesh', exact: true }).click();

  for (const name of [
    'Stores',
    'Virginia',
    'Stockholm',
    'Ireland',
    'Staging',
  ]) {
    await expect(
      page.getByRole('link', { name: new RegExp(`^${name}`) }).first(),
    ).toBeVisible();
  }
  await expect(page.getByText('No permission to list nodes')).toBeVisible();
});

test('the cluster that went away keeps its last data', async ({ portal }) => {
  const { page } = portal;
  await portal.open('/mesh/clusters');
  const row = page
    .getByRole('table', { name: 'Clusters' })
    .getByRole('row', { name: /Stores/ });

  await expect(row).toContainText(/Unreachable/, { timeout: 90_000 });
  await expect(row.getByRole('cell', { name: '8', exact: true })).toBeVisible();

  await portal.open('/mesh/services?cluster=edge');
  await expect(
    page
      .getByRole('table', { name: 'Services' })
      .getByRole('rowheader')
      .first(),
  ).toBeVisible();
});

test('a cluster’s page spells out the permission that is missing', async ({
  portal,
}) => {
  const { page } = portal;
  await portal.open('/mesh/clusters/us-east');

  const row = page.getByRole('row', { name: /^Node / });
  await expect(row).toContainText('Forbidden');
  await expect(row).toContainText('list');
  await expect(page.getByText(/resources: \["nodes"\]/)).toBeVisible();
});

test('a finding opens in place with what to do', async ({ portal }) => {
  const { page } = portal;
  await portal.open('/mesh/findings?severity=error');
  const details = page
    .getByRole('table', { name: 'Findings' })
    .getByRole('button', { name: /^Details of Revision is not installed/ });

  await details.click();
  await expect(details).toHaveAttribute('aria-expanded', 'true');
  await expect(page.getByText('What to do')).toBeVisible();
  await details.click();
  await expect(page.getByText('What to do')).toBeHidden();
});
