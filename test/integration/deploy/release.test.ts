// Is the one file that a release is installed from what kustomize makes of the repository?
import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { loadAll } from 'js-yaml';
import { releasedManifest } from '../../../scripts/release/manifest.ts';
import { findBinaries } from '../../../src/playground/binaries/binaries.ts';
import { repository } from './overlays.ts';

const image = `ghcr.io/someone/swarm-operator@sha256:${'0123456789abcdef'.repeat(4)}`;

it('a released manifest is the kustomize base, with the image by its digest', async () => {
  const { kubectl } = await findBinaries(['kubectl']);
  const base = execFileSync(kubectl, ['kustomize', repository], { encoding: 'utf8' });
  expect(base).toContain('image: swarm-operator:dev\n');
  expect(loadAll(releasedManifest(image, kubectl))).toEqual(
    loadAll(base.replace('image: swarm-operator:dev\n', `image: ${image}\n`)),
  );
});
