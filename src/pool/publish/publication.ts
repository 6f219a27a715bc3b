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
  /** Undefined: what is published is as it should be. */
  readonly change: PublishedChange | undefined;
  /** The shards that differ. */
  readonly writes: readonly ShardWrite[];
  readonly moves: readonly Move[];
};

export type ShardWrite = {
  readonly shard: Shard;
  readonly present: ConfigMap | undefined;
  readonly assignment: Assignment;
  readonly text: string;
};

export type PublishInput = {
  readonly shards: readonly Shard[];
  readonly found: readonly PublishedShard[];
  readonly members: readonly Member[];
  readonly jobs: ReadonlyMap<string, readonly string[]>;
  /** The desired assignment; `jobs` lacks the streams that another worker has to release first. */
  readonly wanted: ReadonlyMap<string, readonly string[]>;
  /** By worker: taken away, not confirmed yet. */
  readonly releasing: ReadonlyMap<string, readonly string[]>;
  readonly streams: readonly Stream[];
  readonly previous: Assignment | undefined;
  /** Status shows streams without a worker. */
  readonly hadUnassigned: boolean;
  readonly wasPublished: boolean;
  /** Workers read their file only at start: the same slice in another file replaces no pod. */
  readonly isByReplacement: boolean;
  /** The version never falls below this one, the highest that anybody has seen. */
  readonly floor: number;
  readonly time: string;
};
