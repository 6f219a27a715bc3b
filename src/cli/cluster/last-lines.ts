// What are the last lines in a worker's log that are about a stream? The API server counts the
// lines of all streams: it is asked for more of them, until enough are about this one.
import type { Ref } from '../../api/objects.ts';
import type { PooledKubeConfig } from '../../runtime/client/config.ts';
import { type LogOptions, logLines } from './logs.ts';
import { Resumption } from './resumption.ts';

type Wanted = {
  readonly count: number;
  /** Is a line, without its time, about the stream? */
  readonly isMeant: (text: string) => boolean;
};

type LastLines = {
  /** Each begins with its time. */
  readonly lines: readonly string[];
  /** Follows the log from its last line on, also when that is about another stream. */
  readonly resumed: Resumption;
  /** How many lines were read, if older ones were left unread and may be about the stream. */
  readonly bound: number | undefined;
};

/** Of the first request, for each line that is wanted; and from one request to the next. */
const FACTOR = 10;
const LEAST_LINES = 1_000;
/** Some 20 MiB; a kubelet keeps 10 MiB in one file, unless it is told otherwise. */
const MOST_LINES = 200_000;
/** No larger request follows one that read as many characters. */
const MOST_CHARACTERS = 16 * 2 ** 20;
/** Container runtimes write a longer line in parts, of 8 or 16 KiB; each counts as a line. */
const ENTRY_CHARACTERS = 4_096;
/** More than have the last time of a log, or are out of order around it. */
const RECENT_LINES = 1_000;

export async function lastLines(
  config: PooledKubeConfig,
  pod: Ref,
  options: LogOptions,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<LastLines> {
  const most = Math.max(MOST_LINES, wanted.count);
  let tail = Math.max(LEAST_LINES, wanted.count * FACTOR);
  for (;;) {
    tail = Math.min(tail, most);
    const how = { ...options, follow: false, timestamps: true, tail };
    const found = await readOnce(config, pod, how, wanted, signal);
    const { lines, resumed, read, entries, characters } = found;
    if (lines.length === wanted.count || entries < tail)
      return { lines, resumed, bound: undefined };
    if (tail === most || characters >= MOST_CHARACTERS) return { lines, resumed, bound: read };
    tail *= FACTOR;
  }
}

type Read = Pick<LastLines, 'lines' | 'resumed'> & {
  readonly read: number;
  /** As the API server may count the lines. */
  readonly entries: number;
  readonly characters: number;
};

async function readOnce(
  config: PooledKubeConfig,
  pod: Ref,
  options: LogOptions,
  { count, isMeant }: Wanted,
  signal: AbortSignal,
): Promise<Read> {
  const recent: string[] = [];
  const ring: string[] = [];
  let meant = 0;
  let read = 0;
  let entries = 0;
  let characters = 0;
  for await (const line of logLines(config, pod, options, signal)) {
    recent[read % RECENT_LINES] = line;
    read += 1;
    entries += 1 + Math.floor(line.length / ENTRY_CHARACTERS);
    characters += line.length + 1;
    if (!isMeant(line.slice(line.indexOf(' ') + 1))) continue;
    ring[meant % count] = line;
    meant += 1;
  }
  const resumed = new Resumption();
  resumed.begin();
  for (const line of inOrder(recent, read)) resumed.take(line);
  return { lines: inOrder(ring, meant), resumed, read, entries, characters };
}

/** The oldest first, of a ring that was written so many times. */
function inOrder(ring: readonly string[], written: number): readonly string[] {
  const oldest = written > ring.length ? written % ring.length : 0;
  return [...ring.slice(oldest), ...ring.slice(0, oldest)];
}

/** For the user, where the bound was reached. */
export const boundText = ({ lines, bound }: LastLines, stream: string, worker: string): string =>
  `the last ${bound} lines in the log of ${worker} include only ${lines.length} about ${stream}; older lines were not read`;
