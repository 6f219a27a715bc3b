// What is known of a pool when it is decided about? Plain values: a recorded world replays.
import type { ReadAssignment } from '../../api/assignment.ts';
import type { ConfigMap, Pod, StatefulSet } from '../../api/observed.ts';
import type { SwarmPool } from '../../api/validate.ts';
import type { Refusal } from '../decision.ts';
import type { Presence } from './failover.ts';
import type { Answer } from './members.ts';
import type { NamedList } from './streams.ts';

export type PoolWorld = {
  readonly pool: SwarmPool;
  /** What the pool's selector or targetRef finds. */
  readonly targets: readonly StatefulSet[];
  /** An older pool with the same target. */
  readonly rival: string | undefined;
  /** A HorizontalPodAutoscaler that scales the target. */
  readonly autoscaler: string | undefined;
  /** The pods of the targets, by owner. */
  readonly pods: readonly Pod[];
  /** The ConfigMap of the pool's name for it, whosever it is; `read` is what stands under our key, when something does. */
  readonly published: { readonly configMap: ConfigMap; readonly read: ReadAssignment | undefined } | undefined;
  /** What the keys of ConfigMaps say that spec.streamsFrom names, in its order. */
  readonly lists: readonly NamedList[];
  /** By pod UID. */
  readonly answers: Readonly<Record<string, Answer>>;
  readonly ages: {
    /** How long the ConfigMap has been as it is. */
    readonly publishedMs: number;
    /** By pod UID: how long its slice has been as it is. */
    readonly sliceMs: Readonly<Record<string, number>>;
    /** By pod UID: how long its annotation has been as it is. */
    readonly annotatedMs: Readonly<Record<string, number>>;
  };
  readonly presence: Presence;
  /** What the API server refused of the last decision. */
  readonly refused: Refusal | undefined;
};
