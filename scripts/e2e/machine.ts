// Can this machine run a real node, and does it have the necessary programs?
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

/** A program or file, and its Debian package. */
const needed: readonly (readonly [program: string, debianPackage: string])[] = [
  ['runc', 'runc'],
  ['/usr/lib/cni/ptp', 'containernetworking-plugins'],
  ['buildah', 'buildah'],
  ['mmdebstrap', 'mmdebstrap'],
  ['iptables', 'iptables'],
  ['conntrack', 'conntrack'],
  ['ip', 'iproute2'],
  ['setpriv', 'util-linux'],
  ['unshare', 'util-linux'],
  ['mount', 'mount'],
];

const missingPackages = (): readonly string[] =>
  needed.flatMap(([program, debianPackage]) => (isThere(program) ? [] : [debianPackage]));

/** Why this machine cannot run a real node; undefined: it can. */
export function refusal(
  platform: string = process.platform,
  uid: number | undefined = process.getuid?.(),
): string | undefined {
  if (platform !== 'linux') return `a real node needs Linux, and this is ${platform}`;
  if (uid !== 0) return 'a real node needs root: namespaces, mounts and cgroups are made';
  const missing = missingPackages();
  if (missing.length > 0 && !isThere('apt-get'))
    return `a real node needs ${missing.join(', ')}, by Debian's names, and there is no apt-get to install them`;
  return undefined;
}

/** Throws an error that names the packages if they cannot be installed. */
export function installPackages(): void {
  const missing = missingPackages();
  if (missing.length === 0) return;
  console.log(`  installing ${missing.join(', ')}`);
  const apt = (...args: string[]): boolean =>
    spawnSync('apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    }).status === 0;
  const install = ['install', '--yes', '--no-install-recommends', ...missing];
  // Without package lists, or with old ones, the first try finds no package.
  if (!apt('-qq', ...install) && !(apt('-qq', 'update') && apt('-qq', ...install)))
    throw new Error(
      `these Debian packages are needed, but could not be installed: ${missing.join(', ')}`,
    );
}

function isThere(program: string): boolean {
  if (path.isAbsolute(program)) return existsSync(program);
  const folders = [...(process.env['PATH'] ?? '').split(path.delimiter), '/usr/sbin', '/sbin'];
  return folders.some((folder) => existsSync(path.join(folder, program)));
}
