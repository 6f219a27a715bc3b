// Which checksums do the pinned versions have? Fetches them from the publishers and writes them to
// src/playground/binaries/checksums.ts. Before a commit, compare them with another source: signed
// provenance, a package of a distribution, another network.
import { readFileSync, writeFileSync } from 'node:fs';
import {
  type DownloadSettings,
  officialReleases,
  releaseFileOf,
} from '../src/playground/binaries/download.ts';
import { type BinaryName, releases } from '../src/playground/binaries/releases.ts';
import { root, run } from './run.ts';

const processors = ['amd64', 'arm64'];

/** By the names of released files, in their order. */
export async function publishedChecksums(
  from: Pick<DownloadSettings, 'kubernetesUrl' | 'etcdUrl'>,
): Promise<Record<string, string>> {
  const names = Object.keys(releases).filter((name): name is BinaryName => name in releases);
  const wanted = processors.flatMap((arch) =>
    names.flatMap((name) => {
      const file = releaseFileOf(name, arch);
      return file === undefined ? [] : [[file, releases[name].publisher] as const];
    }),
  );
  const found: Record<string, string> = {};
  for (const [file, publisher] of [...new Map(wanted)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const folder = file.slice(0, file.lastIndexOf('/'));
    const url =
      publisher === 'etcd'
        ? `${from.etcdUrl}/${folder}/SHA256SUMS`
        : `${from.kubernetesUrl}/${file}.sha256`;
    found[file] = checksumIn(await textAt(url), file.slice(folder.length + 1), url);
  }
  return found;
}

/** A single checksum, or a list with a line that names the file. */
function checksumIn(text: string, name: string, url: string): string {
  const line = url.endsWith('/SHA256SUMS')
    ? text.split('\n').find((each) => each.endsWith(` ${name}`))
    : text;
  const checksum = line?.trim().split(/\s/)[0] ?? '';
  if (!/^[0-9a-f]{64}$/.test(checksum)) throw new Error(`${url} tells no SHA-256 of ${name}`);
  return checksum;
}

async function textAt(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.text();
}

if (import.meta.main) {
  const file = `${root}src/playground/binaries/checksums.ts`;
  const table = JSON.stringify(await publishedChecksums(officialReleases), undefined, 2);
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(/(Record<string, string>> = )\{[^}]*\}/, `$1${table}`),
  );
  run('format', 'biome', ['check', '--write', file]);
}
