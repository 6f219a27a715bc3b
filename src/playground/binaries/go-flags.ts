// By which flags does `go build` take the least processor time for programs that are fast enough?
import { type BinaryName, kubernetesVersion, releases } from './releases.ts';

/**
 * Kubernetes is some 2,700 packages, and compiling them is the whole cost: linking takes 2 %. What
 * pays is in docs/performance.md: no debugging information (it would be stripped anyway), and no
 * inlining outside of Go's own packages.
 */
const compilerFlags = ['-gcflags=all=-l -dwarf=false', '-gcflags=std=-dwarf=false'];

/** The version is stamped into the binaries: kubectl compares its own with the server's. */
export function buildFlags(names: readonly BinaryName[]): string[] {
  const [tags] = names.map((name) => releases[name].tags);
  const [major, minor] = kubernetesVersion.slice(1).split('.');
  const versions = { gitVersion: kubernetesVersion, gitMajor: major, gitMinor: minor };
  const stamps = Object.entries(versions).map(
    ([variable, value]) => `-X k8s.io/component-base/version.${variable}=${value}`,
  );
  return [
    '-mod=readonly',
    '-buildvcs=false',
    '-trimpath',
    ...(tags === undefined ? [] : [`-tags=${tags}`]),
    ...compilerFlags,
    `-ldflags=-s -w ${stamps.join(' ')}`,
  ];
}
