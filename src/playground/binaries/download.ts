// How does an officially released binary come here, and is it the one that was released?
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { chmod, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { type Dispatcher, EnvHttpProxyAgent, interceptors, request } from 'undici';
import { messageOf } from '../failure.ts';
import { type BinaryName, etcdVersion, kubernetesVersion, type Platform, releases } from './releases.ts';

export interface DownloadSettings {
  readonly kubernetesUrl: string;
  readonly etcdUrl: string;
  readonly connectTimeoutMilliseconds: number;
}

/** Many machines have no way out, and some drop packets instead of refusing them: these should lose no more than a moment. */
export const officialReleases: DownloadSettings = {
  kubernetesUrl: 'https://dl.k8s.io/release',
  etcdUrl: 'https://github.com/etcd-io/etcd/releases/download',
  connectTimeoutMilliseconds: 3_000,
};

/** Fetches all of them at once; what fails is told, the others are there nevertheless. */
export async function downloadBinaries(
  names: readonly BinaryName[],
  folder: string,
  { os, arch }: Platform,
  settings: DownloadSettings,
): Promise<string[]> {
  if (os !== 'linux') return [`server binaries are released for linux only, not for ${os}`];
  const agent = new EnvHttpProxyAgent({
    connectTimeout: settings.connectTimeoutMilliseconds,
    headersTimeout: 10_000,
    bodyTimeout: 30_000,
  });
  const dispatcher = agent.compose(interceptors.redirect({ maxRedirections: 5 }));
  const results = await Promise.allSettled(names.map((name) => download(name, path.join(folder, name), arch, settings, dispatcher)));
  await agent.destroy();
  return results.flatMap((result) => (result.status === 'rejected' ? [messageOf(result.reason)] : []));
}

async function download(
  name: BinaryName,
  target: string,
  arch: string,
  { kubernetesUrl, etcdUrl }: DownloadSettings,
  dispatcher: Dispatcher,
): Promise<void> {
  switch (releases[name].publisher) {
    case 'etcd':
      return downloadEtcd(name, etcdUrl, arch, target, dispatcher);
    case 'kubernetes':
      return downloadKubernetes(`${kubernetesUrl}/${kubernetesVersion}/bin/linux/${arch}/${name}`, target, dispatcher);
    case 'containerd':
      throw new Error(`${name} is not downloaded, only built`);
  }
}

async function downloadKubernetes(url: string, target: string, dispatcher: Dispatcher): Promise<void> {
  const checksum = await fetchText(`${url}.sha256`, dispatcher);
  await withPartial(target, async (partial) => {
    await fetchVerified(url, checksum.trim(), partial, dispatcher);
    await complete(partial, target);
  });
}

/** One archive holds the server and its tools. */
async function downloadEtcd(name: string, baseUrl: string, arch: string, target: string, dispatcher: Dispatcher): Promise<void> {
  const release = `etcd-${etcdVersion}-linux-${arch}`;
  const archive = `${release}.tar.gz`;
  const url = `${baseUrl}/${etcdVersion}`;
  const checksums = await fetchText(`${url}/SHA256SUMS`, dispatcher);
  const [checksum] = checksums.split('\n').flatMap((line) => (line.endsWith(` ${archive}`) ? line.split(' ') : []));
  if (checksum === undefined) throw new Error(`${url}/SHA256SUMS does not list ${archive}`);
  await withPartial(target, async (partial) => {
    await fetchVerified(`${url}/${archive}`, checksum, partial, dispatcher);
    const unpacked = `${partial}.d`;
    await promisify(execFile)('/bin/sh', ['-c', 'mkdir "$1" && tar -xzf "$2" -C "$1" "$3"', 'sh', unpacked, partial, `${release}/${name}`]);
    await complete(path.join(unpacked, release, name), target);
  });
}

async function fetchText(url: string, dispatcher: Dispatcher): Promise<string> {
  const response = await get(url, dispatcher);
  return response.body.text();
}

async function fetchVerified(url: string, checksum: string, file: string, dispatcher: Dispatcher): Promise<void> {
  const hash = createHash('sha256');
  const { body } = await get(url, dispatcher);
  body.on('data', (chunk: Buffer) => hash.update(chunk));
  await pipeline(body, createWriteStream(file));
  const actual = hash.digest('hex');
  if (actual !== checksum) throw new Error(`${url} was refused: its SHA-256 is ${actual}, released was ${checksum}`);
}

async function get(url: string, dispatcher: Dispatcher): Promise<Dispatcher.ResponseData> {
  try {
    const response = await request(url, { dispatcher });
    if (response.statusCode === 200) return response;
    await response.body.dump();
    throw new Error(`it answered ${response.statusCode}`);
  } catch (error) {
    throw new Error(`${url}: ${messageOf(error)}`, { cause: error });
  }
}

/** What is half there has a name that nobody asks for, in the same folder, so that the last step is a rename. */
async function withPartial(target: string, work: (partial: string) => Promise<void>): Promise<void> {
  const partial = path.join(path.dirname(target), `.partial-${path.basename(target)}-${crypto.randomUUID()}`);
  try {
    await work(partial);
  } finally {
    await Promise.all([rm(partial, { force: true }), rm(`${partial}.d`, { recursive: true, force: true })]);
  }
}

async function complete(partial: string, target: string): Promise<void> {
  await chmod(partial, 0o755);
  await rename(partial, target);
}
