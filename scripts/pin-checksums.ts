// Which checksums do the publishers tell of the pinned versions, and do those agree that a second
// source told? After a new version: take the checksums of a second source (kubespray's list has
// etcd, kubectl, kubelet and containerd), put them into src/playground/binaries/checksums.ts, run
// this, and commit only if none differs.
import { checksums } from '../src/playground/binaries/checksums.ts';
import { checksumIn, releasedFileOf } from '../src/playground/binaries/publishers.ts';
import { type BinaryName, releases } from '../src/playground/binaries/releases.ts';

const processors = ['amd64', 'arm64'];

export interface Comparison {
  readonly url: string;
  readonly published: string;
  readonly verdict: 'the same' | 'differs' | 'not pinned';
}

export async function comparePins(
  pinned: Readonly<Record<string, string>>,
  textAt: (url: string) => Promise<string>,
): Promise<readonly Comparison[]> {
  const names = Object.keys(releases).filter((name): name is BinaryName => name in releases);
  const files = new Map(
    processors.flatMap((arch) =>
      names.flatMap((name) => {
        const file = releasedFileOf(name, arch);
        return file === undefined ? [] : [[file.url, file.checksumUrl] as const];
      }),
    ),
  );
  const found: Comparison[] = [];
  for (const [url, checksumUrl] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const published = checksumIn(await textAt(checksumUrl), url);
    if (published === undefined) throw new Error(`${checksumUrl} has no SHA-256 for ${url}`);
    const own = pinned[url];
    const verdict = own === undefined ? 'not pinned' : own === published ? 'the same' : 'differs';
    found.push({ url, published, verdict });
  }
  return found;
}

async function textAt(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.text();
}

if (import.meta.main) {
  const found = await comparePins(checksums, textAt);
  for (const { url, published, verdict } of found) console.log(`${verdict}: ${published}  ${url}`);
  process.exitCode = found.some(({ verdict }) => verdict === 'differs') ? 1 : 0;
}
