// What is a publication, and what is it made from?
import type { Assignment } from '../../api/assignment.ts';
import type { ConfigMap } from '../../api/observed.ts';
import type { Validated } from '../preconditions.ts';
import type { PoolWorker } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';
import type { Handoff } from './handoff.ts';
import type { Move } from './moves.ts';
import type { PublishedChange } from './notes.ts';
import type { Shard } from './published.ts';

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

export type PublishInput = Pick<Handoff, 'jobs' | 'releasing'> & {
  readonly world: Pick<PoolWorld, 'pool' | 'published' | 'highestSeen'>;
  readonly checked: Pick<Validated, 'spec' | 'streams'>;
  /** Where the spec wants it published. */
  readonly shards: readonly Shard[];
  readonly workers: readonly PoolWorker[];
  /** The desired assignment; `jobs` lacks the streams that another worker has to release first. */
  readonly wanted: Handoff['jobs'];
  /** The highest version that the API server, a pod or a worker has reported; the next is above. */
  readonly floor: number;
};
