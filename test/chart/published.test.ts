// Does the chart that a release publishes install what the manifest of that release installs?
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { releasedChart } from '../../scripts/release/chart.ts';
import { releasedManifest } from '../../scripts/release/manifest.ts';
import { isKubeObject } from '../../src/api/objects.ts';
import { findBinaries } from '../../src/playground/binaries/binaries.ts';
import { asReleased, chart, Helm } from './helm.ts';

const image = `ghcr.io/someone/swarm-operator@sha256:${'0123456789abcdef'.repeat(4)}`;
const folder = mkdtempSync(path.join(tmpdir(), 'swarm-published-'));
const published = path.join(folder, 'swarm-operator');
let helm: Helm;
let kubectl: string;

beforeAll(async () => {
  helm = await Helm.find();
  ({ kubectl } = await findBinaries(['kubectl']));
  cpSync(chart, published, { recursive: true });
  const release = { image, registry: 'ghcr.io/someone/charts', source: 'https://example.org/it' };
  for (const [file, text] of releasedChart(release))
    writeFileSync(path.join(published, file), text);
});

afterAll(() => rmSync(folder, { recursive: true }));

it('helm finds nothing wrong in the chart of a release, and packs it under its version', async () => {
  expect(await helm.run('lint', '--strict', published)).toContain('0 chart(s) failed');
  const packed = await helm.run('package', published, '--destination', folder);
  expect(packed).toMatch(/swarm-operator-\d+\.\d+\.\d+\.tgz$/m);
});

it('the chart of a release installs the same objects as its manifest', async () => {
  const objects = loadAll(releasedManifest(image, kubectl)).filter(isKubeObject);
  expect(await helm.render({ from: published })).toEqual(asReleased(objects));
});
