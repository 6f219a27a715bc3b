// What is the world of one pool? Read from caches at one moment; decides nothing.
import type { Size } from '../api/bounds.ts';
import { kinds } from '../api/kinds.ts';
import { keyOf, refOf } from '../api/objects.ts';
import { byAge, hasPriority } from '../api/own-object.ts';
import type { SwarmPool } from '../api/validate.ts';
import type { Refusal } from '../core/decision.ts';
import { measureAges } from '../core/state-ages.ts';
import type { WorkerProbes } from '../probes/probes.ts';
import type { Change, KubeApi } from '../runtime/client/api.ts';
import { KubeError } from '../runtime/client/errors.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Thread } from '../runtime/queue/thread.ts';
import { ANNOTATION_WHEN_DELETED } from './labels.ts';
import { agesOf } from './observe/ages.ts';
import type { PoolCaches } from './observe/caches.ts';
import type { Creations } from './observe/creations.ts';
import { firstVersions } from './observe/known-versions.ts';
import { isWithheld } from './observe/pools.ts';
import { suggestTarget } from './observe/suggest-target.ts';
import { soughtBy } from './observe/targets.ts';
import type { OrphanWorld } from './orphan.ts';
import { believedAnswers, believedPod } from './publish/versions.ts';
import { type PoolWorld, type Remembered, worldWithoutRoom } from './world.ts';

export type PoolSources = {
  readonly api: Pick<KubeApi, 'serves'>;
  readonly clock: Clock;
  readonly thread: Thread;
  readonly caches: PoolCaches;
  readonly workers: Pick<WorkerProbes, 'answersOf' | 'unprobedOf'>;
  /** Undefined: the reason why pods are missing is not known. */
  readonly creations: Creations | undefined;
  /** Streams that were withheld for lack of memory have been read. */
  readonly onPool: (change: Change) => void;
};

type Before = {
  readonly remembered: Remembered;
  readonly refused: Refusal | undefined;
};

/** Undefined for a deleted pool that left nothing behind. */
export async function observePool(
  sources: PoolSources,
  key: string,
  before: Before,
): Promise<PoolWorld | OrphanWorld | undefined> {
  const { targets, pools, memory } = sources.caches;
  const known = pools.get(refOf(key));
  if (known === undefined) return observeOrphan(sources, key, before);
  const excess = memory.excess(known, targets.meantBy(known));
  if (excess !== undefined) return observeWithoutRoom(sources, known, excess, before);
  const pool = await whole(sources, known);
  const texts = await textsOf(sources, pool);
  if (typeof texts === 'string') return observeWithoutRoom(sources, pool, texts, before);
  const predecessor = await sources.caches.formerWorkers.predecessorOf(pool);
  return await sources.thread.piece(pool.meta.namespace, () =>
    observeAtOnce(sources, key, pool, { ...texts, predecessor }, before),
  );
}

/** Undefined when nothing is to be removed with it. */
async function observeOrphan(
  { api, clock, caches: { configMaps, departed } }: PoolSources,
  key: string,
  { remembered }: Before,
): Promise<OrphanWorld | undefined> {
  const pool = refOf(key);
  if (!departed.has(key)) return undefined;
  const found = await Promise.all(
    configMaps.labelled(pool).map((name) => configMaps.get({ ...pool, name })),
  );
  const marked = found
    .filter((it) => it !== undefined)
    .filter(({ annotations }) => annotations[ANNOTATION_WHEN_DELETED] === 'Delete');
  if (marked.length === 0) return undefined;
  const { ages: goneMs, states } = measureAges(remembered.ages, clock.monotonic(), (age) =>
    age('gone', ''),
  );
  return {
    kind: 'DeletedSwarmPool',
    marked,
    goneMs,
    isServed: await api.serves(kinds.SwarmPool),
    remembered: { ...remembered, ages: states },
  };
}

const observeWithoutRoom = (
  { caches, clock }: PoolSources,
  pool: SwarmPool,
  excess: string,
  { remembered, refused }: Before,
): PoolWorld =>
  worldWithoutRoom({
    pool: caches.withhold(pool),
    targets: caches.targets.meantBy(pool),
    excess,
    refused,
    remembered,
    monotonicMs: clock.monotonic(),
  });

/** With its streams, which there is room for now. */
async function whole(
  { caches: { pools }, onPool }: PoolSources,
  pool: SwarmPool,
): Promise<SwarmPool> {
  if (!isWithheld(pool)) return pool;
  onPool(await pools.whole(pool));
  const found = pools.get(pool.meta);
  if (found !== undefined && !isWithheld(found)) return found;
  throw new KubeError(
    'Unavailable',
    `SwarmPool ${keyOf(pool.meta)}: what there was room for was taken meanwhile`,
  );
}

/** What ConfigMaps say, or why there is no memory for it. */
async function textsOf(
  { caches }: PoolSources,
  pool: SwarmPool,
): Promise<Pick<PoolWorld, 'published' | 'lists'> | string> {
  const { targets, memory, publications, formerWorkers } = caches;
  const found = targets.meantBy(pool);
  const published = await formerWorkers.published(pool);
  let excess: string | undefined;
  const hasRoom = (size: Size): boolean => {
    excess = memory.excessOfTexts(pool, targets.meantBy(pool), size, published);
    return excess === undefined;
  };
  const lists = await publications.lists(pool, hasRoom);
  if (lists === undefined) return excess ?? '';
  memory.parsed(pool, found, lists);
  return { published, lists };
}

/** Awaits nothing, so all facts are of one moment. */
function observeAtOnce(
  { caches, clock, workers, creations }: PoolSources,
  key: string,
  pool: SwarmPool,
  read: Pick<PoolWorld, 'published' | 'lists' | 'predecessor'>,
  { remembered, refused }: Before,
): PoolWorld {
  const { targets, workloads, noted } = caches;
  const { published } = read;
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
  return {
    kind: 'SwarmPool',
    pool,
    ...read,
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
    highestSeen: Math.max(noted.highest(pool.meta), ...first.values()),
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
  { targets, workloads, formerWorkers }: PoolCaches,
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
