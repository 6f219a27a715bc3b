// How is an officially released binary downloaded, and does its checksum match the pinned one?
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { type Dispatcher, EnvHttpProxyAgent, interceptors, request } from 'undici';
import { errorText } from '../../api/error-text.ts';
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

/**
 * Many machines have no way out, and some drop packets instead of refusing them: these should lose
 * no more than a moment.
 */
export const officialReleases: DownloadSettings = {
  kubernetesUrl: 'https://dl.k8s.io/release',
  etcdUrl: 'https://github.com/etcd-io/etcd/releases/download',
  checksums,
  connectTimeoutMilliseconds: 3_000,
};

/**
 * Path of the released file below the publisher's address; undefined: the binary is not released,
 * only built.
 */
export function releaseFileOf(name: BinaryName, arch: string): string | undefined {
  switch (releases[name].publisher) {
    case 'etcd':
      return `${etcdVersion}/etcd-${etcdVersion}-linux-${arch}.tar.gz`;
    case 'kubernetes':
      return `${kubernetesVersion}/bin/linux/${arch}/${name}`;
    case 'containerd':
      return undefined;
  }
}

/** Fetches all of them at once; what fails is told, the others are there nevertheless. */
export async function downloadBinaries(
  names: readonly BinaryName[],
  folder: string,
  { os, arch }: Platform,
  settings: DownloadSettings,
): Promise<string[]> {
  if (os !== 'linux') return [`server binaries are released for linux only, not for ${os}`];
  const wanted = names.flatMap((name) => {
    const file = releaseFileOf(name, arch);
    const checksum = file === undefined ? undefined : settings.checksums[file];
    return file === undefined || checksum === undefined
      ? []
      : [{ name, file, checksum, target: path.join(folder, name) }];
  });
  const unpinned = names.filter((name) => wanted.every((other) => other.name !== name));
  const refused =
    unpinned.length === 0
      ? []
      : [`no checksum is pinned of ${unpinned.join(', ')} for ${os}-${arch}`];
  if (wanted.length === 0) return refused;
  const agent = new EnvHttpProxyAgent({
    connectTimeout: settings.connectTimeoutMilliseconds,
    headersTimeout: 10_000,
    bodyTimeout: 30_000,
  });
  const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: 5 }));
  const results = await Promise.allSettled(
    wanted.map((release) => download(release, settings, dispatcher)),
  );
  await agent.destroy();
  return [
    ...refused,
    ...results.flatMap((result) =>
      result.status === 'rejected' ? [errorText(result.reason)] : [],
    ),
  ];
}

type Wanted = {
  readonly name: BinaryName;
  readonly file: string;
  readonly checksum: string;
  readonly target: string;
};

async function download(
  { name, file, checksum, target }: Wanted,
  settings: DownloadSettings,
  dispatcher: Dispatcher,
): Promise<void> {
  const isEtcd = releases[name].publisher === 'etcd';
  const url = `${isEtcd ? settings.etcdUrl : settings.kubernetesUrl}/${file}`;
  await withPartial(target, async (partial) => {
    await fetchVerified(url, checksum, partial, dispatcher);
    await complete(
      isEtcd ? await unpack(partial, `${path.basename(file, '.tar.gz')}/${name}`) : partial,
      target,
    );
  });
}

/** One archive holds the server and its tools. */
async function unpack(archive: string, member: string): Promise<string> {
  const folder = `${archive}.d`;
  await promisify(execFile)('/bin/sh', [
    '-c',
    'mkdir "$1" && tar -xzf "$2" -C "$1" "$3"',
    'sh',
    folder,
    archive,
    member,
  ]);
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

/**
 * What is half there has a name that nobody asks for, in the same folder, so that the last step is
 * a rename.
 */
async function withPartial(
  target: string,
  work: (partial: string) => Promise<void>,
): Promise<void> {
  const partial = path.join(
    path.dirname(target),
    `.partial-${path.basename(target)}-${crypto.randomUUID()}`,
  );
  try {
    await work(partial);
  } finally {
    await Promise.all([
      rm(partial, { force: true }),
      rm(`${partial}.d`, { recursive: true, force: true }),
    ]);
  }
}

async function complete(partial: string, target: string): Promise<void> {
  await chmod(partial, 0o755);
  await rename(partial, target);
}
