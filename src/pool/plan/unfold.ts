// What becomes of a world if all goes well? Each change is published, taken up and confirmed, until
// nothing is left to do.
import type { ConfigMap } from '../../api/observed.ts';
import type { ProbeAnswer } from '../../api/report.ts';
import { LABEL_POOL } from '../../core/meta.ts';
import { desiredStateOf } from '../desired-state.ts';
import type { Validated } from '../preconditions.ts';
import type { Move } from '../publish/moves.ts';
import type { Publication, ShardWrite } from '../publish/publish.ts';
import { type PublishedShard, publishedNow } from '../publish/published.ts';
import type { PoolView } from '../view.ts';
import { type Seat, scalesTarget, seatsOf } from '../workers/seats.ts';
import type { PoolWorld } from '../world.ts';

export type PlannedChange = {
  readonly version: number;
  readonly reason: string;
  readonly moves: readonly Move[];
};

export type Unfolded = {
  readonly changes: readonly PlannedChange[];
  /** Before anything is published, and when all of it is. */
  readonly first: PoolView;
  readonly last: PoolView;
  /** False: more changes would follow, or something has to be waited for. */
  readonly isAtRest: boolean;
};

/**
 * A bound on moves can make many changes of one; what follows after so many is not needed to judge
 * a plan.
 */
export const MOST_CHANGES = 100;
/** Longer than any worker is waited for. */
const LONG_MS = 24 * 3_600_000;

export function unfold(
  start: PoolWorld,
  look: Validated,
  now: number,
  most = MOST_CHANGES,
): Unfolded {
  const { spec, targets } = look;
  const { pods, formerPods } = start;
  const previous = start.published.assignment;
  const leads = scalesTarget(spec, start.autoscaler);
  let world = trusting(start, seatsOf({ spec, targets, pods, formerPods, previous, leads }));
  let { view, publication } = desiredStateOf(world, look, now);
  const first = view;
  const changes: PlannedChange[] = [];
  while (publication.change !== undefined && view.unknown.length === 0 && changes.length < most) {
    const { version, reason } = publication.change;
    changes.push({ version, reason, moves: publication.moves });
    world = trusting(takenUp(world, publication), view.members);
    ({ view, publication } = desiredStateOf(world, look, now));
  }
  return {
    changes,
    first,
    last: view,
    isAtRest: publication.change === undefined && view.assigned.deferred === 0,
  };
}

/** Whoever is Ready has been so for long. */
function trusting(world: PoolWorld, seats: readonly Seat[]): PoolWorld {
  const ready = seats.filter(({ pod }) => pod?.isReady === true && !pod.isTerminating);
  const readyMs = Object.fromEntries(ready.map(({ key }) => [key, LONG_MS]));
  return { ...world, presence: { ...world.presence, readyMs, distrusted: [] } };
}

/** Written, and confirmed by every worker that is Ready. */
function takenUp(world: PoolWorld, { writes, assignment }: Publication): PoolWorld {
  const written = writes.map((write) => shardOf(write, world));
  const names = new Set(written.map(({ name }) => name));
  const left = world.published.shards.filter(({ name }) => !names.has(name));
  const published = publishedNow([...written, ...left]);
  const confirmed = [...world.pods, ...world.formerPods].flatMap(
    ({ name, uid, isReady, isTerminating }): (readonly [string, ProbeAnswer])[] => {
      const slice = assignment.workloads.get(name);
      if (!isReady || isTerminating || slice === undefined) return [];
      return [
        [uid, { ok: true, report: { version: slice.version, jobs: slice.jobs, podUid: uid } }],
      ];
    },
  );
  return { ...world, published, answers: { ...world.answers, ...Object.fromEntries(confirmed) } };
}

function shardOf({ shard, present, assignment }: ShardWrite, { pool }: PoolWorld): PublishedShard {
  const { name, namespace } = pool.meta;
  const fresh: ConfigMap = {
    name: shard.name,
    namespace,
    uid: '',
    resourceVersion: '',
    labels: {},
    annotations: {},
    data: {},
  };
  const configMap = { ...(present ?? fresh), labels: { [LABEL_POOL]: name } };
  return { ...shard, configMap, read: { ok: true, assignment } };
}

/**
 * What each stream would leave and reach, whatever lies between; streams that come back are not
 * among them.
 */
export function netMoves(changes: readonly PlannedChange[]): readonly Move[] {
  const net = new Map<string, Move>();
  for (const { stream, from, to, reason } of changes.flatMap(({ moves }) => moves)) {
    const start = net.has(stream) ? net.get(stream)?.from : from;
    net.set(stream, {
      stream,
      ...(start !== undefined && { from: start }),
      ...(to !== undefined && { to }),
      reason,
    });
  }
  return [...net.values()].filter(({ from, to }) => from !== to);
}
