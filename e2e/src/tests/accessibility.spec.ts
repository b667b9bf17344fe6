import { expect, test, Theme } from '../fixtures';

const pages: Array<[name: string, path: string, ready: RegExp]> = [
  ['overview', '/mesh/overview', /Clusters at a glance/],
  ['services', '/mesh/services', /\d+ services/],
  ['clusters', '/mesh/clusters', /\d+ clusters/],
  ['findings', '/mesh/findings', /\d+ findings/],
  ['service', '/mesh/services/tidemark/orders/order-api', /Where it runs/],
  ['cluster', '/mesh/clusters/us-east', /Coverage by kind/],
  ['tab', '/catalog/default/component/order-api/mesh', /Where it runs/],
];

for (const theme of ['light', 'dark'] as Theme[]) {
  test(`axe finds nothing on the sign-in page (${theme})`, async ({
    portal,
  }) => {
    await portal.setTheme(theme);
    await portal.open('/');
    await expect(
      portal.page.getByRole('button', { name: 'Enter as guest' }),
    ).toBeVisible();
    await portal.expectAccessible();
  });

  for (const [name, path, ready] of pages) {
    test(`axe finds nothing on the ${name} (${theme})`, async ({ portal }) => {
      await portal.setTheme(theme);
      await portal.signIn();
      await portal.open(path);
      await expect(
        portal.page.getByRole('heading', { name: ready }).first(),
      ).toBeVisible();
      await portal.expectAccessible();
    });
  }
}

for (const [name, path, ready] of pages) {
  test(`the ${name} fits a narrow window`, async ({ portal }) => {
    const { page } = portal;
    await page.setViewportSize({ width: 400, height: 900 });
    await portal.signIn();
    await portal.open(path);
    await expect(
      page.getByRole('heading', { name: ready }).first(),
    ).toBeVisible();

    const overflow = await page.evaluate(
      () =>
        document.documentElement.scrollWidth -
        document.documentElement.clientWidth,
    );
    expect(overflow).toBeLessThanOrEqual(0);
  });
}

test('a finding is reached and opened by keyboard alone', async ({
  portal,
}) => {
  const { page } = portal;
  await portal.signIn();
  await portal.open('/mesh/findings');
  const details = page.getByRole('button', { name: /^Details of/ }).first();
  await expect(details).toBeVisible();

  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab');
    const reached = await details.evaluate(
      element => element === document.activeElement,
    );
    if (reached) {
      break;
    }
  }
  await expect(details).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(details).toHaveAttribute('aria-expanded', 'true');
});

test('the theme is chosen in the settings', async ({ portal }) => {
  const { page } = portal;
  await portal.signIn();
  await portal.open('/settings');

  await page.getByRole('button', { name: /dark/i }).click();
  await expect(page.locator('[data-theme-mode="dark"]').first()).toBeAttached();
  await page.getByRole('button', { name: /light/i }).click();
  await expect(
    page.locator('[data-theme-mode="light"]').first(),
  ).toBeAttached();
});
