import { expect, test } from '../fixtures';

test('from the catalog to the Mesh tab of a component @smoke', async ({
  portal,
}) => {
  const { page } = portal;
  await portal.signIn(/Anna Lindqvist/);

  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  await page
    .getByRole('link', { name: 'Mesh', exact: true })
    .and(page.locator('[href$="/order-api/mesh"]'))
    .first()
    .click();
  await page.getByRole('tab', { name: 'tidemark/orders/order-api' }).click();

  const instances = page.getByRole('table', { name: 'Instances' });
  for (const cluster of ['eu-north', 'eu-west', 'us-east']) {
    await expect(
      instances.getByRole('row', { name: new RegExp(cluster) }),
    ).toBeVisible();
  }
  await expect(
    page.getByRole('heading', { name: 'Links between clusters' }),
  ).toBeVisible();
});

test('the overview of a component has a card that leads on', async ({
  portal,
}) => {
  const { page } = portal;
  await portal.signIn();
  await portal.open('/catalog/default/component/order-api');

  await page
    .getByRole('link', { name: /order-api/ })
    .and(page.locator('[href*="/mesh/services/tidemark/"]'))
    .first()
    .click();
  await expect(
    page.getByRole('heading', { name: 'orders/order-api' }),
  ).toBeVisible();
});
