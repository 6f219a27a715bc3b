// Builds binaries from the Go modules that tools/ pins.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorText } from '../../api/text.ts';
import { type Guard, startGuard } from '../processes/guard.ts';
import { buildFlags } from './go-flags.ts';
import { type ProgressOutput, type Report, withProgress } from './progress.ts';
import { type BinaryName, fileOf, isOurs, modulesFolder, releases, versionOf } from './releases.ts';
import { trimmedModules } from './trimmed-modules.ts';

const requiredMinor = 26;

/**
 * What one module builds in the same way is built at once: no core waits while another links.
 * Returns what could not be built.
 */
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
      'Building the binaries from their Go modules: all of Kubernetes takes 3 to 15 minutes on two cores the first time, and seconds later on.\n',
    );
  try {
    for (const group of groupsOf(names)) {
      const versions = group.map((name) => `${name} ${versionOf(name)}`);
      const what = `building ${versions.join(', ')} with Go`;
      await withProgress(output, what, (report) => build(group, folder, go, report));
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
      : `Go is ${stdout.trim()}; required is 1.${requiredMinor} or newer`;
  } catch (error) {
    return `cannot run Go: ${errorText(error)}`;
  }
}

function groupsOf(names: readonly BinaryName[]): readonly (readonly BinaryName[])[] {
  const key = (name: BinaryName): string => {
    const { module, tags, isTrimmed } = releases[name];
    return [module, tags, isTrimmed].join(' ');
  };
  return [...Map.groupBy(names, key).values()];
}

async function build(
  names: readonly BinaryName[],
  folder: string,
  go: string,
  report: Report,
): Promise<void> {
  const partial = path.join(folder, `.partial-${names[0]}-${crypto.randomUUID()}`);
  const guard = await startGuard();
  try {
    guard.watchFolder(partial);
    await mkdir(partial);
    const runGo = goIn(names, go, guard);
    report('reading its modules');
    const trimmed = names.some((name) => releases[name].isTrimmed)
      ? await trimmedModules(partial, (...args) => runGo(args))
      : [];
    const wanted = [...buildFlags(names), ...trimmed];
    const packages = names.map((name) => releases[name].goPackage);
    const stale = '{{if .Stale}}{{.ImportPath}}{{end}}';
    const toCompile = await runGo(
      ['list', '-deps', '-f', stale, ...wanted, ...packages],
      (line) => {
        if (line.startsWith('go: downloading ')) report('fetching its modules');
      },
    );
    const progress = new Packages(toCompile.split('\n').filter(Boolean).length);
    const onLine = (line: string): void => report(progress.next(line));
    await runGo(['build', '-v', ...wanted, '-o', `${partial}/`, ...packages], onLine);
    for (const name of names)
      await rename(path.join(partial, programOf(name)), path.join(folder, fileOf(name)));
  } finally {
    await guard.close();
    await rm(partial, { recursive: true, force: true });
  }
}

/** As `go build` names it. */
function programOf(name: BinaryName): string {
  return isOurs(name) ? name : path.basename(releases[name].goPackage.replace(/\/v\d+$/, ''));
}

/** Returns what it printed; each line of its errors is told at once. */
function goIn(names: readonly BinaryName[], go: string, guard: Guard) {
  return async (
    args: readonly string[],
    onLine: (line: string) => void = () => undefined,
  ): Promise<string> => {
    const child = spawn(go, args, {
      cwd: path.join(modulesFolder, releases[names[0] ?? 'etcd'].module),
      env: environment(),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (child.pid !== undefined) guard.watchProcess(child.pid);
    let printed = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-4_000);
      for (const line of text.split('\n')) if (line !== '') onLine(line);
    });
    const [code] = await once(child, 'close');
    if (code !== 0)
      throw new Error(`go ${args[0]} of ${names.join(', ')} failed:\n${errors.trim()}`);
    return printed;
  };
}

/** How far a build is: `go build -v` prints the path of each package that it compiles. */
class Packages {
  readonly #startedAt = performance.now();
  readonly #total: number;
  #done = 0;

  constructor(total: number) {
    this.#total = total;
  }

  next(line: string): string {
    if (!/[\s#]/.test(line)) this.#done++;
    const share = this.#done / Math.max(this.#total, this.#done);
    const left = ((performance.now() - this.#startedAt) / 60_000) * (1 / share - 1);
    // The first packages are those of Go itself, which say little of the others.
    const estimate = share > 0.1 && left > 1 ? `, about ${Math.round(left)} min left` : '';
    return `${this.#done} of ${this.#total} packages compiled${estimate}`;
  }
}

/** GOTOOLCHAIN=local: a Go that is too old fetches no other. */
function environment(): NodeJS.ProcessEnv {
  return { ...process.env, GOTOOLCHAIN: 'local', CGO_ENABLED: '0' };
}
