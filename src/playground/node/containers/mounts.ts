// How does a container come to see its volumes at the paths that its template says?
import { execFile } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { V1Container, V1VolumeMount } from '@kubernetes/client-node';
import { messageOf } from '../../failure.ts';
import { type Host, type Mount, planRoot } from './root-plan.ts';

export type MountWish = 'auto' | 'namespace' | 'rewrite';

/**
 * `rewrite` when this machine gives no mount namespaces: paths in the command and the environment
 * are mapped instead.
 */
export type MountMode =
  | { readonly type: 'namespace'; readonly isRoot: boolean }
  | { readonly type: 'rewrite'; readonly reason: string };

export type MountIdentity = {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  readonly groups: readonly number[];
};

/** A command line that runs another one as a container's first process. */
export type MountWrapper = { readonly argv: readonly string[]; readonly reportsStart: boolean };

/**
 * In a mount namespace of its own: binds over the skeleton, then the skeleton becomes the root and
 * this machine's root goes. Everything that goes wrong is told on descriptor 3; its last line
 * `started` says that the pod's own program is next, as soon as there is a word on that descriptor.
 * The namespace, and with it every mount, ends with its last process: nothing has to be unmounted.
 */
const script = `
set -e
root=$1 table=$2 host=$3 dir=$4 path=$5 program=$6; shift 6
exec 4>&2 2>&3
mount --bind "$root" "$root"
mount --make-unbindable "$root"
mount --all --fstab "$table"
cd "$root"
pivot_root . .host
umount --lazy /.host
rmdir /.host
hostname "$host" || echo "$host" > /proc/sys/kernel/hostname || true
cd "$dir"
PATH=$path
command -v "$program" > /dev/null || { echo "exec: \\"$program\\": executable file not found in \\$PATH" >&3; exit 127; }
echo started >&3
read -r _ <&3 || true
exec 2>&4 4>&- 3>&-
exec "$@"
`;

const namespaces = (isRoot: boolean): readonly string[] => [
  'unshare',
  ...(isRoot ? [] : ['--user', '--map-root-user']),
  '--mount',
  '--uts',
  '--propagation',
  'private',
  '--',
];

const thisMachine: Host = {
  entry: (at) => {
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    return stat.isDirectory() ? 'directory' : stat.isSymbolicLink() ? 'link' : 'file';
  },
  children: (directory) => readdirSync(directory),
  real: (at) => realpathSync(at),
};

/** Tried once with all that a container needs; what fails there would fail for every pod. */
export async function findMountMode(wished: MountWish, dir: string): Promise<MountMode> {
  if (wished === 'rewrite') return { type: 'rewrite', reason: 'chosen by the settings' };
  const isRoot = process.getuid?.() === 0;
  const mode = { type: 'namespace', isRoot } as const;
  const trial = path.join(dir, 'mount-trial');
  try {
    const source = path.join(trial, 'source');
    mkdirSync(source, { recursive: true });
    const mounts = [{ source, target: '/var/run/secrets/trial', readOnly: true, isFile: false }];
    const root = path.join(trial, 'root');
    const wish = {
      root,
      mounts,
      workingDir: '/',
      hostname: 'trial',
      path: systemPath,
      program: 'true',
      identity,
    };
    const wrapper = wrap(mode, wish);
    const [file = '', ...args] = [...wrapper.argv, 'true'];
    // Nobody says a word to it: what it reads has to be at its end.
    await promisify(execFile)('sh', ['-c', 'exec "$@" 3<>/dev/null', 'sh', file, ...args], {
      timeout: 60_000,
    });
    return mode;
  } catch (error) {
    const reason = `this machine gives no mount namespaces: ${messageOf(error)}`;
    if (wished === 'namespace') throw new Error(reason, { cause: error });
    return { type: 'rewrite', reason };
  } finally {
    rmSync(trial, { recursive: true, force: true });
  }
}

/** Where the tools of this file are, whatever PATH a pod sets for itself. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const setpriv = '/usr/bin/setpriv';
const identity: MountIdentity = { uid: undefined, gid: undefined, groups: [] };

export type RootWish = {
  /** The folder for the skeleton; it must not exist yet. */
  readonly root: string;
  readonly mounts: readonly Mount[];
  readonly workingDir: string;
  readonly hostname: string;
  /** The container's own PATH, in which its program is looked for. */
  readonly path: string;
  readonly program: string;
  readonly identity: MountIdentity;
};

/** Writes the skeleton; the answer is what to put in front of the container's own command line. */
export function wrap(
  { isRoot }: Extract<MountMode, { type: 'namespace' }>,
  wish: RootWish,
): MountWrapper {
  const { root } = wish;
  const plan = planRoot(wish.mounts, [wish.workingDir], thisMachine);
  for (const directory of ['', '.host', ...plan.directories])
    mkdirSync(path.join(root, directory), { recursive: true, mode: 0o755 });
  for (const file of plan.files) writeFileSync(path.join(root, file), '');
  for (const link of plan.links) symlinkSync(readlinkSync(`/${link}`), path.join(root, link));
  for (const { at, isFile } of plan.inside) makeMountPoint(at, isFile);
  const table = `${root}.mounts`;
  writeFileSync(
    table,
    plan.binds
      .map(({ source, target, options }) => line(source, path.join(root, target), options))
      .join(''),
  );
  const given = [root, table, wish.hostname, wish.workingDir, wish.path, wish.program];
  return {
    argv: [...namespaces(isRoot), 'sh', '-c', script, 'sh', ...given, ...become(wish.identity)],
    reportsStart: true,
  };
}

export function removeRoot(root: string): void {
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  rmSync(`${root}.mounts`, { force: true });
}

/** Sets user and groups as the last step, for the mounts before it need root. */
function become({ uid, gid, groups }: MountIdentity): readonly string[] {
  if (uid === undefined && gid === undefined && groups.length === 0) return [];
  const wanted = groups.length === 0 ? '--clear-groups' : `--groups=${groups.join(',')}`;
  return [
    setpriv,
    ...(uid === undefined ? [] : [`--reuid=${uid}`]),
    `--regid=${gid ?? 0}`,
    wanted,
    '--',
  ];
}

/** Runs a command among the mounts of a container that runs, as `kubectl exec` would. */
export function enter(
  { isRoot }: Extract<MountMode, { type: 'namespace' }>,
  pid: number,
  dir: string,
): readonly string[] {
  const user = isRoot ? [] : ['--user', '--preserve-credentials'];
  return [
    'nsenter',
    `--target=${pid}`,
    '--mount',
    '--uts',
    ...user,
    '--',
    'sh',
    '-c',
    'cd "$1" && shift && exec "$@"',
    'sh',
    dir,
  ];
}

function makeMountPoint(at: string, isFile: boolean): void {
  mkdirSync(isFile ? path.dirname(at) : at, { recursive: true });
  if (isFile) writeFileSync(at, '', { flag: 'a' });
}

const escaped = (text: string): string =>
  text.replace(/[\s\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
const line = (source: string, target: string, options: string): string =>
  `${escaped(source)} ${escaped(target)} none ${options} 0 0\n`;

/**
 * Where each of the container's mounts comes from on this machine. What a subPath names is looked
 * up now, once: as in a kubelet, a file that was mounted this way does not follow changes.
 */
export function mountsOf(
  { volumeMounts = [] }: V1Container,
  volumeDir: (volume: string) => string,
  subPath: (mount: V1VolumeMount) => string,
): Mount[] {
  return volumeMounts.map((mount) => {
    const dir = volumeDir(mount.name);
    const below = path.posix.normalize(subPath(mount));
    if (below.startsWith('..') || below.startsWith('/'))
      throw new Error(`subPath "${below}" must stay within its volume`);
    const wanted = path.join(dir, below);
    if (thisMachine.entry(wanted) === undefined) mkdirSync(wanted, { recursive: true });
    // The volume's folder itself is bound, never what `..data` points at: so an update is seen
    // through the mount.
    const source = below === '.' ? dir : realpathSync(wanted);
    return {
      source,
      target: mount.mountPath,
      readOnly: mount.readOnly ?? false,
      isFile: thisMachine.entry(source) === 'file',
    };
  });
}

/** Without namespaces: each mount path in a text becomes the folder on this machine. */
export function rewritePaths(text: string, mounts: readonly Mount[]): string {
  const longestFirst = [...mounts].sort((a, b) => b.target.length - a.target.length);
  const places = new Map(
    longestFirst.map(({ target, source }) => [target.replace(/\/+$/, ''), source]),
  );
  if (places.size === 0) return text;
  const any = [...places.keys()]
    .map((target) => target.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('|');
  return text.replace(
    new RegExp(`(?<![\\w./-])(${any})(?![\\w.-])`, 'g'),
    (target) => places.get(target) ?? target,
  );
}
