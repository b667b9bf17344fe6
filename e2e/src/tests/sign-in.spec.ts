import { expect, test } from '../fixtures';

test('a guest gets in and sees the catalog @smoke', async ({ portal }) => {
  await portal.signIn();

  await expect(
    portal.page.getByRole('heading', { name: 'Tidemark Catalog' }),
  ).toBeVisible();
  await expect(
    portal.page.getByRole('link', { name: 'Orders', exact: true }),
  ).toBeVisible();
});

test('a named user gets in, owns what the team owns, and stays signed in', async ({
  portal,
}) => {
  const { page } = portal;
  await portal.signIn(/Anna Lindqvist/);

  await expect(
    page.getByRole('heading', { name: /Owned components/i }).first(),
  ).toBeVisible();
  await expect(
    page.getByRole('link', { name: 'Orders', exact: true }),
  ).toBeVisible();

  await portal.open('/settings');
  await expect(page.getByText(/Anna Lindqvist/).first()).toBeVisible();
});

test('signing out leads back to the choice', async ({ portal }) => {
  const { page } = portal;
  await portal.signIn(/Marek Nowak/);

  await portal.open('/settings');
  await page.getByTestId('user-settings-menu').click();
  await page.getByText('Sign Out').click();

  await expect(
    page.getByRole('button', { name: 'Enter as guest' }),
  ).toBeVisible();
});

test('the backend takes no user that is not listed', async ({ request }) => {
  const answer = await request.get('/api/auth/demo/refresh', {
    headers: { 'x-mesh-demo-user': 'user:default/root' },
  });

  expect(answer.status()).toBe(401);
});

test('nobody reads the fleet without signing in', async ({ request }) => {
  for (const path of ['clusters', 'services', 'findings']) {
    const answer = await request.get(`/api/mesh/v1/${path}`);
    expect(answer.status(), path).toBe(401);
  }
});
