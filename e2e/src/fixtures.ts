import { AxeBuilder } from '@axe-core/playwright';
import { expect, Page, test as base } from '@playwright/test';

export type Theme = 'light' | 'dark';

/** A browser in which somebody is about to use the portal. */
export interface Portal {
  page: Page;
  /** Opens the portal, and signs in by the page for that. */
  signIn(name?: string): Promise<void>;
  open(path: string): Promise<void>;
  setTheme(theme: Theme): Promise<void>;
  /** What axe finds on the page as it is. */
  expectAccessible(): Promise<void>;
}

export const test = base.extend<{ portal: Portal }>({
  baseURL: async ({}, use) => {
    await use(process.env.MESH_E2E_URL);
  },

  portal: async ({ page }, use) => {
    const errors: string[] = [];
    page.on('pageerror', error => errors.push(error.message));

    await use({
      page,
      signIn: async (name = 'guest') => {
        await page.goto('/');
        const enter = page.getByRole('button', { name: `Enter as ${name}` });
        await enter.click();
        await expect(enter).toBeHidden();
      },
      open: async path => {
        await page.goto(path);
      },
      setTheme: async theme => {
        await page.addInitScript(
          chosen => localStorage.setItem('theme', chosen),
          theme,
        );
      },
      expectAccessible: async () => {
        const { violations } = await new AxeBuilder({ page }).analyze();
        const found = violations.map(
          ({ id, help, nodes }) =>
            `${id}: ${help}\n${nodes
              .map(node => `    ${node.target.join(' ')}`)
              .join('\n')}`,
        );
        expect(found, found.join('\n')).toEqual([]);
      },
    });

    expect(errors, 'errors thrown in the page').toEqual([]);
  },
});

export { expect };
