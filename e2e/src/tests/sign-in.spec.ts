import { expect, test } from '../fixtures';

test('a guest gets in and sees the catalog @smoke', async ({ portal }) => {
  await portal.signIn();

  await expect(
    portal.page.getByRole('heading', { name: /Tidemark Catalog/ }),
  ).toBeVisible();
});
