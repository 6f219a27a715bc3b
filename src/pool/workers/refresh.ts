// How do workers follow a new slice? They are nudged again and again, or replaced in waves: the
// next pod when the last one is Ready and has confirmed.
import { ASSIGNED_ANNOTATION, digestOf, type Slice, writeAssigned } from '../../api/assignment.ts';
import type { Pod } from '../../api/observed.ts';
import { type Step, versionedRefOf } from '../../core/decision.ts';
import { listed, plural } from '../../core/text.ts';
import type { DesiredState } from '../desired-state.ts';
import { ANNOTATION_RESTARTED, patchStep } from '../publish/config-map.ts';
import type { PoolEvent } from '../reasons.ts';
import { type NotedRestart, type PoolWorld, unconfirmedMs } from '../world.ts';
import { assignedTo, notedOn } from './seats.ts';
import { hasConverged, livePod, type PoolWorker } from './workers.ts';

type Refresh = {
  readonly steps: readonly Step[];
  readonly events: readonly PoolEvent[];
  readonly nextInMs: number | undefined;
};

/** After the publication: repeats nudges, replaces the next pods. */
export function refreshNow(world: PoolWorld, desired: DesiredState): Refresh {
  const { mode } = desired.spec.refresh;
  const restarts = mode === 'Reload' ? [] : restartsNow(world, desired);
  // A pod that is to be replaced must not follow a part of the change first, and the eviction of a
  // pod that was just nudged would fail.
  const workers = desired.workers.filter(
    (worker) => !restarts.includes(worker) && (mode !== 'Restart' || !worker.isOutdated),
  );
  const nudges = nudgesNow({ ...desired, workers }, new Set(), world);
  if (restarts.length === 0) return { ...nudges, events: [] };
  const names = restarts.map(({ name }) => name);
  const message = `${plural(names.length, 'worker')} replaced, to apply the new assignment: ${listed(names)}`;
  return {
    ...nudges,
    steps: [
      ...nudges.steps,
      ...noteRestarts(world, desired, restarts),
      ...restarts.flatMap(({ pod }) =>
        pod === undefined ? [] : [{ do: 'evict', pod: versionedRefOf(pod) } as const],
      ),
    ],
    events: [{ type: 'Normal', reason: 'Restarting', action: 'Refresh', message }],
  };
}

/**
 * The pod is recorded before its eviction: after any failure in between it is still evicted, and
 * its successor is not.
 */
function noteRestarts(
  { published }: PoolWorld,
  { slices }: DesiredState,
  restarts: readonly PoolWorker[],
): readonly Step[] {
  const noted = new Map(
    restarts.flatMap(({ name, isOutdated, pod }) => {
      const version = slices.get(name)?.version;
      const isNew = !isOutdated && published.restarted[name]?.version !== version;
      return isNew && version !== undefined && pod !== undefined
        ? [[name, { version, podUid: pod.uid }] as const]
        : [];
    }),
  );
  const [shard] = published.shards;
  if (noted.size === 0 || shard === undefined) return [];
  const restarted: Readonly<Record<string, NotedRestart>> = Object.fromEntries([
    ...Object.entries(published.restarted).filter(
      ([worker, { version }]) => slices.get(worker)?.version === version,
    ),
    ...noted,
  ]);
  const annotations = { [ANNOTATION_RESTARTED]: JSON.stringify(restarted) };
  return [patchStep(shard.configMap, { metadata: { annotations } })];
}

/** By the third nudge, 3 s after the first, the kubelet has updated the file. */
const ENOUGH_NUDGES = 3;

function restartsNow(world: PoolWorld, desired: DesiredState): readonly PoolWorker[] {
  const due = desired.workers.filter((worker) => isDue(world, desired, worker));
  // Replacing an unavailable worker makes no other worker unavailable.
  const away = due.filter(({ pod }) => pod?.isReady !== true);
  const present = due.filter(({ pod }) => pod?.isReady === true);
  const others = desired.workers.filter(
    (worker) => !present.includes(worker) && isUnavailable(world, desired, worker),
  );
  const room = maxUnavailable(desired) - others.length;
  return [...away, ...present.slice(0, Math.max(0, room))];
}

function isDue(world: PoolWorld, { spec, slices }: DesiredState, worker: PoolWorker): boolean {
  const { answer, name } = worker;
  const pod = livePod(worker);
  const slice = slices.get(name);
  if (pod === undefined || slice === undefined || hasConverged(worker, slice)) return false;
  if (spec.refresh.mode === 'Restart' && worker.isOutdated) return true;
  // A silent worker is never evicted: it may be working behind a broken network.
  const isIgnoring = answer?.ok === true && answer.report.version < slice.version;
  if (!isIgnoring) return false;
  const last = world.published.restarted[name];
  if (last?.version === slice.version) return last.podUid === pod.uid;
  return spec.refresh.mode === 'Auto'
    ? unconfirmedMs(world, pod) >= spec.refresh.timeoutSeconds * 1000
    : wasNudgedEnough(pod, slice);
}

/** With Restart, a pod that started with an older file is replaced once nudges had no effect. */
function wasNudgedEnough(pod: Pod, slice: Slice): boolean {
  const told = assignedTo(pod);
  return told?.version === slice.version && told.attempt >= ENOUGH_NUDGES;
}

/** The worker is away or unconfirmed. A stuck worker no longer delays the others. */
function isUnavailable(
  world: PoolWorld,
  { spec, slices }: DesiredState,
  worker: PoolWorker,
): boolean {
  const { pod, isDesired, isOutdated, name } = worker;
  if (!isDesired) return false;
  if (pod?.isReady !== true || pod.isTerminating) return true;
  const isStuck = unconfirmedMs(world, pod) >= spec.refresh.timeoutSeconds * 1000;
  return (
    spec.refresh.mode === 'Restart' &&
    !isOutdated &&
    !isStuck &&
    !hasConverged(worker, slices.get(name))
  );
}

/** A percentage refers to the desired workers, rounded up, as in StatefulSets. */
function maxUnavailable({ spec, workers }: DesiredState): number {
  const { maxUnavailable: wanted } = spec.refresh;
  if (typeof wanted === 'number') return wanted;
  const desired = workers.filter(({ isDesired }) => isDesired).length;
  return Math.max(1, Math.ceil((Number.parseInt(wanted, 10) / 100) * desired));
}

/**
 * A nudge may reach the kubelet before the ConfigMap does: it is repeated after 1, 2, 4 s and so
 * on, at most with the period of a kubelet's own updates.
 */
const FIRST_REPEAT_MS = 1_000;
const LONGEST_REPEAT_MS = 60_000;
/**
 * While other workers confirm, an unconfirmed one is probably slow: its pause restarts, but lasts
 * at most this many pauses.
 */
const LONGEST_PATIENCE = 4;
/** A worker that was not probed since its nudge is checked again after this time. */
const UNPROBED_MS = 500;
/** More nudges do not help a worker that does not answer. */
const SILENT_ATTEMPTS = 4;

export const isNudge = ({ do: what }: Step): boolean => what === 'annotate';

type Times = Pick<PoolWorld, 'unprobed'> & {
  readonly ages: Pick<PoolWorld['ages'], 'annotatedMs' | 'answersMs'>;
};

const justPublished: Times = { ages: { annotatedMs: {}, answersMs: 0 }, unprobed: new Set() };

/** `changed` contains the workers whose slices change with this decision. */
export function nudgesNow(
  { spec, workers, slices }: Pick<DesiredState, 'spec' | 'workers' | 'slices'>,
  changed: ReadonlySet<string>,
  times = justPublished,
): { readonly steps: readonly Step[]; readonly nextInMs: number | undefined } {
  const steps: Step[] = [];
  let nextInMs: number | undefined;
  for (const worker of workers) {
    const { name } = worker;
    const pod = livePod(worker);
    const slice = slices.get(name);
    if (pod === undefined || slice === undefined || hasConverged(worker, slice)) continue;
    // With Exclusive, only the annotation lets a worker start streams.
    const isAwaited = changed.has(name) || spec.handoff.type === 'Exclusive';
    const due = nudge(worker, pod, slice, isAwaited, times);
    if (due === undefined) continue;
    if (due.inMs > 0) nextInMs = Math.min(nextInMs ?? due.inMs, due.inMs);
    else steps.push(annotate(pod, slice, due.attempt));
  }
  return { steps, nextInMs };
}

function nudge(
  { answer }: PoolWorker,
  pod: Pod,
  slice: Slice,
  isAwaited: boolean,
  { ages, unprobed }: Times,
): { readonly attempt: number; readonly inMs: number } | undefined {
  const last = notedOn(pod);
  const isNudged = last?.uid === pod.uid && last.version === slice.version;
  if (!isNudged) {
    // A pod without an annotation may have started with the current file: it is probed first.
    const isKnownOld = isAwaited || last !== undefined || answer?.ok === true;
    return isKnownOld ? { attempt: 1, inMs: 0 } : undefined;
  }
  // The worker has read the slice and needs time: another nudge would not help.
  if (answer?.ok === true && answer.report.read === slice.version) return undefined;
  if (answer?.ok !== true && last.attempt >= SILENT_ATTEMPTS) return undefined;
  const isUnprobed = unprobed.has(pod.uid);
  // The first answer is still missing.
  if (isUnprobed && answer === undefined) return undefined;
  // The pause restarts whenever a worker of the pool reports something new.
  const nudgedMs = ages.annotatedMs[pod.uid] ?? 0;
  const pause = Math.min(FIRST_REPEAT_MS * 2 ** (last.attempt - 1), LONGEST_REPEAT_MS);
  const untilRepeat = Math.min(
    pause - Math.min(nudgedMs, ages.answersMs),
    LONGEST_PATIENCE * pause - nudgedMs,
  );
  return {
    attempt: last.attempt + 1,
    inMs: Math.max(isUnprobed ? UNPROBED_MS : 0, untilRepeat),
  };
}

function annotate(pod: Pod, slice: Slice, attempt: number): Step {
  const { version } = slice;
  const assigned = writeAssigned({ version, uid: pod.uid, digest: digestOf(slice), attempt });
  return {
    do: 'annotate',
    pod: versionedRefOf(pod),
    annotations: { [ASSIGNED_ANNOTATION]: assigned },
  };
}
