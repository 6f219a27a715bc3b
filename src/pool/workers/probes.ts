// Which workers are probed, where, how urgently, and how long may their answer be?
import { hostAndPort } from '../../api/address.ts';
import { ASSIGNED_ANNOTATION, readAssigned, type Slice } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import type { Pod } from '../../api/observed.ts';
import type { ProbeAnswer, ReportBound, WorkerProbe, WorkerReport } from '../../api/report.ts';
import { isFailing } from '../../api/reported-streams.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import type { Step } from '../../core/decision.ts';
import { memoize } from '../../core/memoize.ts';
import type { DesiredState } from '../desired-state.ts';
import type { Stream } from '../streams/streams.ts';
import type { PoolWorld } from '../world.ts';
import { hasConverged, livePod, type PoolWorker } from './workers.ts';

/**
 * Probes often while a worker is unconfirmed or not Ready: an earlier answer may no longer be true.
 */
export function probesOf(
  { published, highestSeen }: PoolWorld,
  { workers, slices, streams, spec: { probe, streamPolicy } }: DesiredState,
): readonly WorkerProbe[] {
  if (probe.type === 'None') return [];
  const isOnce = streamPolicy.completion === 'Once';
  const isRecordWhole = (published.assignment?.version ?? 0) >= highestSeen;
  const probes: WorkerProbe[] = [];
  for (const worker of workers) {
    const pod = livePod(worker);
    const slice = slices.get(worker.name);
    if (pod === undefined || slice === undefined) continue;
    const url = urlOf(pod, probe.httpGet);
    if (url === undefined) continue;
    const isOutstanding = !pod.isReady || !hasConverged(worker, slice);
    const most = boundOf(worker, slice, streams, isRecordWhole);
    const asked = { podUid: pod.uid, url, awaiting: versionOf(slice), isOutstanding, most };
    const isWatched = tellsFailure(worker.answer) || (isOnce && slice.jobs.length > 0);
    probes.push(isWatched ? { ...asked, isWatched } : asked);
  }
  return probes;
}

const versionOf = memoize((slice: Slice): string => String(slice.version));

type HttpGet = SwarmPoolSpec['probe']['httpGet'];

/** Written once for each version of the pod and of the spec. */
const urls = new WeakMap<Pod, { readonly httpGet: HttpGet; readonly url: string | undefined }>();

function urlOf(pod: Pod, httpGet: HttpGet): string | undefined {
  const known = urls.get(pod);
  if (known?.httpGet === httpGet) return known.url;
  const { scheme, port, path } = httpGet;
  const number = portOf(pod, port);
  const url =
    pod.ip === undefined || number === undefined
      ? undefined
      : `${scheme.toLowerCase()}://${hostAndPort(pod.ip, number)}${path}`;
  urls.set(pod, { httpGet, url });
  return url;
}

const tellsFailure = (answer: ProbeAnswer | undefined): boolean =>
  answer?.ok === true && answer.report.streams !== undefined && hasFailing(answer.report.streams);

const hasFailing = memoize((streams: NonNullable<WorkerReport['streams']>): boolean =>
  Object.values(streams).some(({ state }) => isFailing(state)),
);

export const portOf = (pod: Pod, port: number | string): number | undefined =>
  typeof port === 'number' ? port : own(pod.ports, port);

/**
 * A worker nudged now cannot have confirmed yet: the next decision probes it. If an earlier
 * nudge was refused, the kubelet may update the file without it.
 */
export function probesAfterNudge(
  { refused }: PoolWorld,
  { workers }: DesiredState,
  probes: readonly WorkerProbe[],
  steps: readonly Step[],
): readonly WorkerProbe[] {
  const nudged = new Set(
    steps.flatMap((step) =>
      step.do === 'annotate' && isFirstNudge(step.annotations) ? [step.pod.uid] : [],
    ),
  );
  if (nudged.size === 0 || refused !== undefined) return probes;
  const answering = new Set(
    workers.flatMap(({ pod, answer }) =>
      pod?.isReady === true && answer?.ok === true ? [pod.uid] : [],
    ),
  );
  return probes.map((probe) =>
    nudged.has(probe.podUid) && answering.has(probe.podUid)
      ? { ...probe, isOutstanding: false }
      : probe,
  );
}

const isFirstNudge = (annotations: Readonly<Record<string, string | null>>): boolean =>
  readAssigned(annotations[ASSIGNED_ANNOTATION] ?? undefined)?.attempt === 1;

/**
 * For jobs of earlier versions, the states of a hundred streams, and fields that the operator does
 * not know.
 */
const SPARE_JOBS = 1_000;
const SPARE_BYTES = 192 * 1024;
/** JSON may write every character as \u0000. */
const BYTES_PER_CHARACTER = 6;
/** Quotes, comma, indentation. */
const BYTES_PER_JOB = 16;
/** A worker's slice fits into one ConfigMap, so no honest answer is longer. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Without a record of its slice, a worker may run any stream of the pool. */
function boundOf(
  { before }: PoolWorker,
  slice: Slice,
  streams: readonly Stream[],
  isRecordWhole: boolean,
): ReportBound {
  if (isRecordWhole && before === slice) return boundOfSlice(slice);
  const recorded =
    before === undefined || before === slice ? sizeIn(slice) : sum(sizeIn(slice), sizeIn(before));
  return boundFor(
    isRecordWhole && before !== undefined ? recorded : sum(recorded, sizeOf(streams)),
  );
}

const sizeIn = ({ jobs, releasing }: Slice): Size =>
  releasing === undefined ? sizeOf(jobs) : sum(sizeOf(jobs), sizeOf(releasing));

const boundFor = ({ jobs, characters }: Size): ReportBound => ({
  jobs: SPARE_JOBS + jobs,
  bytes: Math.min(
    MOST_BYTES,
    SPARE_BYTES + characters * BYTES_PER_CHARACTER + jobs * BYTES_PER_JOB,
  ),
});

const boundOfSlice = memoize((slice: Slice): ReportBound => boundFor(sizeIn(slice)));

type Size = { readonly jobs: number; readonly characters: number };

const sum = (a: Size, b: Size): Size => ({
  jobs: a.jobs + b.jobs,
  characters: a.characters + b.characters,
});

/** Measured once for each list: 100,000 names take 1 ms, for every worker without a record. */
const sizeOf = memoize((list: readonly (string | Stream)[]): Size => {
  const lengthOf = (it: string | Stream): number =>
    typeof it === 'string' ? it.length : it.name.length;
  return { jobs: list.length, characters: list.reduce((total, it) => total + lengthOf(it), 0) };
});
