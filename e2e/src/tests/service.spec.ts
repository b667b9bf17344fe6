import { expect, test } from '../fixtures';

test.beforeEach(async ({ portal }) => {
  await portal.signIn();
});

test('a service shows its instances, links and findings with evidence', async ({
  portal,
}) => {
  const { page } = portal;
  await portal.open('/mesh/services?search=order-api&cluster=eu-west');
  await page
    .getByRole('table', { name: 'Services' })
    .getByRole('link', { name: 'order-api' })
    .click();

  await expect(
    page.getByRole('heading', { name: 'orders/order-api' }),
  ).toBeVisible();
  await expect(
    page
      .getByRole('table', { name: 'Instances' })
      .getByRole('row', { name: /us-east/ }),
  ).toContainText('web 8080');
  await expect(
    page
      .getByRole('table', { name: 'Links between clusters' })
      .getByRole('row')
      .filter({ hasText: 'Istio multicluster' })
      .first(),
  ).toBeVisible();

  const details = page.getByRole('button', {
    name: /Details of Same port number, different port name/,
  });
  await details.click();
  await expect(details).toHaveAttribute('aria-expanded', 'true');
  await expect(page.getByText('What to do')).toBeVisible();
});

test('a homonym of another mesh is kept apart, and linked to', async ({
  portal,
}) => {
  const { page } = portal;
  await portal.open('/mesh/services/tidemark/orders/order-api');

  await page
    .getByRole('link', { name: 'orders/order-api in tidemark-staging' })
    .click();
  await expect(page).toHaveURL(/tidemark-staging\/orders\/order-api/);
  await expect(
    page.getByRole('table', { name: 'Instances' }).getByRole('row'),
  ).toHaveCount(2);
});

test('a service that is not there says so', async ({ portal }) => {
  await portal.open('/mesh/services/tidemark/orders/no-such-service');

  await expect(
    portal.page.getByText(/There is no such thing, or no longer/),
  ).toBeVisible();
});
