// Does the chart of a release install the released image?
import { expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { releasedChart } from '../../../../scripts/release/chart.ts';
import { dig } from '../../../../src/api/objects.ts';

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
const release = {
  image: `ghcr.io/someone/swarm-operator@${digest}`,
  registry: 'ghcr.io/someone/charts',
  source: 'https://github.com/someone/swarm-operator',
};
const files = new Map(releasedChart(release));
const file = (name: string): string => files.get(name) ?? '';

it('a released chart names the image by its digest, and by no tag that could be moved', () => {
  expect(dig(load(file('values.yaml')), 'image')).toEqual({
    repository: 'ghcr.io/someone/swarm-operator',
    tag: '',
    digest,
    pullPolicy: 'IfNotPresent',
  });
  const annotations = dig(load(file('Chart.yaml')), 'annotations');
  const images = load(String(dig(annotations, 'artifacthub.io/images')));
  expect(images).toEqual([{ name: 'swarm-operator', image: release.image, whitelisted: false }]);
});

it('a released chart says where it and its source come from', () => {
  const { home, sources } = load(file('Chart.yaml')) as { home: string; sources: unknown };
  expect({ home, sources }).toEqual({ home: release.source, sources: [release.source] });
  expect(file('README.md')).toMatch(
    /^helm install swarm-operator oci:\/\/ghcr\.io\/someone\/charts\/swarm-operator --version \d+\.\d+\.\d+ --namespace/m,
  );
  expect(file('README.md')).not.toContain('deploy/chart');
});

it.each(['ghcr.io/someone/swarm-operator:0.1.0', 'swarm-operator@sha256:0123', ''])(
  'a chart is not released with the image %j',
  (image) =>
    expect(() => releasedChart({ ...release, image })).toThrow(
      'is not valid; expected REPOSITORY@',
    ),
);
