// How long has a pool been as it is: what is published, what its workers are told and answer, and
// which of them are missing?
import type { Pod } from '../../api/observed.ts';
import type { ProbeAnswer } from '../../api/report.ts';
import type { SwarmPool } from '../../api/validate.ts';
import type { Published } from '../publish/published.ts';
import { failoverRules, isSuspended, mayBeGivenUp, type Presence } from '../workers/failover.ts';
import { hasJobs } from '../workers/members.ts';
import type { Seat } from '../workers/seats.ts';
import type { PoolWorld } from '../world.ts';

export type Seen = {
  readonly pool: SwarmPool;
  readonly published: Published;
  /** Seats that the targets want. */
  readonly wanted: readonly Seat[];
  /** Of the targets, and of earlier ones. */
  readonly pods: readonly Pod[];
  readonly answers: Readonly<Record<string, ProbeAnswer>>;
  /** Workers that had failed, and were not trusted again when the pool was looked at last. */
  readonly distrusted: readonly string[];
};

/** How long `name` has had this value. */
type Age = (name: string, value: string) => number;

export function agesOf({ pool, published, pods, answers }: Seen, age: Age): PoolWorld['ages'] {
  const slices = published.assignment?.workloads;
  const isUntold = (published.assignment?.version ?? 0) > (pool.status?.version ?? 0);
  return {
    publishedMs: age(
      'published',
      published.shards
        .map(({ configMap }) => `${configMap.uid} ${configMap.resourceVersion}`)
        .join(),
    ),
    sliceMs: Object.fromEntries(
      pods.map((pod) => [pod.uid, age(`slice ${pod.uid}`, String(slices?.get(pod.name)?.version))]),
    ),
    annotatedMs: Object.fromEntries(
      pods.map((pod) => [pod.uid, age(`annotation ${pod.uid}`, pod.assigned ?? '')]),
    ),
    answersMs: age('answers', saidBy(answers)),
    statusLagMs: isUntold ? age('untold', '') : 0,
    statusMs: age('status', progressIn(pool.status)),
  };
}

export function presenceOf(
  { pool: { spec }, published, wanted, distrusted }: Seen,
  age: Age,
): Presence {
  const isReady = new Set(
    wanted.flatMap(({ key, pod }) => (pod?.isReady === true && !pod.isTerminating ? [key] : [])),
  );
  const unproven = new Set(
    wanted.flatMap(({ key, from, pod }) =>
      spec.ok &&
      !isReady.has(key) &&
      published.neverReady.has(from) &&
      mayBeGivenUp(spec.value, pod)
        ? [key]
        : [],
    ),
  );
  const before = new Set(distrusted);
  const slices = published.assignment?.workloads;
  // One that has never been Ready has nothing that could pass to others.
  const known = wanted
    .filter(
      ({ key, from }) =>
        !unproven.has(key) && (isReady.has(key) || before.has(key) || hasJobs(slices?.get(from))),
    )
    .map(({ key }) => key);
  const away = known.filter((key) => !isReady.has(key));
  const since = new Map(
    known.map((key) => [key, age(`presence ${key}`, String(isReady.has(key)))]),
  );
  const most = spec.ok ? failoverRules(spec.value).most : undefined;
  const calmMs = age('calm', String(!isSuspended(away.length, known.length, most)));
  return {
    missingMs: Object.fromEntries(away.map((key) => [key, Math.min(since.get(key) ?? 0, calmMs)])),
    readyMs: Object.fromEntries([...isReady].map((key) => [key, since.get(key) ?? 0])),
    neverReadyMs: Object.fromEntries(
      [...unproven].map((key) => [key, age(`never Ready ${key}`, '')]),
    ),
    distrusted,
  };
}

/** A worker that comes up, confirms or goes silent changes it. */
const saidBy = (answers: Readonly<Record<string, ProbeAnswer>>): string =>
  Object.entries(answers)
    .map(
      ([uid, answer]) =>
        `${uid} ${answer.ok ? `${answer.report.version} ${answer.report.read ?? ''}` : ''}`,
    )
    .join();

/** What status tells, without the names of streams. */
const progressIn = (status: SwarmPool['status']): string =>
  JSON.stringify([
    status?.version,
    status?.readyReplicas,
    status?.convergedReplicas,
    status?.conditions,
    status?.workers?.map(({ name, state, message, version, reportedVersion }) => [
      name,
      state,
      message,
      version,
      reportedVersion,
    ]),
  ]);
