import { spawnSync } from 'node:child_process';
import { Problem } from './problem.mjs';

/**
 * The npm that is at hand: the one that runs us, else the one on the PATH.
 * Runs on any Node.js from 18.
 */
export function npm(args, options = {}) {
  const ours = process.env.npm_execpath;
  const [command, prefix] =
    ours && /npm-cli\.[cm]?js$/.test(ours)
      ? [process.env.npm_node_execpath || process.execPath, [ours]]
      : ['npm', []];
  const result = spawnSync(command, [...prefix, ...args], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: command === 'npm' && process.platform === 'win32',
    ...options,
  });
  if (result.error) {
    throw new Problem(
      `npm could not be run (${result.error.code}); it comes with Node.js from https://nodejs.org`,
    );
  }
  return result;
}

const OFFLINE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|network request .*failed|RequestError|socket hang up/;
const CERTIFICATE =
  /SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_VERIFY_LEAF_SIGNATURE|self.signed certificate|unable to get (local )?issuer certificate/i;
const DISK = /ENOSPC|no space left/i;
const DENIED = /EACCES|EPERM|EROFS/;

/** The one line for a failed download or install, from what the tool printed. */
export function explainInstallFailure(output, what, registry) {
  if (DISK.test(output)) {
    return new Problem(
      `Too little disk space to install ${what}; make room and run it again`,
    );
  }
  if (CERTIFICATE.test(output)) {
    return new Problem(
      `The certificate of the package registry ${registry} is not trusted while installing ${what}; name your company's CA with \`npm config set cafile FILE\` and NODE_EXTRA_CA_CERTS=FILE`,
    );
  }
  const offline = OFFLINE.exec(output);
  if (offline) {
    return new Problem(
      `No connection to the package registry ${registry} while installing ${what} (${offline[0]}); check the network, proxy and \`npm config get registry\`, then run it again`,
    );
  }
  if (DENIED.test(output)) {
    return new Problem(
      `No permission to write while installing ${what}: ${firstMatch(
        output,
        DENIED,
      )}`,
    );
  }
  return undefined;
}

function firstMatch(output, pattern) {
  return output
    .split('\n')
    .find(line => pattern.test(line))
    .trim();
}

/** What npm was told about registry, CA and proxies. */
export function npmSettings() {
  const { status, stdout } = npm(['config', 'list', '--json', '--long']);
  if (status !== 0) {
    return {};
  }
  try {
    return JSON.parse(stdout);
  } catch {
    return {};
  }
}

/** The same settings in Yarn's words. What Yarn was told itself stays. */
export function yarnEnvFromNpm(settings) {
  const env = {};
  const put = (name, value) => {
    if (value && process.env[name] === undefined) {
      env[name] = String(value);
    }
  };
  const { registry } = settings;
  put('YARN_NPM_REGISTRY_SERVER', registry?.replace(/\/+$/, ''));
  put('YARN_HTTPS_CA_FILE_PATH', settings.cafile);
  put('YARN_HTTP_PROXY', settings.proxy ?? settings['https-proxy']);
  put('YARN_HTTPS_PROXY', settings['https-proxy'] ?? settings.proxy);
  if (settings['strict-ssl'] === false) {
    put('YARN_ENABLE_STRICT_SSL', 'false');
  }
  if (registry?.startsWith('http://')) {
    put('YARN_UNSAFE_HTTP_WHITELIST', new URL(registry).hostname);
  }
  return env;
}
