// How long have the publication, the annotations, the answers, the status and the streams that fail
// been as they are?
import type { Slice } from '../../api/assignment.ts';
import type { Pod } from '../../api/observed.ts';
import type { ProbeAnswer } from '../../api/report.ts';
import { isFailing } from '../../api/reported-streams.ts';
import type { SwarmPool } from '../../api/validate.ts';
import type { Age } from '../../core/state-ages.ts';
import { hasConverged, usable } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';

type Seen = Pick<PoolWorld, 'pool' | 'published' | 'answers'> & {
  /** Of present and earlier targets. */
  readonly pods: readonly Pod[];
};

export function agesOf({ pool, published, pods, answers }: Seen, age: Age): PoolWorld['ages'] {
  const slices = published.assignment?.workloads;
  const isProbed = !pool.spec.ok || pool.spec.value.probe.type === 'HTTPGet';
  /** A worker that starts anew or is lost has all of its time once more. */
  const hasConfirmed = (pod: Pod): boolean =>
    hasConverged(
      {
        pod,
        answer: usable(answers[pod.uid], pod),
        isProbed,
        isOutdated: published.outdated.has(pod.uid),
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
    sliceMs: Object.fromEntries(
      pods.map((pod) => [pod.uid, age(`slice ${pod.uid}`, String(slices?.get(pod.name)?.version))]),
    ),
    unconfirmedMs: Object.fromEntries(
      pods
        .filter((pod) => !hasConfirmed(pod))
        .map((pod) => [
          pod.uid,
          age(`unconfirmed ${pod.uid}`, `${slices?.get(pod.name)?.version} ${pod.isReady}`),
        ]),
    ),
    annotatedMs: Object.fromEntries(
      pods.map((pod) => [pod.uid, age(`annotation ${pod.uid}`, pod.assigned ?? '')]),
    ),
    answersMs: age('answers', reportedIn(answers)),
    statusLagMs: isStatusBehind ? age('untold', '') : 0,
    statusMs: age('status', shownIn(pool.status)),
    ...(movesFailing(pool) && {
      failingMs: Object.fromEntries(
        pods.map((pod) => [
          pod.uid,
          failingAt(pod, slices?.get(pod.name), usable(answers[pod.uid], pod), age),
        ]),
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

const movesFailing = ({ spec }: SwarmPool): boolean =>
  spec.ok && spec.value.streamPolicy.moveAfterSeconds !== undefined;

/** So few are looked for in the list: a set of all streams takes a tenth of a decision. */
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
const reportedIn = (answers: Readonly<Record<string, ProbeAnswer>>): string =>
  Object.entries(answers)
    .map(
      ([uid, answer]) =>
        `${uid} ${answer.ok ? `${answer.report.version} ${answer.report.read ?? ''}` : ''}`,
    )
    .join();

/** Without the names of streams. */
const shownIn = (status: SwarmPool['status']): string =>
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
