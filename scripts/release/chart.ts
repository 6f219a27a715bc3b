// What does the chart of a release look like? As in deploy/chart, with the released image by its
// digest. Usage: release/chart.ts FOLDER IMAGE@DIGEST REGISTRY SOURCE, which writes it into
// FOLDER/swarm-operator; for example: release/chart.ts /tmp ghcr.io/me/swarm-operator@sha256:…
// ghcr.io/me/charts https://github.com/me/swarm-operator
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chartFiles } from '../chart/chart.ts';
import { readDefinitions } from '../definitions/schema.ts';
import { parseImage } from './image-name.ts';

const root = path.resolve(import.meta.dirname, '../..');

export type ChartRelease = {
  readonly image: string;
  readonly registry: string;
  readonly source: string;
};

/** By their paths in the chart. */
export function releasedChart({
  image,
  registry,
  source,
}: ChartRelease): readonly (readonly [string, string])[] {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const definitions = readDefinitions(pathToFileURL(`${root}/crds/`));
  const installed = `oci://${registry}/swarm-operator --version ${version}`;
  const published = { image: parseImage(image), installed, source };
  return chartFiles(root, definitions, published).map(([file, text]) => [
    path.relative('deploy/chart', file),
    text,
  ]);
}

if (import.meta.main) {
  const [folder = '', image = '', registry = '', source = ''] = process.argv.slice(2);
  const chart = path.join(folder, 'swarm-operator');
  cpSync(path.join(root, 'deploy/chart'), chart, { recursive: true });
  for (const [file, text] of releasedChart({ image, registry, source })) {
    mkdirSync(path.dirname(path.join(chart, file)), { recursive: true });
    writeFileSync(path.join(chart, file), text);
  }
}
