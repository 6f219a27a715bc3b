// Downloads officially released binaries and verifies their checksums.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { type Dispatcher, EnvHttpProxyAgent, interceptors, request } from 'undici';
import { errorText } from '../../api/text.ts';
import { checksums } from './checksums.ts';
import {
  type BinaryName,
  etcdVersion,
  kubernetesVersion,
  type Platform,
  releases,
} from './releases.ts';

export interface DownloadSettings {
  readonly kubernetesUrl: string;
  readonly etcdUrl: string;
  /** SHA-256 of released files, by name. */
  readonly checksums: Readonly<Record<string, string>>;
  readonly connectTimeoutMilliseconds: number;
}

/** The short time-out is for machines without access to the internet that drop packets. */
export const officialReleases: DownloadSettings = {
  kubernetesUrl: 'https://dl.k8s.io/release',
  etcdUrl: 'https://github.com/etcd-io/etcd/releases/download',
  checksums,
  connectTimeoutMilliseconds: 3_000,
};

/** Its path below the publisher's address; undefined: the binary can only be built. */
export function releaseFileOf(name: BinaryName, arch: string): string | undefined {
  switch (releases[name].publisher) {
    case 'etcd':
      return `${etcdVersion}/etcd-${etcdVersion}-linux-${arch}.tar.gz`;
    case 'kubernetes':
      return `${kubernetesVersion}/bin/linux/${arch}/${name}`;
    case 'containerd':
    case 'helm':
    case 'project':
      return undefined;
  }
}

/** Returns the problems of those that failed. */
export async function downloadBinaries(
  names: readonly BinaryName[],
  folder: string,
  { os, arch }: Platform,
  settings: DownloadSettings,
): Promise<string[]> {
  if (os !== 'linux') return [`server binaries are released for linux only, not for ${os}`];
  const pinned: Pinned[] = [];
  const unpinned: BinaryName[] = [];
  for (const name of names) {
    const file = releaseFileOf(name, arch) ?? '';
    const checksum = settings.checksums[file];
    if (checksum === undefined) unpinned.push(name);
    else pinned.push({ name, file, checksum });
  }
  const refusal = `no checksum is pinned of ${unpinned.join(', ')} for ${os}-${arch}`;
  const refused = unpinned.length === 0 ? [] : [refusal];
  if (pinned.length === 0) return refused;
  const agent = new EnvHttpProxyAgent({
    connectTimeout: settings.connectTimeoutMilliseconds,
    headersTimeout: 10_000,
    bodyTimeout: 30_000,
  });
  const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: 5 }));
  const results = await Promise.allSettled(
    pinned.map((release) => download(release, folder, settings, dispatcher)),
  );
  await agent.destroy();
  const failed = results.filter((result) => result.status === 'rejected');
  return [...refused, ...failed.map(({ reason }) => errorText(reason))];
}

type Pinned = { readonly name: BinaryName; readonly file: string; readonly checksum: string };

async function download(
  { name, file, checksum }: Pinned,
  folder: string,
  { etcdUrl, kubernetesUrl }: DownloadSettings,
  dispatcher: Dispatcher,
): Promise<void> {
  const isEtcd = releases[name].publisher === 'etcd';
  // In the cache itself, so that the last step is a rename.
  const partial = await mkdtemp(path.join(folder, '.partial-'));
  try {
    const downloaded = path.join(partial, path.basename(file));
    const url = `${isEtcd ? etcdUrl : kubernetesUrl}/${file}`;
    await fetchVerified(url, checksum, downloaded, dispatcher);
    const binary = isEtcd ? await unpack(downloaded, name) : downloaded;
    await chmod(binary, 0o755);
    await rename(binary, path.join(folder, name));
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** etcd's archive holds the server and its tools. */
async function unpack(archive: string, name: BinaryName): Promise<string> {
  const folder = path.dirname(archive);
  const member = `${path.basename(archive, '.tar.gz')}/${name}`;
  await promisify(execFile)('tar', ['-xzf', archive, '-C', folder, member]);
  return path.join(folder, member);
}

async function fetchVerified(
  url: string,
  checksum: string,
  file: string,
  dispatcher: Dispatcher,
): Promise<void> {
  const hash = createHash('sha256');
  const { body } = await get(url, dispatcher);
  body.on('data', (chunk: Buffer) => hash.update(chunk));
  await pipeline(body, createWriteStream(file));
  const actual = hash.digest('hex');
  if (actual !== checksum)
    throw new Error(`${url} was refused: its SHA-256 is ${actual}, pinned is ${checksum}`);
}

async function get(url: string, dispatcher: Dispatcher): Promise<Dispatcher.ResponseData> {
  try {
    const response = await request(url, { dispatcher });
    if (response.statusCode === 200) return response;
    await response.body.dump();
    throw new Error(`it answered ${response.statusCode}`);
  } catch (error) {
    throw new Error(`${url}: ${errorText(error)}`, { cause: error });
  }
}
