// Downloads released binaries, several at once, and takes none with another checksum.
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { errorText } from '../../api/text.ts';
import { checksums } from './checksums.ts';
import { checksumIn, type ReleasedFile, releasedFileOf } from './publishers.ts';
import type { BinaryName, Platform } from './releases.ts';
import { sha256Of, sizeOf, textOverTls, transfer } from './transfer.ts';

export interface DownloadSettings {
  /** SHA-256 by the publisher's address, from a second source. */
  readonly checksums: Readonly<Record<string, string>>;
  /** Has the files of `https://HOST/PATH` at `MIRROR/HOST/PATH`. */
  readonly mirror: string | undefined;
  readonly connectTimeoutMilliseconds: number;
  /** After a connection has broken. */
  readonly pausesMilliseconds: readonly number[];
}

/** The short time-out is for machines without access to the internet that drop packets. */
export const officialReleases: DownloadSettings = {
  checksums,
  mirror: undefined,
  connectTimeoutMilliseconds: 3_000,
  pausesMilliseconds: [500, 1_000, 2_000, 4_000, 8_000],
};

interface Downloads {
  /** One sentence for each file that is not here. */
  readonly problems: readonly string[];
  /** Whose checksum rests on its publisher alone. */
  readonly checkedByPublisherOnly: readonly BinaryName[];
}

type OnProgress = (text: string) => void;

export async function downloadBinaries(
  names: readonly BinaryName[],
  folder: string,
  { os, arch }: Platform,
  settings: DownloadSettings,
  onProgress: OnProgress = () => undefined,
): Promise<Downloads> {
  const none = (problem: string): Downloads => ({
    problems: [problem],
    checkedByPublisherOnly: [],
  });
  if (os !== 'linux') return none(`server binaries are released for linux only, not for ${os}`);
  const wanted = wantedFiles(names, arch);
  if (wanted.length === 0) return none('there is no release of them');
  // It follows HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
  const agent = new EnvHttpProxyAgent({
    connectTimeout: settings.connectTimeoutMilliseconds,
    headersTimeout: 10_000,
    bodyTimeout: 30_000,
  });
  const bytes = new Bytes(onProgress);
  const results = await Promise.allSettled(
    wanted.map((file) => download(file, folder, settings, agent, bytes)),
  );
  await agent.destroy();
  const failed = results.filter((result) => result.status === 'rejected');
  return {
    problems: failed.map(({ reason }) => errorText(reason)),
    checkedByPublisherOnly: wanted.flatMap(({ names: of, url }, index) =>
      results[index]?.status === 'fulfilled' && settings.checksums[url] === undefined ? of : [],
    ),
  };
}

type Member = { readonly name: BinaryName; readonly member: string | undefined };
type Wanted = Pick<ReleasedFile, 'url' | 'checksumUrl'> & {
  readonly names: readonly BinaryName[];
  readonly members: readonly Member[];
};

/** An archive with several of them is downloaded once. */
function wantedFiles(names: readonly BinaryName[], arch: string): Wanted[] {
  const wanted = new Map<string, Wanted>();
  for (const name of names) {
    const released = releasedFileOf(name, arch);
    if (released === undefined) continue;
    const { url, checksumUrl, member } = released;
    const earlier = wanted.get(url);
    wanted.set(url, {
      url,
      checksumUrl,
      names: [...(earlier?.names ?? []), name],
      members: [...(earlier?.members ?? []), { name, member }],
    });
  }
  return [...wanted.values()];
}

/** What all files together have received. */
class Bytes {
  readonly #files = new Map<string, readonly [received: number, total: number | undefined]>();
  readonly #onProgress: OnProgress;

  constructor(onProgress: OnProgress) {
    this.#onProgress = onProgress;
  }

  note(url: string, received: number, total: number | undefined): void {
    this.#files.set(url, [received, total]);
    const all = [...this.#files.values()];
    const megabytes = (bytes: readonly number[]): number =>
      Math.round(bytes.reduce((sum, each) => sum + each, 0) / 1e6);
    const totals = all.flatMap(([, of]) => of ?? []);
    const of = totals.length === all.length ? ` of ${megabytes(totals)}` : '';
    this.#onProgress(`${megabytes(all.map(([each]) => each))}${of} MB`);
  }
}

async function download(
  { url, checksumUrl, members }: Wanted,
  folder: string,
  { checksums: pinned, mirror, pausesMilliseconds }: DownloadSettings,
  dispatcher: Dispatcher,
  bytes: Bytes,
): Promise<void> {
  const at = (address: string): string =>
    mirror === undefined ? address : address.replace('https:/', mirror.replace(/\/$/, ''));
  const own = pinned[url];
  const checksum = own ?? (await publishedChecksum(url, at(checksumUrl), dispatcher));
  // In the cache itself: the next process continues it, and the last step is a rename.
  const file = path.join(folder, `.partial-${path.basename(url)}`);
  const onBytes = (received: number, total: number | undefined): void =>
    bytes.note(url, received, total);
  const fetch = (): Promise<void> =>
    transfer({ url: at(url), file, dispatcher, onBytes, pausesMilliseconds });
  const isContinued = (await sizeOf(file)) > 0;
  await fetch();
  let actual = await sha256Of(file);
  if (actual !== checksum && isContinued) {
    // The beginning, from an earlier process, may be damaged.
    await rm(file);
    await fetch();
    actual = await sha256Of(file);
  }
  if (actual !== checksum) {
    await rm(file);
    const whose = own === undefined ? 'but the publisher has' : 'but the pinned one is';
    throw new Error(`${at(url)} was refused: its SHA-256 is ${actual}, ${whose} ${checksum}`);
  }
  await install(file, folder, members);
}

async function publishedChecksum(
  url: string,
  checksumUrl: string,
  dispatcher: Dispatcher,
): Promise<string> {
  const checksum = checksumIn(await textOverTls(checksumUrl, dispatcher), url);
  if (checksum === undefined) throw new Error(`${checksumUrl} has no SHA-256 for ${url}`);
  return checksum;
}

async function install(file: string, folder: string, members: readonly Member[]): Promise<void> {
  const unpacked = await mkdtemp(path.join(folder, '.partial-'));
  try {
    for (const { name, member } of members) {
      if (member !== undefined)
        await promisify(execFile)('tar', ['-xzf', file, '-C', unpacked, member]);
      const binary = member === undefined ? file : path.join(unpacked, member);
      await chmod(binary, 0o755);
      await rename(binary, path.join(folder, name));
    }
  } finally {
    await rm(file, { force: true });
    await rm(unpacked, { recursive: true, force: true });
  }
}
