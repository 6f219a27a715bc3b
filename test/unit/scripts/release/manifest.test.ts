// Which manifest may a release have?
import { expect, it } from '@jest/globals';
import { checkManifest } from '../../../../scripts/release/manifest.ts';

const image = `ghcr.io/someone/swarm-operator@sha256:${'0123456789abcdef'.repeat(4)}`;
const deployment = (...images: readonly string[]): string =>
  JSON.stringify({
    kind: 'Deployment',
    spec: { template: { spec: { containers: images.map((each) => ({ image: each })) } } },
  });

it('a released manifest may run the released image', () =>
  expect(() => checkManifest(`kind: Service\n---\n${deployment(image)}`, image)).not.toThrow());

it.each<[string, string, string]>([
  ['the image of a checkout', deployment('swarm-operator:dev'), 'runs swarm-operator:dev, not'],
  ['another image as well', deployment(image, 'other:1'), `runs ${image}, other:1, not`],
  ['nothing', 'kind: Service', 'runs nothing, not'],
])('a released manifest may not run %s', (_, text, problem) =>
  expect(() => checkManifest(text, image)).toThrow(problem),
);
