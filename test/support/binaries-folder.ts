// Where are the binaries of a playground that a test starts as a program of its own?
import path from 'node:path';
import { findBinaries } from '../../src/playground/binaries/binaries.ts';

/** For KUBEBUILDER_ASSETS and PATH: in a cache of its own such a program finds none. */
export async function binariesFolder(): Promise<string> {
  const { kubectl } = await findBinaries([
    'etcd',
    'kube-apiserver',
    'kube-controller-manager',
    'kubectl',
  ]);
  return path.dirname(kubectl);
}
