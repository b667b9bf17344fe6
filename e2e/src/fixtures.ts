import { AxeBuilder } from '@axe-core/playwright';
import { expect, Page, test as base } from '@playwright/test';

export type Theme = 'light' | 'dark';

/** A browser in which somebody is about to use the portal. */
export interface Portal {
  page: Page;
  /** Opens the portal, and signs in by the page for that. */
  signIn(name?: string | RegExp): Promise<void>;
  open(path: string): Promise<void>;
  setTheme(theme: Theme): Promise<void>;
  /** What axe finds on the page as it is. */
  expectAccessible(): Promise<void>;
}

/**
 * What axe finds in the frame that Backstage itself draws around every page, and
 * that is not ours to mend: its tabs name panels that it does not render, and its
 * header and its hidden notes to screen readers stand outside of landmarks.
 */
const BACKSTAGES_OWN = [
  { rule: 'aria-valid-attr-value', target: /^#react-aria.*-tab-/ },
  { rule: 'region', target: /^\.bui-(Tabs|VisuallyHidden)/ },
];

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
        const enter = page.getByRole('button', {
          name: new RegExp(
            `^Enter as ${typeof name === 'string' ? name : name.source}`,
          ),
        });
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
        const found = violations.flatMap(({ id, help, nodes }) =>
          nodes
            .map(({ target }) => target.join(' '))
            .filter(
              target =>
                !BACKSTAGES_OWN.some(
                  own => own.rule === id && own.target.test(target),
                ),
            )
            .map(target => `${id}: ${help} (${target})`),
        );
        expect(found, found.join('\n')).toEqual([]);
      },
    });

    expect(errors, 'errors thrown in the page').toEqual([]);
  },
});

export { expect };
