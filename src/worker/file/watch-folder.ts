// Watches a mounted folder, in which a kubelet swaps the link `..data`, and which may be mounted
// anew.
import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** For the path of a file, the folder that holds it. */
export function watchFolderOf(
  path: string,
  onChange: () => void,
): { readonly renew: () => Promise<void>; readonly close: () => void } {
  let watcher: FSWatcher | undefined;
  let watched: number | undefined;
  let isClosed = false;
  const drop = (): void => {
    watcher?.close();
    watcher = undefined;
    watched = undefined;
  };
  return {
    renew: async () => {
      const itself = await statOf(path);
      const folder = itself?.isFolder === true ? path : dirname(path);
      const inode = (await statOf(folder))?.inode;
      if (isClosed || inode === watched) return;
      drop();
      if (inode === undefined) return;
      try {
        watcher = watch(folder, onChange).on('error', drop);
        watched = inode;
      } catch {
        // No watches left on this node, or none on this file system: polling alone is slower and
        // just as right.
      }
    },
    close: () => {
      isClosed = true;
      drop();
    },
  };
}

export async function statOf(
  path: string,
): Promise<{ readonly isFolder: boolean; readonly inode: number } | undefined> {
  try {
    const found = await stat(path);
    return { isFolder: found.isDirectory(), inode: found.ino };
  } catch {
    return undefined;
  }
}
