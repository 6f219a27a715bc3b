// The folders, links and mounts of a container's root file system. Pure: `Host` reads the machine.
import path from 'node:path';

export type Entry = 'directory' | 'file' | 'link';

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

/**
 * A skeleton of empty folders, empty files and links, with paths relative to it, and the binds over
 * it. `inside` are mount points within other volumes, which are made in the volume itself.
 */
type RootPlan = {
  readonly directories: readonly string[];
  readonly files: readonly string[];
  readonly links: readonly string[];
  readonly inside: readonly { readonly at: string; readonly isFile: boolean }[];
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
  const opened = new Set([
    '/',
    ...missing.flatMap(({ target }) => existingAncestors(target, host)),
  ]);
  const skeleton = openAll([...opened], new Set(missing.map(({ target }) => target)), host);
  return {
    directories: [
      ...skeleton.directories,
      ...missing.map(({ target, isFile }) => (isFile ? path.dirname(target) : target)),
    ].map(relative),
    files: [
      ...skeleton.files,
      ...missing.flatMap(({ target, isFile }) => (isFile ? [target] : [])),
    ].map(relative),
    links: skeleton.links.map(relative),
    inside: nested.map((mount) => insideOf(mount, ordered)),
    binds: [...skeleton.binds, ...[...outer, ...nested].map(bindOf)],
  };
}

/** Binds or links the children of opened folders that are neither opened nor mount points. */
function openAll(opened: readonly string[], hidden: ReadonlySet<string>, host: Host) {
  const directories: string[] = [];
  const files: string[] = [];
  const links: string[] = [];
  const binds: Bind[] = [];
  for (const directory of [...opened].sort((a, b) => depth(a) - depth(b))) {
    directories.push(directory);
    for (const name of host.children(directory)) {
      const child = path.posix.join(directory, name);
      const entry = host.entry(child);
      if (opened.includes(child) || hidden.has(child) || entry === undefined) continue;
      if (entry === 'link') {
        links.push(child);
        continue;
      }
      (entry === 'directory' ? directories : files).push(child);
      binds.push({ source: child, target: child, options: 'rbind' });
    }
  }
  return { directories, files, links, binds };
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
  const clean = path.posix.resolve('/', target);
  for (
    let at = clean, rest = '';
    ;
    rest = path.posix.join(path.posix.basename(at), rest), at = path.posix.dirname(at)
  ) {
    if (at === '/' || host.entry(at) !== undefined) return path.posix.join(host.real(at), rest);
  }
}

function existingAncestors(target: string, host: Host): string[] {
  const parent = path.posix.dirname(target);
  if (parent === target) return [];
  return [
    ...existingAncestors(parent, host),
    ...(host.entry(parent) === 'directory' ? [parent] : []),
  ];
}

const relative = (at: string): string => at.slice(1);
const depth = (at: string): number => at.split('/').filter(Boolean).length;
const isBelow = (at: string, directory: string): boolean =>
  at === directory || at.startsWith(directory === '/' ? '/' : `${directory}/`);
