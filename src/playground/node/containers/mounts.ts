// Mounts the volumes of a container at the paths of its template.
import { execFile } from 'node:child_process';
import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { V1Container, V1VolumeMount } from '@kubernetes/client-node';
import { errorText } from '../../../api/text.ts';
import { type Host, type Mount, planRoot } from './root-plan.ts';

export type MountWish = 'auto' | 'namespace' | 'rewrite';

/** `rewrite`: without mount namespaces, paths in the command and the environment are mapped. */
export type MountMode =
  | { readonly type: 'namespace'; readonly isRoot: boolean }
  | { readonly type: 'rewrite'; readonly reason: string };

export type MountIdentity = {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  readonly groups: readonly number[];
};

/**
 * Runs in a mount namespace of its own, which ends with its last process, and so do all mounts.
 * Errors go to descriptor 3. After the line `started` it waits for input there, and then runs the
 * program of the container. A program of this machine that a volume may hide is opened before.
 */
const script = `
set -e
root=$1 table=$2 host=$3 dir=$4 path=$5 program=$6 opened=$7; shift 7
exec 4>&2 2>&3
[ -z "$opened" ] || exec 5<"$opened"
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

const SHARED_MEMORY = '/dev/shm';

/**
 * A root has a folder or an empty file for each entry of `/etc` and others. In memory they take a
 * tenth of the processor time that they take on a disk, and no space.
 */
export function parentOfRoots(): string {
  try {
    accessSync(SHARED_MEMORY, constants.W_OK | constants.X_OK);
    return SHARED_MEMORY;
  } catch {
    return tmpdir();
  }
}

/** Runs a trial container. */
export async function findMountMode(wished: MountWish, dir: string): Promise<MountMode> {
  if (wished === 'rewrite') return { type: 'rewrite', reason: 'chosen by the settings' };
  const isRoot = process.getuid?.() === 0;
  const trial = path.join(dir, 'mount-trial');
  try {
    const source = path.join(trial, 'source');
    mkdirSync(source, { recursive: true });
    const wrapper = wrap(isRoot, {
      root: path.join(trial, 'root'),
      mounts: [{ source, target: '/var/run/secrets/trial', readOnly: true, isFile: false }],
      workingDir: '/',
      hostname: 'trial',
      path: systemPath,
      program: 'true',
      identity: { uid: undefined, gid: undefined, groups: [] },
    });
    // The script reads the end of /dev/null and goes on.
    const args = ['-c', 'exec "$@" 3<>/dev/null', 'sh', ...wrapper, 'true'];
    await promisify(execFile)('sh', args, { timeout: 60_000 });
    return { type: 'namespace', isRoot };
  } catch (error) {
    const reason = `this machine gives no mount namespaces: ${errorText(error)}`;
    if (wished === 'namespace') throw new Error(reason, { cause: error });
    return { type: 'rewrite', reason };
  } finally {
    rmSync(trial, { recursive: true, force: true });
  }
}

/** For the tools of this file, whatever PATH a pod sets. */
export const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

type RootWish = {
  /** The folder for the skeleton; it must not exist yet. */
  readonly root: string;
  readonly mounts: readonly Mount[];
  readonly workingDir: string;
  readonly hostname: string;
  /** The PATH in which the program is searched. */
  readonly path: string;
  readonly program: string;
  /** A command that runs the program (all-addresses.ts). */
  readonly before?: readonly string[];
  readonly identity: MountIdentity;
};

/** Writes the skeleton; returns the command that the command line of the container is put after. */
export function wrap(isRoot: boolean, wish: RootWish): readonly string[] {
  const { root } = wish;
  const plan = planRoot(wish.mounts, [wish.workingDir], thisMachine);
  mkdirSync(path.join(root, '.host'), { recursive: true });
  for (const [at, entry] of plan.skeleton) {
    const made = path.join(root, at);
    if (entry === 'link') symlinkSync(readlinkSync(at), made);
    else makeMountPoint(made, entry === 'file');
  }
  for (const { at, isFile } of plan.inside) makeMountPoint(at, isFile);
  const table = `${root}.mounts`;
  const lines = plan.binds.map(({ source, target, options }) =>
    line(source, path.join(root, target), options),
  );
  writeFileSync(table, lines.join(''));
  const [opened = '', ...more] = wish.before ?? [];
  const given = [root, table, wish.hostname, wish.workingDir, wish.path, wish.program, opened];
  // Before the user changes, who may have no access to it.
  const before = opened === '' ? [] : ['/proc/self/fd/5', ...more];
  const then = [...before, ...become(wish.identity)];
  return [...namespaces(isRoot), 'sh', '-c', script, 'sh', ...given, ...then];
}

export function removeRoot(root: string): void {
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  rmSync(`${root}.mounts`, { force: true });
}

/** The last step, since mounting needs root. */
function become({ uid, gid, groups }: MountIdentity): readonly string[] {
  if (uid === undefined && gid === undefined && groups.length === 0) return [];
  const user = uid === undefined ? [] : [`--reuid=${uid}`];
  const others = groups.length === 0 ? '--clear-groups' : `--groups=${groups.join(',')}`;
  return ['/usr/bin/setpriv', ...user, `--regid=${gid ?? 0}`, others, '--'];
}

/** The command that a command line is put after, to run it in a running container. */
export function enter(isRoot: boolean, pid: number, dir: string): readonly string[] {
  const user = isRoot ? [] : ['--user', '--preserve-credentials'];
  const inFolder = ['sh', '-c', 'cd "$1" && shift && exec "$@"', 'sh', dir];
  return ['nsenter', `--target=${pid}`, '--mount', '--uts', ...user, '--', ...inFolder];
}

function makeMountPoint(at: string, isFile: boolean): void {
  mkdirSync(isFile ? path.dirname(at) : at, { recursive: true });
  if (isFile) writeFileSync(at, '', { flag: 'a' });
}

const escaped = (text: string): string =>
  text.replace(/[\s\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);
const line = (source: string, target: string, options: string): string =>
  `${escaped(source)} ${escaped(target)} none ${options} 0 0\n`;

/** As in a kubelet, a subPath is resolved once: a file mounted by it does not follow changes. */
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
    // The folder of the volume, not the target of `..data`, is bound, and so follows updates.
    const source = below === '.' ? dir : realpathSync(wanted);
    return {
      source,
      target: mount.mountPath,
      readOnly: mount.readOnly ?? false,
      isFile: thisMachine.entry(source) === 'file',
    };
  });
}

/** Replaces mount paths in a text by the folders on this machine. */
export function rewritePaths(text: string, mounts: readonly Mount[]): string {
  const sources = new Map(mounts.map(({ target, source }) => [target.replace(/\/+$/, ''), source]));
  if (sources.size === 0) return text;
  const targets = [...sources.keys()].sort((a, b) => b.length - a.length);
  const any = targets.map((target) => target.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const pattern = new RegExp(`(?<![\\w./-])(${any})(?![\\w.-])`, 'g');
  return text.replace(pattern, (target) => sources.get(target) ?? target);
}
