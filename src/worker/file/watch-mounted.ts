// Reads a mounted file or folder again when it changes, and every few seconds anyway: a watch ends
// when the volume is mounted anew, and some file systems have no watches.
import { type FSWatcher, type Stats, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';

type Watched = {
  readonly path: string;
  readonly pollMs: number;
  /** Runs once at a time, and once more if something changed during it. */
  readonly read: () => Promise<void>;
  /** Called after the last of these reads, and no more once the watch is closed. */
  readonly onRead: () => void;
  /** Called when one of these callbacks has thrown. */
  readonly onFailed: (error: unknown) => void;
};

export function watchMounted({ path, pollMs, read, onRead, onFailed }: Watched): {
  readonly close: () => void;
} {
  let watcher: FSWatcher | undefined;
  let inode: number | undefined;
  let reading: 'No' | 'Yes' | 'Again' = 'No';
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  async function readAll(): Promise<void> {
    if (reading !== 'No') {
      reading = 'Again';
      return;
    }
    do {
      reading = 'Yes';
      await read();
    } while (isChangedAgain());
    reading = 'No';
    if (!isClosed) onRead();
  }
  const isChangedAgain = (): boolean => reading === 'Again';

  const drop = (): void => {
    watcher?.close();
    watcher = undefined;
    inode = undefined;
  };

  /** Watches the folder, in which the kubelet replaces the link `..data`. */
  async function renewWatch(): Promise<void> {
    const folder = (await statOf(path))?.isDirectory() === true ? path : dirname(path);
    const present = (await statOf(folder))?.ino;
    if (isClosed || present === inode) return;
    drop();
    if (present === undefined) return;
    try {
      watcher = watch(folder, () => void readAll().catch(onFailed)).on('error', drop);
      inode = present;
    } catch {
      // No watch is left on this node, or none exists on this file system: polling is slower, and
      // enough.
    }
  }

  async function poll(): Promise<void> {
    await renewWatch();
    await readAll();
    if (!isClosed) timer = setTimeout(pollAgain, pollMs);
  }
  const pollAgain = (): void => void poll().catch(onFailed);
  pollAgain();

  return {
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      drop();
    },
  };
}

/** Undefined: there is nothing at the path. */
export const statOf = (path: string): Promise<Stats | undefined> =>
  stat(path).catch(() => undefined);
