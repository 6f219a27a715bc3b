// Stories on a real node (kubelet, containerd, runc) with the images of the Dockerfile. Usage:
// test-e2e.ts [--images FOLDER] [jest's arguments] With a folder, existing images there are not
// built again. Needs Linux and root; elsewhere it says so and counts as skipped.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startGuard } from '../src/playground/processes/guard.ts';
import { removeCgroups } from './e2e/cgroups.ts';
import { enclosed } from './e2e/enclosure.ts';
import { archives, buildImages, FFMPEG, sizeOf } from './e2e/images.ts';
import { installPackages, refusal } from './e2e/machine.ts';
import { getBinaries } from './needs.ts';
import { bin, jestRun, record, root } from './run.ts';

const reason = refusal();
if (reason !== undefined) {
  console.log(`Skipped: the end-to-end tests cannot run here: ${reason}.`);
  record('e2e', { passed: 0, failed: 0, skipped: 1 });
  console.log('\n0 passed, 0 failed, 1 skipped');
  process.exit(0);
}

const args = process.argv.slice(2);
const kept = args[0] === '--images' ? args.splice(0, 2)[1] : undefined;
const guard = await startGuard();
const work = mkdtempSync(path.join(tmpdir(), 'swarm-e2e-'));
guard.watchFolder(work);
// Also for this process and its children: no temporary file is left.
process.env['TMPDIR'] = work;
const images = path.resolve(kept ?? path.join(work, 'images'));
try {
  console.log('\n▸ Debian packages for a real node');
  installPackages();
  const { etcd, etcdctl } = await getBinaries(
    'etcdctl',
    'kube-scheduler',
    'kubelet',
    'kube-proxy',
    'containerd',
    'containerd-shim-runc-v2',
    'ctr',
    'coredns',
  );
  console.log('\n▸ images');
  buildImages(images, work, { etcd, etcdctl });
  for (const archive of Object.values(archives))
    console.log(`  ${archive}: ${sizeOf(path.join(images, archive))}`);
  console.log('\n▸ stories on a real node');
  const env = {
    SWARM_E2E_IMAGES: images,
    SWARM_E2E_FFMPEG: path.join(images, FFMPEG),
    SWARM_E2E_FIGURES: `${root}e2e-figures.json`,
  };
  const jest = jestRun(['e2e'], ['--runInBand', ...args]);
  const { passed, failed, skipped } = jest.counts(
    await enclosed([bin(jest.tool), ...jest.given], work, { ...env, ...jest.env }, guard),
  );
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  await removeCgroups();
  rmSync(work, { recursive: true, force: true, maxRetries: 20 });
  guard.forgetFolder(work);
  await guard.close();
}
