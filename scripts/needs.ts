// What does a suite need before its first test? It is got here, with progress: no test builds or
// downloads anything.
import { findBinaries } from '../src/playground/binaries/binaries.ts';
import type { BinaryName } from '../src/playground/binaries/releases.ts';

const localKubernetes = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kubectl',
] as const satisfies readonly BinaryName[];

/** The local Kubernetes, as `npm run demo` has it, and more. */
export async function getBinaries<N extends BinaryName = never>(...more: readonly N[]) {
  console.log('\n▸ the local Kubernetes');
  const found = await findBinaries<(typeof localKubernetes)[number] | N>([
    ...localKubernetes,
    ...more,
  ]);
  console.log(`  ${found['kube-apiserver']}`);
  return found;
}

/** It gives each pod of a playground an address of its own; without it the playground says why. */
export async function getBindIfPossible(): Promise<void> {
  await findBinaries(['bind']).catch((error: Error) => console.log(`  ${error.message}`));
}
