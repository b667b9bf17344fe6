import { readFile } from 'node:fs/promises';
import { expect, test } from '../fixtures';

test.beforeEach(async ({ portal }) => {
  await portal.signIn();
});

test('filters live in the address, and the back button takes them back @smoke', async ({
  portal,
}) => {
  const { page } = portal;
  await portal.open('/mesh/services');
  const services = page.getByRole('table', { name: 'Services' });
  await expect(
    services.getByRole('link', { name: 'cart' }).first(),
  ).toBeVisible();

  await page
    .getByRole('search')
    .getByRole('button', { name: 'Cluster', exact: true })
    .click();
  await page.getByRole('checkbox', { name: /^staging/ }).check();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/cluster=staging/);
  await expect(
    page.getByRole('button', { name: 'Remove filter Cluster: staging' }),
  ).toBeVisible();
  await expect(services.getByRole('link', { name: 'eu-west' })).toHaveCount(0);

  await page
    .getByRole('search')
    .getByRole('button', { name: 'Namespace', exact: true })
    .click();
  await page.getByRole('checkbox', { name: /^payments/ }).check();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/namespace=payments/);

  await page.goBack();
  await expect(page).not.toHaveURL(/namespace=/);
  await expect(page).toHaveURL(/cluster=staging/);
  await page.goBack();
  await expect(page).not.toHaveURL(/cluster=/);
  await expect(
    services.getByRole('link', { name: 'eu-west' }).first(),
  ).toBeVisible();
});

test('an address with filters opens on the same rows', async ({ portal }) => {
  const { page } = portal;
  await portal.open('/mesh/services?namespace=payments&search=fraud');

  await expect(
    page.getByRole('searchbox', { name: 'Search name or namespace' }),
  ).toHaveValue('fraud');
  const rows = page
    .getByRole('table', { name: 'Services' })
    .getByRole('rowheader');
  await expect(rows.first()).toContainText('fraud');
  for (const text of await rows.allTextContents()) {
    expect(text).toContain('fraud');
  }
});

test('a search that nothing takes says so, and can be cleared', async ({
  portal,
}) => {
  const { page } = portal;
  await portal.open('/mesh/services');
  const search = page.getByRole('searchbox', {
    name: 'Search name or namespace',
  });
  await search.fill('no-such-service');
  await expect(
    page.getByText('No service takes all of these filters'),
  ).toBeVisible();

  await search.fill('');
  await expect(page.getByRole('table', { name: 'Services' })).toBeVisible();
});

test('pages go forth and back, and the rows differ', async ({ portal }) => {
  const { page } = portal;
  await portal.open('/mesh/services');
  const names = page
    .getByRole('table', { name: 'Services' })
    .getByRole('rowheader');
  await expect(names.first()).toBeVisible();
  const first = await names.allTextContents();

  await page.getByRole('button', { name: 'Next' }).click();
  await expect(
    page.getByRole('status').filter({ hasText: 'page 2' }),
  ).toBeVisible();
  await expect(names.first()).not.toHaveText(first[0]);

  await page.getByRole('button', { name: 'Previous' }).click();
  await expect(names.first()).toHaveText(first[0]);
});

test('the order is the backend’s, by the header', async ({ portal }) => {
  const { page } = portal;
  await portal.open('/mesh/services');
  await page
    .getByRole('columnheader', { name: 'Findings' })
    .getByRole('button')
    .click();

  await expect(page).toHaveURL(/sort=severity/);
  await expect(
    page.getByRole('table', { name: 'Services' }).getByRole('row').nth(1),
  ).toContainText(/error/);
});

test('CSV holds all rows of the filter, not the page alone', async ({
  portal,
}) => {
  const { page } = portal;
  await portal.open('/mesh/services?cluster=eu-west');
  const heading = page.getByRole('heading', { name: /\d+ services/ });
  await expect(heading).toBeVisible();
  const total = Number((await heading.textContent())!.match(/\d+/)![0]);

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const file = await (await download).path();
  const lines = (await readFile(file, 'utf8')).trim().split(/\r?\n/);

  expect(lines[0]).toMatch(/namespace/);
  expect(lines.length - 1).toBe(total);
});
