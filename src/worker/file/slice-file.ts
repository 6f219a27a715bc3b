// Which streams does this worker consume, according to the mounted files? Pure: (known slice, the
// files now) -> known slice.
import { type Assignment, readAssignment, type Slice } from '../../api/assignment.ts';

/** The text of each file by its name; or why the files cannot be read. */
export type Mounted =
  | { readonly texts: ReadonlyMap<string, string> }
  | { readonly unreadable: string };

type KnownFile = { readonly text: string; readonly good?: Assignment; readonly problem?: string };

/** By file name. If a file is gone or broken, its last valid state counts: its streams go on. */
export type KnownSlice = {
  readonly files: ReadonlyMap<string, KnownFile>;
  readonly problems: readonly string[];
};

export const nothingKnown: KnownSlice = { files: new Map(), problems: [] };

export function learn(known: KnownSlice, mounted: Mounted): KnownSlice {
  if ('unreadable' in mounted) return { files: known.files, problems: [mounted.unreadable] };
  const files = new Map(known.files);
  const problems: string[] = [];
  for (const [name, text] of mounted.texts) {
    const file = learnFile(known.files.get(name), text);
    files.set(name, file);
    if (file.problem !== undefined) problems.push(`${name}: ${file.problem}`);
  }
  for (const name of known.files.keys())
    if (!mounted.texts.has(name))
      problems.push(`${name}: the file is missing; its last content stays in force`);
  if (files.size === 0) problems.push('no file exists yet');
  return { files, problems };
}

function learnFile(before: KnownFile | undefined, text: string): KnownFile {
  if (before?.text === text) return before;
  const read = readAssignment(text);
  const good = before?.good;
  const keep = (problem: string): KnownFile => ({
    text,
    problem,
    ...(good !== undefined && { good }),
  });
  if (!read.ok) return keep(read.problem);
  const { version } = read.assignment;
  return good !== undefined && version < good.version
    ? keep(`version ${version} is older than version ${good.version}, which stays in force`)
    : { text, good: read.assignment };
}

/**
 * The worker's entry with the highest version: two files may have one while it moves between
 * shards. A worker without an entry in any file consumes nothing, from the newest file's version
 * on. Undefined: not known yet, since a file that was never readable may have the entry.
 */
export function sliceOf(known: KnownSlice, worker: string): Slice | undefined {
  const files = [...known.files.values()];
  const good = files.flatMap((file) => (file.good === undefined ? [] : [file.good]));
  const entries = good.flatMap((assignment) => assignment.workloads.get(worker) ?? []);
  if (entries.length > 0)
    return entries.reduce((best, entry) => (entry.version > best.version ? entry : best));
  if (good.length === 0 || good.length < files.length) return undefined;
  return { jobs: [], version: Math.max(...good.map(({ version }) => version)) };
}
