// Builds binaries from the Go modules that tools/ pins.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorText } from '../../api/text.ts';
import { startGuard } from '../processes/guard.ts';
import { type ProgressOutput, withProgress } from './progress.ts';
import {
  type BinaryName,
  fileOf,
  isOurs,
  kubernetesVersion,
  modulesFolder,
  releases,
  versionOf,
} from './releases.ts';

const requiredMinor = 26;

/** One after the other, since one build uses all cores; returns what could not be built. */
export async function buildBinaries(
  names: readonly BinaryName[],
  folder: string,
  go: string,
  output: ProgressOutput,
): Promise<string[]> {
  const refusal = await refusalOf(go);
  if (refusal !== undefined) return [refusal];
  if (!names.every(isOurs))
    output.write(
      'They are built from their Go modules, which takes minutes the first time and seconds later on.\n',
    );
  try {
    for (const name of names) {
      const what = `building ${name} ${versionOf(name)} with Go`;
      await withProgress(output, what, () => build(name, folder, go));
    }
    return [];
  } catch (error) {
    return [errorText(error)];
  }
}

async function refusalOf(go: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(go, ['env', 'GOVERSION'], { env: environment() });
    const [, minor] = /^go1\.(\d+)/.exec(stdout) ?? [];
    return Number(minor) >= requiredMinor
      ? undefined
      : `Go is ${stdout.trim()}, needed is 1.${requiredMinor} or newer`;
  } catch (error) {
    return `Go cannot be run: ${errorText(error)}`;
  }
}

async function build(name: BinaryName, folder: string, go: string): Promise<void> {
  const partial = path.join(folder, `.partial-${name}-${crypto.randomUUID()}`);
  const guard = await startGuard();
  try {
    guard.watchFolder(partial);
    const child = spawn(go, buildArguments(name, partial), {
      cwd: path.join(modulesFolder, releases[name].module),
      env: environment(),
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (child.pid !== undefined) guard.watchProcess(child.pid);
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-4_000);
    });
    const [code] = await once(child, 'close');
    if (code !== 0)
      throw new Error(`go build ${releases[name].goPackage} failed:\n${errors.trim()}`);
    await rename(partial, path.join(folder, fileOf(name)));
  } finally {
    await guard.close();
    await rm(partial, { force: true });
  }
}

/** kubectl compares its version with the server's, so it is stamped into the binaries. */
function buildArguments(name: BinaryName, target: string): string[] {
  const { goPackage, tags } = releases[name];
  const [major, minor] = kubernetesVersion.slice(1).split('.');
  const versions = { gitVersion: kubernetesVersion, gitMajor: major, gitMinor: minor };
  const stamps = Object.entries(versions).map(
    ([variable, value]) => `-X k8s.io/component-base/version.${variable}=${value}`,
  );
  return [
    'build',
    '-mod=readonly',
    '-buildvcs=false',
    '-trimpath',
    ...(tags === undefined ? [] : [`-tags=${tags}`]),
    `-ldflags=-s -w ${stamps.join(' ')}`,
    '-o',
    target,
    goPackage,
  ];
}

/** GOTOOLCHAIN=local: a Go that is too old fetches no other. */
function environment(): NodeJS.ProcessEnv {
  return { ...process.env, GOTOOLCHAIN: 'local', CGO_ENABLED: '0' };
}
