// What is a publication, and what is it made from?
import type { Assignment } from '../../api/assignment.ts';
import type { ConfigMap } from '../../api/observed.ts';
import type { Stream } from '../streams.ts';
import type { Member } from '../workers/members.ts';
import type { Move } from './moves.ts';
import type { PublishedChange } from './notes.ts';
import type { PublishedShard, Shard } from './published.ts';

export type Publication = {
  readonly assignment: Assignment;
  /** Undefined: what is published is what should be. */
  readonly change: PublishedChange | undefined;
  /** By shard: its slices, where they are not what stands there. */
  readonly writes: readonly ShardWrite[];
  readonly moves: readonly Move[];
};

export type ShardWrite = {
  readonly shard: Shard;
  readonly present: ConfigMap | undefined;
  readonly assignment: Assignment;
  /** The assignment as it will stand there. */
  readonly text: string;
};

export type PublishInput = {
  readonly shards: readonly Shard[];
  readonly found: readonly PublishedShard[];
  readonly members: readonly Member[];
  readonly jobs: ReadonlyMap<string, readonly string[]>;
  /**
   * Who is to have them in the end; the same, but for streams that somebody has to let go first.
   */
  readonly wanted: ReadonlyMap<string, readonly string[]>;
  /** By worker: taken away, not confirmed yet. */
  readonly releasing: ReadonlyMap<string, readonly string[]>;
  readonly streams: readonly Stream[];
  readonly previous: Assignment | undefined;
  /** Some streams had no worker, as was told last. */
  readonly hadUnassigned: boolean;
  /** The pool has been published before, wherever that is now. */
  readonly wasPublished: boolean;
  /**
   * Workers read anew only when they start: what is the same elsewhere is no reason to replace
   * them.
   */
  readonly isByReplacement: boolean;
  /**
   * The highest version that anybody has seen: in status, or told by a worker. A version never
   * falls below it.
   */
  readonly floor: number;
  readonly time: string;
};
