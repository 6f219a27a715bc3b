// What is the one file that `kubectl apply -f` installs a release from? The kustomization of the
// repository, with the released image by its digest. Usage: release/manifest.ts FILE IMAGE@DIGEST;
// needs a kubectl on PATH, but no cluster.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dump, loadAll } from 'js-yaml';
import { asList, asString, dig } from '../../src/api/objects.ts';
import { parseImage } from './image-name.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** `base`: the folder of the kustomization, from that of the overlay. */
function releaseOverlay(image: string, base: string): object {
  const { repository, digest } = parseImage(image);
  return {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [base],
    images: [{ name: 'swarm-operator', newName: repository, digest }],
  };
}

/** Kustomize replaces nothing, and says nothing, where deploy/ has another name than expected. */
export function checkManifest(text: string, image: string): void {
  const images = loadAll(text).flatMap((object) =>
    asList(dig(object, 'spec', 'template', 'spec', 'containers')).map((container) =>
      asString(dig(container, 'image')),
    ),
  );
  if (images.length !== 1 || images[0] !== image)
    throw new Error(`the manifest runs ${images.join(', ') || 'nothing'}, not ${image}`);
}

export function releasedManifest(image: string, kubectl = 'kubectl'): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'swarm-release-')));
  try {
    // Kustomize takes no absolute path.
    const overlay = releaseOverlay(image, path.relative(folder, root));
    writeFileSync(path.join(folder, 'kustomization.yaml'), dump(overlay));
    const text = execFileSync(kubectl, ['kustomize', folder], { encoding: 'utf8' });
    checkManifest(text, image);
    return text;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const [file = '', image = ''] = process.argv.slice(2);
  writeFileSync(file, releasedManifest(image));
}
