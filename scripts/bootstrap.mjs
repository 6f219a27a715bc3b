// Runs a script of this project as the first command in a fresh clone: installs what is missing,
// then goes on under the pinned Node. Uses nothing but Node itself (20 or later), since nothing
// else is there yet. Usage: node scripts/bootstrap.mjs SCRIPT [ARGUMENTS]
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const OLDEST_NODE = 20;
const root = fileURLToPath(new URL('../', import.meta.url));
const pinnedNode = `${root}node_modules/.bin/node${process.platform === 'win32' ? '.cmd' : ''}`;
// Compiled code is kept, of every process of a command: workers then start in a third of the time.
const compileCache = `${root}node_modules/.cache/compiled`;
const installedMark = `${root}node_modules/.installed`;

function fail(message) {
  console.error(`\nswarm-operator: ${message}`);
  process.exit(1);
}

/** The dependencies are those of the lock file: a pull that changes it installs anew. */
function isInstalled() {
  const wanted = createHash('sha256')
    .update(readFileSync(`${root}package-lock.json`))
    .digest('hex');
  return {
    wanted,
    is:
      existsSync(pinnedNode) &&
      existsSync(installedMark) &&
      readFileSync(installedMark, 'utf8') === wanted,
  };
}

function install(wanted) {
  console.error('swarm-operator: installing dependencies (once, about a minute) …');
  // npm tells the scripts that it runs where it is itself; a plain `node scripts/bootstrap.mjs`
  // finds it on PATH.
  const npm = process.env.npm_execpath;
  const [command, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const done = spawnSync(command, [...first, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (done.error?.code === 'ENOENT')
    fail(
      'npm was not found. It comes with Node: install Node from your system or https://nodejs.org, then try again.',
    );
  if (done.status !== 0) {
    fail(
      'npm ci failed (see above). It needs to reach an npm registry: check the network, a proxy (npm config get proxy), and try again.',
    );
  }
  if (!existsSync(pinnedNode)) {
    fail(
      'npm installed the packages, but not the pinned Node: its install script did not run. Allow it (npm config get ignore-scripts must be false).',
    );
  }
  writeFileSync(installedMark, wanted);
}

const [major] = process.versions.node.split('.').map(Number);
if (major < OLDEST_NODE)
  fail(
    `Node ${process.versions.node} is too old to begin with: ${OLDEST_NODE} or later is needed (24 is installed locally then).`,
  );
const { wanted, is } = isInstalled();
if (!is) install(wanted);

const [script, ...args] = process.argv.slice(2);
if (script === undefined) fail('usage: node scripts/bootstrap.mjs SCRIPT [ARGUMENTS]');
const child = spawn(
  pinnedNode,
  ['--disable-warning=ExperimentalWarning', `${root}${script}`, ...args],
  { stdio: 'inherit', env: { NODE_COMPILE_CACHE: compileCache, ...process.env } },
);
// Ctrl-C in a terminal reaches the child by itself; other signals are passed on.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
