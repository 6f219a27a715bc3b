// What is the world of one pool? Read from caches at one moment; changes nothing, decides nothing.
import { kinds } from '../api/kinds.ts';
import { byAge, hasPriority } from '../api/own-object.ts';
import type { SwarmPool } from '../api/validate.ts';
import type { Refusal } from '../core/decision.ts';
import { measureAges } from '../core/state-ages.ts';
import type { WorkerProbes } from '../probes/probes.ts';
import type { Clock } from '../runtime/clock.ts';
import type { KnownWorkloads } from '../runtime/store/workloads.ts';
import { agesOf } from './observe/ages.ts';
import type { PoolCaches } from './observe/caches.ts';
import type { Creations } from './observe/creations.ts';
import type { FormerWorkers } from './observe/former-workers.ts';
import { firstVersions, type NotedVersions } from './observe/known-versions.ts';
import { suggestTarget } from './observe/suggest-target.ts';
import { soughtBy, type Targets } from './observe/targets.ts';
import { worldWithoutRoom } from './observe/without-room.ts';
import { believedAnswers, believedPod } from './publish/versions.ts';
import type { ReadPool } from './read.ts';
import type { OrphanWorld, PoolWorld, Remembered } from './world.ts';

/** What is asked of the caches: nothing that changes them. */
type PoolSources = {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly caches: {
    readonly targets: Pick<Targets, 'meantBy' | 'lookalikesOf' | 'autoscalerOfPool'>;
    readonly workloads: KnownWorkloads;
    readonly noted: Pick<NotedVersions, 'highest' | 'completedIn'>;
    readonly formerWorkers: Pick<FormerWorkers, 'podsOf' | 'endingOf'>;
    readonly rivalsOf: PoolCaches['rivalsOf'];
  };
  readonly workers: Pick<WorkerProbes, 'answersOf' | 'unprobedOf'>;
  /** Undefined: the reason why pods are missing is not known. */
  readonly creations: Pick<Creations, 'failuresOf'> | undefined;
};

type Before = {
  readonly remembered: Remembered;
  readonly refused: Refusal | undefined;
};

/** Awaits nothing, so all facts are of one moment. */
export function observePool(
  sources: PoolSources,
  key: string,
  read: ReadPool,
  before: Before,
): PoolWorld | OrphanWorld {
  switch (read.kind) {
    case 'Whole':
      return observeWhole(sources, key, read, before);
    case 'Withheld':
      return observeWithheld(sources, read, before);
    case 'Deleted':
      return observeDeleted(sources, read, before);
    default:
      return read satisfies never;
  }
}

function observeDeleted(
  { clock }: PoolSources,
  { marked, isServed }: ReadPool & { readonly kind: 'Deleted' },
  { remembered }: Before,
): OrphanWorld {
  const { ages: goneMs, states } = measureAges(remembered.ages, clock.monotonic(), (age) =>
    age('gone', ''),
  );
  return {
    kind: 'DeletedSwarmPool',
    marked,
    goneMs,
    isServed,
    remembered: { ...remembered, ages: states },
  };
}

const observeWithheld = (
  { caches, clock }: PoolSources,
  { pool, excess }: ReadPool & { readonly kind: 'Withheld' },
  { remembered, refused }: Before,
): PoolWorld =>
  worldWithoutRoom({
    pool,
    targets: caches.targets.meantBy(pool),
    excess,
    refused,
    remembered,
    monotonicMs: clock.monotonic(),
  });

function observeWhole(
  { caches, clock, workers, creations }: PoolSources,
  key: string,
  { pool, published, lists, predecessor }: ReadPool & { readonly kind: 'Whole' },
  { remembered, refused }: Before,
): PoolWorld {
  const { targets, workloads, noted } = caches;
  const found = targets.meantBy(pool);
  const monotonicMs = clock.monotonic();
  const pods = podsOf(caches, pool, published);
  const answers = believedAnswers(workers.answersOf(key), recordOf(pool));
  const seen = { pool, published, answers, pods: [...pods.pods, ...pods.formerPods] };
  const { ages, states } = measureAges(remembered.ages, monotonicMs, (age) => agesOf(seen, age));
  const first = firstVersions(
    remembered.firstVersions,
    pods.pods.map(({ uid }) => uid),
    answers,
  );
  const highestSeen = Math.max(noted.highest(pool.meta), ...first.values());
  return {
    kind: 'SwarmPool',
    ...{ pool, published, lists, predecessor },
    targets: found,
    lookalikes: targets.lookalikesOf(pool),
    ...(found.length === 0 && { suggestion: suggestTarget(soughtBy(pool), workloads) }),
    rival: rivalOf(pool, caches.rivalsOf(pool)),
    autoscaler: found
      .map((target) => workloads.autoscalerOf(kinds[target.kind], target))
      .find((name) => name !== undefined),
    ownAutoscaler: targets.autoscalerOfPool(pool),
    ...pods,
    creationFailures: creations?.failuresOf(key) ?? new Map(),
    highestSeen,
    completedSeen: noted.completedIn(highestSeen, pool.meta),
    answers,
    unprobed: workers.unprobedOf(key),
    ages,
    remembered: { ...remembered, ages: states, firstVersions: first },
    monotonicMs,
    refused,
  };
}

const recordOf = (pool: SwarmPool): number => pool.status?.version ?? 0;

function podsOf(
  { targets, workloads, formerWorkers }: PoolSources['caches'],
  pool: SwarmPool,
  published: PoolWorld['published'],
): Pick<PoolWorld, 'pods' | 'formerPods' | 'endingPods'> {
  const believed = (pod: PoolWorld['pods'][number]) => believedPod(pod, recordOf(pool));
  const pods = targets
    .meantBy(pool)
    .flatMap((target) => workloads.podsOf(target))
    .map(believed);
  const formerPods = formerWorkers.podsOf(pool, published, pods).map(believed);
  const endingPods = formerWorkers.endingOf(pool, published, [...pods, ...formerPods]);
  return { pods, formerPods, endingPods };
}

function rivalOf({ meta }: SwarmPool, claimants: readonly SwarmPool[]): string | undefined {
  const older = claimants.map((it) => it.meta).filter((other) => hasPriority(other, meta));
  return older.sort(byAge)[0]?.name;
}
