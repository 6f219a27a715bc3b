// Finds the binaries of etcd and Kubernetes; downloads or builds those that are missing.
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { errorText } from '../../api/text.ts';
import { type DownloadSettings, downloadBinaries, officialReleases } from './download.ts';
import { withFileLock } from './file-lock.ts';
import { buildBinaries } from './go-build.ts';
import { type ProgressOutput, withProgress } from './progress.ts';
import {
  type BinaryName,
  fileOf,
  isOurs,
  kubernetesVersion,
  type Platform,
  thisPlatform,
} from './releases.ts';

export interface BinarySettings {
  /** KUBEBUILDER_ASSETS: a folder of binaries that is searched first. */
  readonly assetsFolder: string | undefined;
  /** Keeps what was downloaded or built, for all projects and clones of this user. */
  readonly cacheFolder: string;
  readonly platform: Platform;
  readonly download: DownloadSettings;
  readonly go: string;
  /** False in tests: a suite gets what it needs before its first test. */
  readonly mayFetch: boolean;
  readonly output: ProgressOutput;
}

/** The paths of the binaries; those that are missing take minutes. */
export async function findBinaries<N extends BinaryName>(
  names: readonly N[],
  overrides: Partial<BinarySettings> = {},
): Promise<Readonly<Record<N, string>>> {
  const settings = { ...settingsFrom(process.env), ...overrides };
  const search = new Search(names, settings);
  await search.takeAssets();
  await search.takeCached();
  if (search.missing.length > 0 && settings.mayFetch) {
    await mkdir(settings.cacheFolder, { recursive: true });
    const lock = path.join(settings.cacheFolder, '.lock');
    const onWait = (holder: string): unknown =>
      settings.output.write(`Process ${holder} is fetching Kubernetes binaries; waiting for it.\n`);
    await withFileLock(lock, onWait, () => search.fetch());
  }
  return search.complete();
}

/** The user's folder of caches. */
export const cachesOf = (env: NodeJS.ProcessEnv): string =>
  env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache');

export function settingsFrom(env: NodeJS.ProcessEnv): BinarySettings {
  const { os, arch } = thisPlatform;
  return {
    assetsFolder: env['KUBEBUILDER_ASSETS'] || undefined,
    cacheFolder: path.join(
      cachesOf(env),
      'swarm-operator/kubernetes',
      kubernetesVersion,
      `${os}-${arch}`,
    ),
    platform: thisPlatform,
    download: { ...officialReleases, mirror: env['SWARM_DOWNLOAD_MIRROR'] || undefined },
    go: 'go',
    mayFetch: env['SWARM_BINARIES'] !== 'present',
    output: process.stderr,
  };
}

const abandonedMilliseconds = 24 * 3_600_000;

/** What each way has found, and why it has not found the rest. */
class Search<N extends BinaryName> {
  readonly #names: readonly N[];
  readonly #settings: BinarySettings;
  readonly #found = new Map<BinaryName, string>();
  readonly #reasons = { assets: 'not set', download: [''], go: [''] };

  constructor(names: readonly N[], settings: BinarySettings) {
    this.#names = names;
    this.#settings = settings;
  }

  get missing(): N[] {
    return this.#names.filter((name) => !this.#found.has(name));
  }

  /**
   * The folder of kubebuilder's tools has no controller manager, which must not be newer than its
   * API server: a folder of another minor version is not used at all.
   */
  async takeAssets(): Promise<void> {
    const { assetsFolder, output } = this.#settings;
    if (assetsFolder === undefined) return;
    await this.#takeFrom(assetsFolder);
    if (this.missing.every(isOurs)) return;
    this.#reasons.assets = `${assetsFolder} lacks ${this.missing.join(', ')}`;
    const version = await versionOfApiServer(assetsFolder);
    if (version === undefined || minorOf(version) === minorOf(kubernetesVersion)) return;
    this.#found.clear();
    this.#reasons.assets += `, and its kube-apiserver ${version} does not match version ${kubernetesVersion} of the other binaries`;
    output.write(`KUBEBUILDER_ASSETS is not used: ${this.#reasons.assets}.\n`);
  }

  async takeCached(): Promise<void> {
    await this.#takeFrom(this.#settings.cacheFolder);
  }

  /** Another process may have fetched some meanwhile. */
  async fetch(): Promise<void> {
    await removeAbandoned(this.#settings.cacheFolder);
    await this.takeCached();
    if (!this.missing.every(isOurs)) await this.#download();
    if (this.missing.length > 0) await this.#build();
  }

  complete(): Record<N, string> {
    const paths: Record<string, string> = Object.fromEntries(this.#found);
    if (hasAll(paths, this.#names)) return paths;
    throw new Error(this.#explain());
  }

  async #download(): Promise<void> {
    const { cacheFolder, platform, download, output } = this.#settings;
    const what = `downloading ${this.missing.join(', ')} ${kubernetesVersion}`;
    const { problems, checkedByPublisherOnly } = await withProgress(
      output,
      what,
      (report) => downloadBinaries(this.missing, cacheFolder, platform, download, report),
      (downloads) => (downloads.problems.length === 0 ? 'done' : 'incomplete'),
    );
    this.#reasons.download = [...problems];
    await this.takeCached();
    for (const problem of problems) output.write(`  ${problem}\n`);
    if (checkedByPublisherOnly.length > 0)
      output.write(
        `  No second source has the checksum of ${checkedByPublisherOnly.join(', ')}: verified only by the publisher's own checksum, read over TLS.\n`,
      );
  }

  async #build(): Promise<void> {
    const { cacheFolder, go, output } = this.#settings;
    this.#reasons.go = await buildBinaries(this.missing, cacheFolder, go, output);
    await this.takeCached();
  }

  async #takeFrom(folder: string): Promise<void> {
    for (const name of this.missing) {
      const file = path.join(folder, fileOf(name));
      if (await isExecutable(file)) this.#found.set(name, file);
    }
  }

  #explain(): string {
    const { cacheFolder, mayFetch, platform } = this.#settings;
    if (!mayFetch)
      return `${this.missing.join(', ')}: not in ${cacheFolder}, and SWARM_BINARIES=present forbids to build or download it here; the script that runs this suite must get it first`;
    if (this.missing.every(isOurs))
      return `tools/${this.missing.join(', ')} cannot be built: ${this.#reasons.go.join('; ')}`;
    return [
      `Kubernetes ${kubernetesVersion} for ${platform.os}-${platform.arch}: no ${this.missing.join(', ')}. Provide them in one of these four ways:`,
      `- in the folder KUBEBUILDER_ASSETS (${this.#reasons.assets})`,
      `- in the cache ${cacheFolder} (not found)`,
      `- by download (${this.#reasons.download.join('; ')})`,
      `- by a build with Go (${this.#reasons.go.join('; ')})`,
    ].join('\n');
  }
}

function hasAll<N extends string>(
  paths: Record<string, string>,
  names: readonly N[],
): paths is Record<N, string> {
  return names.every((name) => Object.hasOwn(paths, name));
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

async function versionOfApiServer(folder: string): Promise<string | undefined> {
  const file = path.join(folder, 'kube-apiserver');
  if (!(await isExecutable(file))) return undefined;
  try {
    const { stdout } = await promisify(execFile)(file, ['--version']);
    return stdout.replace('Kubernetes', '').trim();
  } catch (error) {
    return `of unknown version (${errorText(error)})`;
  }
}

function minorOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}

/** What killed processes left; a younger download is continued. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith('.partial-')) continue;
    const file = path.join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > abandonedMilliseconds)
      await rm(file, { recursive: true, force: true });
  }
}
