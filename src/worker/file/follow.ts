// Follows a mounted file: reads it again when its folder changes (a kubelet swaps the link `..data`
// there), and every few seconds anyway.
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Slice } from '../../api/assignment.ts';
import { errorCode, errorText } from '../../api/error-text.ts';
import { type KnownSlice, learn, type Mounted, nothingKnown, sliceOf } from './slice-file.ts';
import { statOf, watchFolderOf } from './watch-folder.ts';

const shardFile = /^config.*\.yml$/;

export type FollowOptions = {
  /** A file, or a folder with one file per shard. */
  readonly path: string;
  readonly worker: string;
  readonly pollMs: number;
  /** Called when what this worker is to consume has changed, or its version. */
  readonly onSlice: (slice: Slice) => void;
  /** Called when the problems with the files are others than before; with none when all is well. */
  readonly onProblems: (problems: readonly string[]) => void;
};

export function follow(options: FollowOptions): { readonly close: () => void } {
  const changes = watchFolderOf(options.path, () => void read());
  let known: KnownSlice = nothingKnown;
  let reported = { slice: '', problems: '' };
  let reading: 'No' | 'Yes' | 'Again' = 'No';
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  /** One read at a time, and one more when the file changed during it. */
  async function read(): Promise<void> {
    if (reading !== 'No') {
      reading = 'Again';
      return;
    }
    do {
      reading = 'Yes';
      known = learn(known, await readMounted(options.path));
    } while (wasChangedMeanwhile());
    reading = 'No';
    if (!isClosed) report();
  }
  const wasChangedMeanwhile = (): boolean => reading === 'Again';

  function report(): void {
    const slice = sliceOf(known, options.worker);
    const now = {
      slice: slice === undefined ? '' : JSON.stringify(slice),
      problems: known.problems.join('\n'),
    };
    const before = reported;
    reported = now;
    if (now.problems !== before.problems) options.onProblems(known.problems);
    if (slice !== undefined && now.slice !== before.slice) options.onSlice(slice);
  }

  /** A watch ends when its volume is mounted anew, and some file systems have none. */
  async function poll(): Promise<void> {
    await changes.renew();
    await read();
    if (!isClosed) timer = setTimeout(() => void poll(), options.pollMs);
  }
  void poll();

  return {
    close: () => {
      isClosed = true;
      clearTimeout(timer);
      changes.close();
    },
  };
}

async function readMounted(path: string): Promise<Mounted> {
  try {
    const isFolder = (await statOf(path))?.isFolder ?? false;
    const folder = isFolder ? path : dirname(path);
    const names = isFolder
      ? (await readdir(folder)).filter((name) => shardFile.test(name)).sort()
      : [basename(path)];
    const texts = await Promise.all(
      names.map(
        async (name): Promise<[string, string | undefined]> => [
          name,
          await textOf(join(folder, name)),
        ],
      ),
    );
    return {
      texts: new Map(
        texts.flatMap(([name, text]): [string, string][] =>
          text === undefined ? [] : [[name, text]],
        ),
      ),
    };
  } catch (error) {
    return { unreadable: errorText(error) };
  }
}

/** Undefined where there is no such file. */
export async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}
