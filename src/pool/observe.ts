// What is the world of one pool, and how long has each part of it been as it is? Read from caches
// at one moment; changes nothing, decides nothing.
import type { Slice } from '../api/assignment.ts';
import { kinds } from '../api/kinds.ts';
import type { Pod } from '../api/observed.ts';
import { byAge, hasPriority } from '../api/own-object.ts';
import type { ProbeAnswer } from '../api/report.ts';
import { isFailing } from '../api/reported-streams.ts';
import type { SwarmPool } from '../api/validate.ts';
import type { Refusal } from '../core/decision.ts';
import { memoize } from '../core/memoize.ts';
import { type Age, measureAges } from '../core/state-ages.ts';
import type { WorkerProbes } from '../probes/probes.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Creations } from '../runtime/store/creations.ts';
import type { KnownWorkloads } from '../runtime/store/workloads.ts';
import type { PoolCaches } from './observe/caches.ts';
import type { FormerWorkers } from './observe/former-workers.ts';
import {
  believedAnswers,
  believedPod,
  firstVersions,
  type NotedVersions,
} from './observe/known-versions.ts';
import { soughtBy, suggestTarget, type Targets } from './observe/pools.ts';
import { publishedNow } from './publish/published.ts';
import type { ReadPool } from './read.ts';
import { follows, usable } from './workers/workers.ts';
import type { OrphanWorld, PoolWorld, Remembered } from './world.ts';

/** The questions to the caches; none of them changes a cache. */
type PoolSources = {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly caches: {
    readonly targets: Pick<Targets, 'meantBy' | 'otherKindTargetsOf' | 'autoscalerOfPool'>;
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

/** It awaits nothing, so all facts are of one moment. */
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
  { pool, exceededBy }: ReadPool & { readonly kind: 'Withheld' },
  { remembered, refused }: Before,
): PoolWorld =>
  worldWithoutRoom({
    pool,
    targets: caches.targets.meantBy(pool),
    exceededBy,
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
    otherKindTargets: targets.otherKindTargetsOf(pool),
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

const worldWithoutRoom = (
  facts: Pick<PoolWorld, 'pool' | 'targets' | 'refused' | 'remembered' | 'monotonicMs'> & {
    readonly exceededBy: string;
  },
): PoolWorld => ({
  kind: 'SwarmPool',
  otherKindTargets: [],
  rival: undefined,
  predecessor: undefined,
  autoscaler: undefined,
  creationFailures: new Map(),
  pods: [],
  formerPods: [],
  endingPods: [],
  published: publishedNow([]),
  highestSeen: 0,
  lists: [],
  answers: {},
  ages: {
    publishedMs: 0,
    sliceMs: {},
    unconfirmedMs: {},
    annotatedMs: {},
    answersMs: 0,
    statusLagMs: 0,
    statusMs: 0,
  },
  unprobed: new Set(),
  ...facts,
});

type Seen = Pick<PoolWorld, 'pool' | 'published' | 'answers'> & {
  /** Of present and earlier targets. */
  readonly pods: readonly Pod[];
};

export function agesOf({ pool, published, pods, answers }: Seen, age: Age): PoolWorld['ages'] {
  const slices = published.assignment?.workloads;
  const versionOf = ({ name }: Pod): string => String(slices?.get(name)?.version);
  const isProbed = !pool.spec.ok || pool.spec.value.probe.type === 'HTTPGet';
  /** The time starts again when a worker restarts or is lost. */
  const hasConfirmed = (pod: Pod): boolean =>
    follows(
      {
        pod,
        answer: usable(answers[pod.uid], pod),
        isProbed,
        isOutdated: published.outdatedPods.has(pod.uid),
      },
      slices?.get(pod.name),
    );
  const isStatusBehind = (published.assignment?.version ?? 0) > (pool.status?.version ?? 0);
  return {
    publishedMs: age(
      'published',
      published.shards
        .map(({ configMap }) => `${configMap.uid} ${configMap.resourceVersion}`)
        .join(),
    ),
    sliceMs: byUid(pods, (pod) => age(statesOf(pod).slice, versionOf(pod))),
    unconfirmedMs: byUid(
      pods.filter((pod) => !hasConfirmed(pod)),
      (pod) => age(statesOf(pod).unconfirmed, `${versionOf(pod)} ${pod.isReady}`),
    ),
    annotatedMs: byUid(pods, (pod) => age(statesOf(pod).annotation, pod.assigned ?? '')),
    answersMs: age('answers', reportedIn(answers)),
    statusLagMs: isStatusBehind ? age('untold', '') : 0,
    statusMs: age('status', pool.status === undefined ? '' : shownIn(pool.status)),
    ...(movesFailing(pool) && {
      failingMs: byUid(pods, (pod) =>
        failingAt(pod, slices?.get(pod.name), usable(answers[pod.uid], pod), age),
      ),
      movedMs: new Map(
        [...(published.assignment?.movedFrom ?? [])].map(([stream, from]) => [
          stream,
          age(`moved ${stream}`, from),
        ]),
      ),
    }),
  };
}

/** The names of a pod's states: written once, since a long text is hashed at each first use. */
const statesOf = memoize(({ uid }: Pod) => ({
  slice: `slice ${uid}`,
  unconfirmed: `unconfirmed ${uid}`,
  annotation: `annotation ${uid}`,
}));

function byUid<T>(pods: readonly Pod[], of: (pod: Pod) => T): Readonly<Record<string, T>> {
  const values: Record<string, T> = {};
  for (const pod of pods) values[pod.uid] = of(pod);
  return values;
}

const movesFailing = ({ spec }: SwarmPool): boolean =>
  spec.ok && spec.value.streamPolicy.moveAfterSeconds !== undefined;

/** Up to this number the list is searched: a set of all streams takes a tenth of a decision. */
const FEW = 8;

/**
 * Of the worker's own streams. While it is silent, what it told last counts: with a bad network it
 * may fall silent again and again.
 */
function failingAt(
  { uid }: Pod,
  slice: Slice | undefined,
  answer: ProbeAnswer | undefined,
  age: Age,
): ReadonlyMap<string, number> {
  const report = answer?.ok === true ? answer.report : answer?.last;
  const failing = Object.entries(report?.streams ?? {}).flatMap(([stream, { state }]) =>
    isFailing(state) ? [stream] : [],
  );
  const { jobs = [] } = slice ?? {};
  const assigned = failing.length <= FEW ? undefined : new Set(jobs);
  const mine = failing.filter((it) => assigned?.has(it) ?? jobs.includes(it));
  return new Map(mine.map((stream) => [stream, age(`failing ${uid} ${stream}`, '')]));
}

/** Changes when a worker comes up, confirms or goes silent. */
const reportedIn = memoize((answers: Readonly<Record<string, ProbeAnswer>>): string =>
  Object.entries(answers)
    .map(
      ([uid, answer]) =>
        `${uid} ${answer.ok ? `${answer.report.version} ${answer.report.read ?? ''}` : ''}`,
    )
    .join(),
);

/** Without the names of streams. */
const shownIn = memoize((status: NonNullable<SwarmPool['status']>): string =>
  JSON.stringify([
    status.version,
    status.readyReplicas,
    status.convergedReplicas,
    status.conditions,
    status.workers?.map(({ name, state, message, version, reportedVersion }) => [
      name,
      state,
      message,
      version,
      reportedVersion,
    ]),
  ]),
);
