// Follows the mounted assignment, and the pod's annotation k8slab.info/assigned.
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Slice } from '../../api/assignment.ts';
import { errorCode, errorText } from '../../api/text.ts';
import { type KnownSlice, learn, type Mounted, nothingKnown, sliceOf } from './slice-file.ts';
import { statOf, watchMounted } from './watch-mounted.ts';

const shardFile = /^config.*\.yml$/;

type Following = { readonly close: () => void };

type FollowOptions = {
  /** A file, or a folder with one file for each shard. */
  readonly path: string;
  readonly worker: string;
  readonly pollMs: number;
  /** Called when the slice of this worker, or its version, has changed. */
  readonly onSlice: (slice: Slice) => void;
  /** Called when the problems with the files have changed; with [] when none is left. */
  readonly onProblems: (problems: readonly string[]) => void;
  /** Called when one of these callbacks, or the reading itself, has thrown. */
  readonly onFailed: (error: unknown) => void;
};

export function follow(options: FollowOptions): Following {
  const { path, worker, pollMs, onSlice, onProblems, onFailed } = options;
  let known: KnownSlice = nothingKnown;
  let reported = { slice: '', problems: '' };
  const read = async (): Promise<void> => {
    known = learn(known, await readMounted(path));
  };
  const onRead = (): void => {
    const slice = sliceOf(known, worker);
    const before = reported;
    reported = {
      slice: slice === undefined ? '' : JSON.stringify(slice),
      problems: known.problems.join('\n'),
    };
    if (reported.problems !== before.problems) onProblems(known.problems);
    if (slice !== undefined && reported.slice !== before.slice) onSlice(slice);
  };
  return watchMounted({ path, pollMs, read, onRead, onFailed });
}

type FollowAnnotationOptions = {
  readonly path: string;
  readonly pollMs: number;
  /** Called with the new text when it has changed; with undefined while there is none. */
  readonly onChange: (text: string | undefined) => void;
  readonly onFailed: (error: unknown) => void;
};

export function followAnnotation(options: FollowAnnotationOptions): Following {
  const { path, pollMs, onChange, onFailed } = options;
  let text: string | undefined;
  let reported: string | undefined;
  const read = async (): Promise<void> => {
    // While it cannot be read, the last text stays valid: it permits only one version.
    text = await textOf(path).catch(() => text);
  };
  const onRead = (): void => {
    if (text === reported) return;
    reported = text;
    onChange(text);
  };
  return watchMounted({ path, pollMs, read, onRead, onFailed });
}

async function readMounted(path: string): Promise<Mounted> {
  try {
    const isFolder = (await statOf(path))?.isDirectory() ?? false;
    const folder = isFolder ? path : dirname(path);
    const names = isFolder
      ? (await readdir(folder)).filter((name) => shardFile.test(name)).sort()
      : [basename(path)];
    const texts = new Map<string, string>();
    for (const name of names) {
      const text = await textOf(join(folder, name));
      if (text !== undefined) texts.set(name, text);
    }
    return { texts };
  } catch (error) {
    return { unreadable: errorText(error) };
  }
}

/** Undefined: there is no such file. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}
