// The folders, links and mounts of a container's root file system. Pure: `Host` reads the machine.
import path from 'node:path';

type Entry = 'directory' | 'file' | 'link';

export interface Host {
  /** Undefined: it does not exist. Links are not followed. */
  entry(at: string): Entry | undefined;
  children(directory: string): readonly string[];
  /** The path without links; it must exist. */
  real(at: string): string;
}

export type Mount = {
  /** On this machine; a folder or a file. */
  readonly source: string;
  /** In the container. */
  readonly target: string;
  readonly readOnly: boolean;
  readonly isFile: boolean;
};

type Bind = {
  readonly source: string;
  readonly target: string;
  readonly options: 'rbind' | 'bind' | 'bind,ro';
};

type RootPlan = {
  /** Empty folders, empty files and copied links, by their paths in the container. */
  readonly skeleton: ReadonlyMap<string, Entry>;
  /** Mount points within other volumes, which are made in the volume itself. */
  readonly inside: readonly { readonly at: string; readonly isFile: boolean }[];
  /** Mounted over the skeleton, in this order. */
  readonly binds: readonly Bind[];
};

/**
 * The container sees this machine's files, and its volumes at their mount points. A mount point
 * that this machine lacks is made in the skeleton: each folder above it is "opened", which means
 * that it is a folder of the skeleton, and its children are bound into it one by one. The root is
 * always open.
 */
export function planRoot(
  mounts: readonly Mount[],
  folders: readonly string[],
  host: Host,
): RootPlan {
  const ordered = mounts
    .map((mount) => ({ ...mount, target: settled(mount.target, host) }))
    .sort((a, b) => depth(a.target) - depth(b.target) || (a.target < b.target ? -1 : 1));
  const isNested = (mount: Mount): boolean =>
    ordered.some((other) => other !== mount && isBelow(mount.target, other.target));
  const outer = ordered.filter((mount) => !isNested(mount));
  const nested = ordered.filter(isNested);
  const missing = [
    ...outer.filter((mount) => host.entry(mount.target) !== (mount.isFile ? 'file' : 'directory')),
    ...folders
      .map((folder) => ({ target: settled(folder, host), isFile: false }))
      .filter(
        ({ target }) =>
          host.entry(target) === undefined &&
          !ordered.some((mount) => isBelow(target, mount.target)),
      ),
  ];
  const hidden = new Set(missing.map(({ target }) => target));
  const ancestors = missing.flatMap(({ target }) => existingAncestors(target, host));
  const opened = new Set(['/', ...ancestors].sort((a, b) => depth(a) - depth(b)));
  const skeleton = new Map<string, Entry>();
  const binds: Bind[] = [];
  for (const directory of opened) {
    skeleton.set(directory, 'directory');
    for (const name of host.children(directory)) {
      const child = path.posix.join(directory, name);
      const entry = host.entry(child);
      if (opened.has(child) || hidden.has(child) || entry === undefined) continue;
      skeleton.set(child, entry);
      if (entry !== 'link') binds.push({ source: child, target: child, options: 'rbind' });
    }
  }
  for (const { target, isFile } of missing) skeleton.set(target, isFile ? 'file' : 'directory');
  return {
    skeleton,
    inside: nested.map((mount) => insideOf(mount, ordered)),
    binds: [...binds, ...[...outer, ...nested].map(bindOf)],
  };
}

const bindOf = ({ source, target, readOnly }: Mount): Bind => ({
  source,
  target,
  options: readOnly ? 'bind,ro' : 'bind',
});

/** A mount point within another volume is made in the innermost volume around it. */
function insideOf(mount: Mount, all: readonly Mount[]): { at: string; isFile: boolean } {
  const around = all.findLast((other) => other !== mount && isBelow(mount.target, other.target));
  const at =
    around === undefined
      ? mount.target
      : path.join(around.source, path.posix.relative(around.target, mount.target));
  return { at, isFile: mount.isFile };
}

/** The target with the links of its existing part resolved: `/var/run/x` is `/run/x`. */
function settled(target: string, host: Host): string {
  const at = path.posix.resolve('/', target);
  if (at === '/' || host.entry(at) !== undefined) return host.real(at);
  return path.posix.join(settled(path.posix.dirname(at), host), path.posix.basename(at));
}

function existingAncestors(target: string, host: Host): string[] {
  if (target === '/') return [];
  const parent = path.posix.dirname(target);
  const ancestors = [...existingAncestors(parent, host), parent];
  return ancestors.filter((at) => host.entry(at) === 'directory');
}

const depth = (at: string): number => at.split('/').filter(Boolean).length;
const isBelow = (at: string, directory: string): boolean =>
  at === directory || at.startsWith(directory === '/' ? '/' : `${directory}/`);
