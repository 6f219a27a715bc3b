// How does a world develop if all goes well? Each change is published and confirmed.
import type { ConfigMap } from '../../api/observed.ts';
import type { ProbeAnswer } from '../../api/report.ts';
import { runToEnd } from '../../core/work.ts';
import { computeDesiredState, type DesiredState } from '../desired-state.ts';
import type { Validated } from '../preconditions.ts';
import { LABEL_POOL } from '../publish/config-map.ts';
import type { ShardWrite } from '../publish/files.ts';
import type { Move, Publication } from '../publish/publication.ts';
import { publishedNow } from '../publish/published.ts';
import { type Availability, failoverAmong, type Presence } from '../workers/availability.ts';
import { seatsOf } from '../workers/seats.ts';
import { sizeWanted } from '../workers/size.ts';
import type { PoolWorld, PublishedShard } from '../world.ts';

type PlannedChange = {
  readonly version: number;
  readonly reason: string;
  readonly moves: readonly Move[];
};

type Unfolded = {
  readonly changes: readonly PlannedChange[];
  /** Before the first publication, and after the last. */
  readonly first: DesiredState;
  readonly last: DesiredState;
  /** False: more changes would follow, or workers are still to report. */
  readonly isAtRest: boolean;
};

/** A bound on moves can make many changes of one; a plan can be judged without more than these. */
const MOST_CHANGES = 100;
/** Longer than any timeout. */
const LONG_MS = 24 * 3_600_000;

/** `presence`: of the real workers. */
export function unfold(
  start: PoolWorld,
  checked: Validated,
  presence: Presence,
  now: number,
  most = MOST_CHANGES,
): Unfolded {
  const desiredIn = (at: PoolWorld): DesiredState =>
    runToEnd(computeDesiredState(at, checked, trusted(at, checked, presence), now));
  const first = desiredIn(start);
  const changes: PlannedChange[] = [];
  let world = start;
  let last = first;
  while (
    last.publication.change !== undefined &&
    last.unknown.length === 0 &&
    changes.length < most
  ) {
    const { change, moves } = last.publication;
    changes.push({ version: change.version, reason: change.reason, moves });
    world = takenUp(world, last.publication);
    last = desiredIn(world);
  }
  return {
    changes,
    first,
    last,
    isAtRest: last.publication.change === undefined && last.assigned.deferred === 0,
  };
}

/** Ready workers count as Ready for long. */
function trusted(world: PoolWorld, { spec, targets }: Validated, presence: Presence): Availability {
  const size = sizeWanted(world);
  const seats = seatsOf(world, spec, targets, size.wanted);
  const ready = seats.filter(({ pod }) => pod?.isReady === true && !pod.isTerminating);
  const readyMs = Object.fromEntries(ready.map(({ key }) => [key, LONG_MS]));
  const long = { ...presence, readyMs, distrusted: [], steadyMs: Number.POSITIVE_INFINITY };
  const failover = failoverAmong(seats, long, spec);
  return { size, seats, presence: long, failover, notCreated: {} };
}

/** Published, and confirmed by every Ready worker. */
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

/** From the first worker to the last; a stream that returns to its worker is left out. */
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
