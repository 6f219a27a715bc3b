// Who are the workers, and what is each known to run?
import type { Assignment } from '../../api/assignment.ts';
import type { Pod, StatefulSet } from '../../api/observed.ts';
import type { WorkerReport } from '../../api/report.ts';

/**
 * Workers that come up together mostly become Ready within moments of each other: one waits so long for the others, since to join one
 * after the other moves more streams than to join at once.
 */
export const JOIN_TOGETHER_MS = 500;

/** What the last question to a pod brought. */
export type Answer = { readonly ok: true; readonly report: WorkerReport } | { readonly ok: false; readonly reason: string };

export type Member = {
  /** The name of its pod. */
  readonly name: string;
  /** The target wants it to exist. */
  readonly isDesired: boolean;
  /** It takes part in balancing; before that it takes nothing from others. */
  readonly hasJoined: boolean;
  readonly ordinal: number;
  /** It is emptied, and given nothing. */
  readonly isCordoned: boolean;
  /** It has been away for so long that others have its streams. */
  readonly hasFailed: boolean;
  readonly pod: Pod | undefined;
  /** Its pod was there when its slice last changed, and a new one is to take its place. */
  readonly isOutdated: boolean;
  /** Undefined: not asked yet, or never (see isAsked). */
  readonly answer: Answer | undefined;
  /** False: it cannot tell what it runs (probe.type None). */
  readonly isAsked: boolean;
};

export type MembersInput = {
  /** The workers that count, in their order. */
  readonly desired: readonly string[];
  /** Pods of the targets, by owner. */
  readonly pods: readonly Pod[];
  readonly previous: Assignment | undefined;
  readonly answers: Readonly<Record<string, Answer>>;
  readonly cordoned: readonly number[];
  /** UIDs of pods that a restart is to replace. */
  readonly outdated: ReadonlySet<string>;
  readonly isAsked: boolean;
  readonly failed: ReadonlySet<string>;
  /** By worker: for how long the leader has seen it Ready. */
  readonly readyMs: Readonly<Record<string, number>>;
};

/**
 * In ordinal order: every worker that the target desires, and every pod that still lives. A worker is known by its pod's name, so a
 * restarted one is the same worker.
 */
export function membersOf(input: MembersInput): readonly Member[] {
  const { pods, previous, answers, cordoned, outdated, isAsked, failed, readyMs } = input;
  const desired = new Set(input.desired);
  const podByName = new Map(pods.map((pod) => [pod.name, pod]));
  const names = [...desired, ...[...podByName.keys()].filter((name) => !desired.has(name)).sort(byOrdinal)];
  // Nobody has anything yet: there is nothing to be taken from anybody, and who is not Ready yet will be.
  const isFirst = ![...desired].some((name) => hadJobs(previous, name));
  const isAwaited = [...desired].some((name) => !isEarlier(podByName.get(name), name, previous));
  const isAlone = (name: string): boolean => isAwaited && !hadJobs(previous, name) && (readyMs[name] ?? 0) < JOIN_TOGETHER_MS;
  return names.map((name) => {
    const pod = podByName.get(name);
    const isDesired = desired.has(name);
    const hasFailed = isDesired && failed.has(name);
    const hasJoined = isDesired && !hasFailed && (isFirst || (isEarlier(pod, name, previous) && !isAlone(name)));
    const ordinal = ordinalOf(name);
    const answer = pod === undefined ? undefined : usable(answers[pod.uid], pod);
    const isOutdated = pod !== undefined && outdated.has(pod.uid);
    return { name, ordinal, isDesired, hasJoined, isCordoned: cordoned.includes(ordinal), hasFailed, pod, isOutdated, answer, isAsked };
  });
}

/** It was Ready once: it is so now, or it already has streams. A worker that restarts stays what it is. */
const isEarlier = (pod: Pod | undefined, name: string, previous: Assignment | undefined): boolean =>
  pod?.isReady === true || hadJobs(previous, name);

export const hadJobs = (previous: Assignment | undefined, worker: string): boolean =>
  (previous?.workloads.get(worker)?.jobs.length ?? 0) > 0;

export function desiredNames(target: StatefulSet, count = target.replicas): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${target.name}-${target.firstOrdinal + index}`);
}

/** An address may have passed to another pod: what names another pod is no answer of this one. */
function usable(answer: Answer | undefined, pod: Pod): Answer | undefined {
  if (answer?.ok !== true || answer.report.podUid === undefined || answer.report.podUid === pod.uid) return answer;
  return { ok: false, reason: `the answer came from another pod (UID ${answer.report.podUid})` };
}

export function ordinalOf(name: string): number {
  const ordinal = Number(name.slice(name.lastIndexOf('-') + 1));
  return Number.isInteger(ordinal) ? ordinal : Number.MAX_SAFE_INTEGER;
}

const byOrdinal = (a: string, b: string): number => ordinalOf(a) - ordinalOf(b) || (a < b ? -1 : 1);
