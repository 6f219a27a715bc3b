// What is a stream of a pool, and what is its list?
import type { Problem } from '../../api/own-object.ts';
import type { ReadStreamList } from '../../api/stream-list.ts';
import type { AssignStream } from '../assign/problem/problem.ts';
import type { ObstacleReason } from '../reasons.ts';

export type Stream = AssignStream & {
  readonly parameters?: Readonly<Record<string, string>>;
  /** The stream keeps its worker, and does not run. */
  readonly isSuspended?: true;
  /** Known only from the publication: the list lacks the stream, or cannot be read. */
  readonly isReadBack?: true;
  /** Added to the publication while a removal is held. */
  readonly isAdded?: true;
};

/** The names of streams, by worker. */
export type StreamsByWorker = ReadonlyMap<string, readonly string[]>;

/** A ConfigMap key that the spec names; `read` is undefined when it does not exist. */
export type NamedList = { readonly source: string; readonly read: ReadStreamList | undefined };

export type StreamList =
  | { readonly ok: true; readonly streams: readonly Stream[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly reason: ListReason };

export type ListReason = Extract<
  ObstacleReason,
  'StreamsNotFound' | 'InvalidStreams' | 'TooManyStreams'
>;

export const sourceOf = ({ name, key }: { readonly name: string; readonly key: string }): string =>
  `${name}/${key}`;

/** The number of streams in all readable lists. */
export const countIn = (lists: readonly NamedList[]): number =>
  lists.reduce((sum, { read }) => sum + (read?.ok === true ? read.streams.length : 0), 0);
