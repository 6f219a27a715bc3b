// Is this version of the chart published? If not, it is now. A version never becomes another chart,
// so that a release can run again: FILE is replaced by the published one, whose archive differs in
// its times alone. Usage: release/publish-chart.ts FILE.tgz REGISTRY, which prints the digest.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { existing, type Outcome, type Run, run, succeeded } from './command.ts';

/** Throws when the published chart has other contents. */
export function publishChart(file: string, registry: string, by: Run): string {
  const [, name = '', version = ''] = /^(.+)-(\d+\.\d+\.\d+)\.tgz$/.exec(path.basename(file)) ?? [];
  const chart = `oci://${registry}/${name}`;
  const folder = mkdtempSync(path.join(tmpdir(), 'swarm-chart-'));
  try {
    const pull = by('helm', 'pull', chart, '--version', version, '--destination', folder);
    const found = existing(`looking for ${chart} ${version}`, pull);
    if (found === undefined)
      return digestIn(
        succeeded(`publishing ${chart}`, by('helm', 'push', file, `oci://${registry}`)),
      );
    const published = path.join(folder, path.basename(file));
    const contents = (archive: string): string =>
      succeeded(`reading ${archive}`, by('tar', '-xzOf', archive)).stdout;
    if (contents(published) !== contents(file))
      throw new Error(`${chart} ${version} is already published with different contents`);
    cpSync(published, file);
    return digestIn(found);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function digestIn({ stdout, stderr }: Outcome): string {
  const [, digest] = /^Digest: (sha256:[0-9a-f]{64})$/m.exec(`${stdout}\n${stderr}`) ?? [];
  if (digest === undefined) throw new Error(`helm printed no digest:\n${stdout}\n${stderr}`);
  return digest;
}

if (import.meta.main) {
  const [file = '', registry = ''] = process.argv.slice(2);
  console.log(publishChart(file, registry, run));
}
