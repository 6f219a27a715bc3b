// Where is Prometheus? On the PATH, or in Debian's package, unpacked into the user's cache: an
// installed package would start its own server.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cachesOf } from '../../src/playground/binaries/binaries.ts';

const names = ['prometheus', 'promtool'] as const;

export type Found = { readonly folder: string } | { readonly refusal: string };

/** Downloads it if it is missing. */
export function getPrometheus(): Found {
  const cache = path.join(cachesOf(process.env), 'swarm-operator/prometheus');
  const there = (): Found | undefined => {
    const folders = [
      ...(process.env['PATH'] ?? '').split(path.delimiter),
      path.join(cache, 'usr/bin'),
    ];
    const folder = folders.find((it) => names.every((name) => existsSync(path.join(it, name))));
    return folder === undefined ? undefined : { folder };
  };
  return (
    there() ??
    unpack(cache) ??
    there() ?? { refusal: 'the Debian package prometheus holds no prometheus' }
  );
}

/** Returns what went wrong. */
function unpack(cache: string): Found | undefined {
  mkdirSync(path.dirname(cache), { recursive: true });
  const work = mkdtempSync(`${cache}-`);
  const run = (program: string, ...args: readonly string[]): boolean =>
    spawnSync(program, args, { cwd: work, stdio: 'ignore' }).status === 0;
  try {
    if (!run('apt-get', '--version'))
      return { refusal: 'there is neither a prometheus on PATH nor apt-get to have one' };
    console.log('  downloading prometheus');
    // Without package lists, or with old ones, the first try finds no package; root may update
    // them.
    const download = (): boolean => run('apt-get', '-qq', 'download', 'prometheus');
    if (!download() && !(run('apt-get', '-qq', 'update') && download()))
      return { refusal: 'apt-get cannot download the package prometheus' };
    const archive = readdirSync(work).find((file) => file.endsWith('.deb')) ?? '';
    if (!run('dpkg-deb', '--extract', archive, 'files'))
      return { refusal: `dpkg-deb cannot unpack ${archive}` };
    rmSync(cache, { recursive: true, force: true });
    renameSync(path.join(work, 'files'), cache);
    return undefined;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
