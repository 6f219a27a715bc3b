// What do the packages of the operator and of the worker contain, and do they work in another
// program? Packed and installed as npm does.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { promises } from '../../../src/conformance/promises.ts';
import { Volume } from '../../integration/worker/volume.ts';
import { Worker } from '../../integration/worker/worker.ts';
import { check, verdicts } from '../worker-check/check.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const work = mkdtempSync(path.join(tmpdir(), 'swarm-package-'));
/** Contains the operator, but only those of its dependencies that a test provides. */
const theirs = path.join(work, 'theirs');
const installed = path.join(theirs, 'node_modules', 'swarm-operator');
/** Contains what npm installs for the worker. */
const alone = path.join(work, 'alone');
const worker = path.join(alone, 'node_modules', 'swarm-worker');
let packed: readonly string[] = [];
let packedWorker: readonly string[] = [];

type Manifest = {
  readonly version: string;
  readonly license: string;
  readonly engines: object;
  readonly dependencies: Readonly<Record<string, string>>;
};
const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;

const run = (file: string, args: readonly string[], cwd: string): string =>
  execFileSync(file, [...args], {
    cwd,
    encoding: 'utf8',
    timeout: 1_200_000,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}` },
  });

type Packed = { readonly tarball: string; readonly files: readonly string[] };

function pack(source: string): Packed {
  const options = ['--json', '--ignore-scripts', '--pack-destination', work];
  const told: unknown = JSON.parse(run('npm', ['pack', ...options], source));
  const [{ filename, files }] = told as [{ filename: string; files: { path: string }[] }];
  return { tarball: path.join(work, filename), files: files.map((file) => file.path).sort() };
}

beforeAll(() => {
  // A copy, so that the test does not touch this checkout's dist/.
  const source = path.join(work, 'source');
  run(process.execPath, [`${root}scripts/build.ts`, path.join(source, 'dist')], root);
  for (const name of ['package.json', 'README.md', 'LICENSE', 'crds'])
    cpSync(`${root}${name}`, path.join(source, name), { recursive: true });
  // Files of a checkout that must not be published.
  for (const name of ['.env', 'notes.txt', 'src/x.ts', 'test/x.test.ts', 'crds/.secret~']) {
    mkdirSync(path.dirname(path.join(source, name)), { recursive: true });
    writeFileSync(path.join(source, name), '');
  }
  rmSync(path.join(source, 'crds/.secret~'));
  const { tarball, files } = pack(source);
  packed = files;
  mkdirSync(installed, { recursive: true });
  run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed], work);
  writeFileSync(path.join(theirs, 'package.json'), '{"type":"module"}');
  provide('js-yaml');
  installWorker();
});

/** Installed by npm without a network: the packages that it needs are packed, too. */
function installWorker(): void {
  const source = path.join(work, 'worker');
  cpSync(`${root}src/worker`, source, { recursive: true });
  run(process.execPath, [`${root}scripts/build/worker-package.ts`, source], root);
  const { tarball, files } = pack(source);
  packedWorker = files;
  const needed = ['js-yaml', 'argparse'].map((name) => pack(`${root}node_modules/${name}`).tarball);
  mkdirSync(alone);
  writeFileSync(path.join(alone, 'package.json'), '{"type":"module"}');
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball, ...needed], alone);
}

afterAll(() => rmSync(work, { recursive: true }));

/** A dependency, from this checkout. */
function provide(name: string, program = theirs): void {
  const at = path.join(program, 'node_modules', name);
  mkdirSync(path.dirname(at), { recursive: true });
  if (!existsSync(at)) symlinkSync(`${root}node_modules/${name}`, at);
}

const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:from|import\(|require\()\s*['"]([\w@./:-]+)['"]/g)].map(
    ([, name = '']) => name,
  );

/** Imports of these files that are neither packed nor a dependency. */
const missingIn = (folder: string, files: readonly string[]): readonly object[] => {
  const { dependencies } = manifestIn(folder);
  return files
    .filter((file) => /\.c?js$/.test(file))
    .flatMap((file) =>
      importsOf(readFileSync(path.join(folder, file), 'utf8')).map((name) => ({ file, name })),
    )
    .filter(({ file, name }) => {
      if (name.startsWith('.')) return !existsSync(path.join(folder, path.dirname(file), name));
      const dependency = name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/');
      return (
        !name.startsWith('node:') &&
        !builtinModules.includes(name) &&
        dependencies[dependency] === undefined
      );
    });
};

describe('the package', () => {
  it('the package contains the expected files and no others', () => {
    const folders = new Set(
      packed.map((file) =>
        file.includes('/') ? `${file.split('/').slice(0, 2).join('/')}` : file,
      ),
    );
    const sources = readdirSync(`${root}src`, { withFileTypes: true });
    const code = sources.flatMap((entry) => {
      if (entry.name === 'demo') return [];
      const stem = entry.name.replace(/\.ts$/, '');
      return entry.isDirectory() ? [`dist/${stem}`] : [`dist/${stem}.d.ts`, `dist/${stem}.js`];
    });
    const definitions = readdirSync(`${root}crds`).map((file) => `crds/${file}`);
    expect([...folders].sort()).toEqual(
      [
        'LICENSE',
        'README.md',
        ...definitions,
        ...code,
        'dist/sbom.cdx.json',
        'package.json',
      ].sort(),
    );
    expect(packed.filter((file) => /demo\/|cli\/demo|\.test\.|(?<!\.d)\.ts$/.test(file))).toEqual(
      [],
    );
  });

  it('the package, Node or a declared dependency contains every imported file', () => {
    expect(missingIn(installed, packed)).toEqual([]);
  });

  it('the package exposes only its exports', () => {
    const tryIt = `import('swarm-operator/dist/main.js').then(() => console.log('in'), ({ code }) => console.log(code))`;
    expect(run(process.execPath, ['--input-type=module', '--eval', tryIt], theirs)).toBe(
      'ERR_PACKAGE_PATH_NOT_EXPORTED\n',
    );
  });
});

describe('the package of the worker', () => {
  it('the package of the worker contains the worker and its imports, and no other file', () => {
    const folders = new Set(packedWorker.map((file) => file.split('/').slice(0, 2).join('/')));
    expect([...folders].sort()).toEqual([
      'LICENSE',
      'README.md',
      'dist/api',
      'dist/flags.d.ts',
      'dist/flags.js',
      'dist/http',
      'dist/worker',
      'package.json',
    ]);
    expect(packedWorker.filter((file) => /(?<!\.d)\.ts$/.test(file))).toEqual([]);
    expect(missingIn(worker, packedWorker)).toEqual([]);
  });

  it('the package of the worker depends on js-yaml alone, in the operator’s version', () => {
    const { dependencies, version, license, engines } = manifestIn(root);
    const its = manifestIn(path.join(root, 'src/worker'));
    expect(its.dependencies).toEqual({ 'js-yaml': dependencies['js-yaml'] });
    expect(its).toMatchObject({ version, license, engines });
    const names = readdirSync(path.join(alone, 'node_modules')).filter((it) => !it.startsWith('.'));
    expect(names.sort()).toEqual(['argparse', 'js-yaml', 'swarm-worker']);
  });

  it('the package of the worker contains the program, which reports its build', () => {
    const { version } = manifestIn(root);
    expect(run('node_modules/.bin/swarm-worker', ['--version'], alone)).toContain(version);
  });
});

describe.each([
  ['swarm-worker', alone],
  ['swarm-operator/worker', theirs],
])('%s, installed', (library, folder) => {
  const program = `import { once } from 'node:events';
import { connect } from 'node:net';
import { runWorker } from '${library}';

await runWorker({
  stream: async ({ parameters, signal }) => {
    const source = connect(Number(new URL(parameters.url).port), '127.0.0.1').resume();
    signal.addEventListener('abort', () => source.destroy());
    await once(source, 'close');
  },
});
`;
  beforeAll(() => writeFileSync(path.join(folder, 'worker.mjs'), program));

  it('an installed library is enough for a worker of ten lines that follows a mounted file', async () => {
    const volume = new Volume();
    const idle = program.replace(/const source[\s\S]*close'\);/, `await once(signal, 'abort');`);
    writeFileSync(path.join(folder, 'idle.mjs'), idle);
    volume.publish(1, ['a']);
    const worker = new Worker(
      [],
      { SWARM_PORT: '0', SWARM_CONFIG_FILE: volume.configFile },
      path.join(folder, 'idle.mjs'),
    );
    const allRun = { version: 1, jobs: ['a'], podUid: 'uid-0', streams: {} };
    expect(await worker.confirms(1)).toEqual(allRun);
    volume.publish(2, ['b', 'c']);
    expect(await worker.confirms(2)).toMatchObject({ jobs: ['b', 'c'] });
    expect(await worker.end()).toBe(0);
    volume.remove();
  });

  it('an installed library keeps every promise of the contract, with no package but js-yaml', async () => {
    const command = `exec env SWARM_POLL_INTERVAL=200ms '${process.execPath}' '${path.join(folder, 'worker.mjs')}'`;
    expect(verdicts(await check(command))).toEqual(
      Object.fromEntries(promises.map(({ id }) => [id, 'kept'])),
    );
  });

  it('the types of an installed library pass the strictest compiler, and report mistakes', () => {
    provide('@types/node', folder);
    provide('undici-types', folder);
    const compile = (body: string): string => {
      writeFileSync(
        path.join(folder, 'typed.ts'),
        `import { runWorker, type Stream } from '${library}';\n${body}`,
      );
      const flags = [
        '--strict',
        '--noEmit',
        '--module',
        'nodenext',
        '--target',
        'es2024',
        '--exactOptionalPropertyTypes',
        '--types',
        'node',
      ];
      try {
        return run(`${root}node_modules/.bin/tsc`, [...flags, 'typed.ts'], folder);
      } catch (error) {
        return String((error as { stdout?: unknown }).stdout);
      }
    };
    expect(
      compile(
        `await runWorker({ stopGrace: '5s', port: 1, stream: async ({ name }: Stream) => console.log(name.length) });`,
      ),
    ).toBe('');
    expect(
      compile(`await runWorker({ stopgrace: '5s', stream: async () => undefined });`),
    ).toContain("'stopgrace'");
  });
});

describe('an installed swarmctl', () => {
  const program = (name: string, ...args: readonly string[]): string =>
    run(process.execPath, [path.join(installed, 'dist/cli', name), ...args], work);

  it('an installed swarmctl starts, without its dependencies', () =>
    expect(program('swarmctl.js', '--help')).toContain('worker-check'));

  it('an installed swarmctl finds its manifest and the CRDs', () => {
    expect(program('swarmctl.js', '--version')).toContain(manifestIn(root).version);
    const file = `${root}samples/tv/pool.yaml`;
    expect(program('swarmctl.js', 'validate', file)).toContain('SwarmPool');
  });

  it('an installed kubectl_complete-swarm offers commands', () =>
    expect(program('kubectl-complete.js', 'stat')).toMatch(/^status\t/));

  it('the bundle of swarmctl has the licence of each package in it', () => {
    const text = readFileSync(path.join(installed, 'dist/cli/bundle/LICENSES.md'), 'utf8');
    for (const name of ['@kubernetes/client-node', 'undici', 'js-yaml', 'ajv', 'croner'])
      expect(text).toContain(`## ${name} - `);
  });
});
