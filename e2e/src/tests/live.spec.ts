import { Fleet } from '../Fleet';
import { expect, test } from '../fixtures';

/** From a change in a cluster to the page, on a machine that is busy. */
const SOON = { timeout: 60_000 };

test.beforeEach(async ({ portal }) => {
  await portal.signIn();
});

test('a change in a cluster shows on an open page', async ({ portal }) => {
  const { page } = portal;
  const fleet = Fleet.behindPortal();
  const namespace = '/api/v1/namespaces/reviews';
  const revision = (value: string | null) => ({
    metadata: { labels: { 'istio.io/rev': value } },
  });
  await portal.open('/mesh/findings?namespace=reviews&cluster=eu-west');
  const finding = page.getByRole('row', { name: /Revision is not installed/ });
  await expect(
    page.getByRole('heading', { name: /finding/i }).first(),
  ).toBeVisible();
  await expect(finding).toHaveCount(0);

  await fleet.patch('eu-west', namespace, revision('no-such-revision'));
  try {
    await expect(finding.first()).toBeVisible(SOON);
  } finally {
    await fleet.patch('eu-west', namespace, revision('canary'));
  }
  await expect(finding).toHaveCount(0, SOON);
});

test('a cluster that stops to answer is unreachable, and comes back', async ({
  portal,
}) => {
  const { page } = portal;
  const fleet = Fleet.behindPortal();
  await portal.open('/mesh/clusters');
  const row = page
    .getByRole('table', { name: 'Clusters' })
    .getByRole('row', { name: /Staging/ });
  await expect(row).toContainText('Synced', SOON);
  const services = await row.getByRole('cell').nth(3).textContent();

  await fleet.stop('staging');
  try {
    await expect(row).toContainText('Unreachable', SOON);
    await expect(row.getByRole('cell').nth(3)).toHaveText(services!);
  } finally {
    await fleet.start('staging');
  }
  await expect(row).toContainText('Synced', { timeout: 100_000 });
});
