import { defineConfig } from '@playwright/test';

/** Our own list: the packaged browser's default arguments switch web security off. */
const args = [
  // Containers and root have no user namespaces to build the sandbox from.
  '--no-sandbox',
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
];

const browserEnv = JSON.parse(process.env.MESH_E2E_BROWSER_ENV ?? '{}');

export default defineConfig({
  testDir: 'src/tests',
  testMatch: '*.spec.ts',
  outputDir: 'results',
  globalSetup: './src/globalSetup.ts',
  // One portal and one fleet serve all tests, and some of them change the fleet.
  workers: 1,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  reporter: [['list']],
  use: {
    viewport: { width: 1440, height: 900 },
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.MESH_E2E_BROWSER,
      env: { ...process.env, ...browserEnv },
      args,
    },
  },
});
