// What do we tell about a pool? All of its status, made anew from what is known.
import { ANYTHING, digestOf, readAssigned, type Slice } from '../api/assignment.ts';
import type { Pod, Target } from '../api/observed.ts';
import type { WorkerReport } from '../api/report.ts';
import type { SwarmPoolSpec, SwarmPoolStatus } from '../api/validate.ts';
import { type Condition, nextConditions, type Wanted } from '../core/conditions.ts';
import { listed, plural, timeText } from '../core/meta.ts';
import type { Blocked } from './preconditions.ts';
import { ownership } from './publish/publish.ts';
import { changesIn, type PublishedChange, versionIn } from './publish/published.ts';
import { hasConverged, isSettled, isVerified, portOf, runsJust } from './refresh/convergence.ts';
import { poolConditions } from './status/conditions.ts';
import { nameOf, type PoolView, sizeOf } from './view.ts';
import { failoverRules } from './workers/failover.ts';
import { hasJobs, type Member } from './workers/members.ts';
import type { PoolWorld } from './world.ts';

/** Status is no place for thousands of entries: the first are shown, the numbers tell the rest. */
const SHOWN = 100;
const HISTORY = 20;
/** With the rest of the status, below 256 KiB. */
const MOST_NAMES_BYTES = 128 * 1024;

export type WorkerStatus = NonNullable<SwarmPoolStatus['workers']>[number];
type History = NonNullable<SwarmPoolStatus['history']>;

/**
 * Figures are of now, or left out: nothing is carried over from the last good status but the
 * version and the history.
 */
export function statusWhenBlocked(
  world: Pick<PoolWorld, 'pool' | 'published' | 'targets'>,
  blocked: Blocked,
  now: number,
): SwarmPoolStatus {
  const { meta, status } = world.pool;
  const own = world.published.shards.filter(
    ({ configMap, key }) => ownership(configMap, meta.name, key) !== 'foreign',
  );
  const changes = changesIn(own);
  const version = Math.max(versionIn(own), changes[0]?.version ?? 0, status?.version ?? 0);
  // The target of another pool is none of this one's.
  const targets = blocked.reason === 'TargetConflict' ? [] : world.targets;
  const nothing = { reason: blocked.reason, message: blocked.message };
  const unknown = { status: 'Unknown', ...nothing } as const;
  const wanted: readonly Wanted[] = [
    { type: 'Ready', status: 'False', ...nothing },
    { type: 'Converged', ...unknown },
    { type: 'Reconciling', status: blocked.isStalled ? 'False' : 'True', ...nothing },
    { type: 'Stalled', status: blocked.isStalled ? 'True' : 'False', ...nothing },
    { type: 'Overcommitted', ...unknown },
    { type: 'Mounted', ...unknown },
    { type: 'ProbeUnreachable', ...unknown },
  ];
  return {
    observedGeneration: meta.generation,
    ...(version > 0 && { version }),
    replicas: sizeOf(targets),
    ...targetOf(targets),
    history: historyWith(status?.history ?? [], changes),
    conditions: conditionsOf(status, wanted, meta.generation, now),
  };
}

/** An autoscaler takes one selector: of several targets there is none. */
function targetOf(targets: readonly Target[]): Pick<SwarmPoolStatus, 'selector' | 'target'> {
  const [only, ...others] = targets;
  if (only === undefined) return {};
  return {
    ...(others.length === 0 && { selector: only.selector }),
    target: targets.map(nameOf).join(','),
  };
}

export function statusOf(world: PoolWorld, view: PoolView, now: number): SwarmPoolStatus {
  const { meta, status: before } = world.pool;
  const { members, slices, targets } = view;
  const { unassigned } = view;
  const workers = workerStatuses(world, view);
  const counted = members.filter((member) => member.isDesired);
  const converged = counted.filter((member) => isSettled(member, slices.get(member.name)));
  const isConverged = isConvergedNow(view);
  const history = historyWith(before?.history ?? [], view.published.changes);
  const wanted = poolConditions(world, view, workers, history, isConverged, now);
  return {
    observedGeneration: meta.generation,
    // An older ConfigMap that somebody brought back, or a newer one that was spoiled, does not make
    // it forget how far it was.
    version: Math.max(view.version, view.published.change?.version ?? 0, before?.version ?? 0),
    replicas: sizeOf(targets),
    ...targetOf(targets),
    readyReplicas: Math.min(
      counted.filter(({ pod }) => pod?.isReady === true).length,
      sizeOf(targets),
    ),
    // Pods of a Deployment that has become smaller count until its ReplicaSet has chosen.
    convergedReplicas: Math.min(converged.length, sizeOf(targets)),
    requiredReplicas: view.assigned.required,
    streams: { total: view.streams, assigned: view.given, unassigned: unassigned.length },
    workers: withinBounds(workers.slice(0, SHOWN), slices),
    unassigned: unassigned.slice(0, SHOWN),
    ...(view.plan !== undefined && {
      plan: { total: view.plan.length, moves: view.plan.slice(0, SHOWN) },
    }),
    history: withConvergence(history, view.version, isConverged, now),
    conditions: conditionsOf(before, wanted, meta.generation, now),
  };
}

/** What ought to be is published, and every stream runs at its worker, and nowhere else. */
export const isConvergedNow = ({ members, slices, isPending, ending }: PoolView): boolean =>
  !isPending && ending.length === 0 && isVerified(members, slices);

/** All of them, each with all of its streams. */
export const workerStatuses = (world: PoolWorld, view: PoolView): readonly WorkerStatus[] =>
  view.members.map((member) => workerStatus(world, view, member, view.slices.get(member.name)));

/**
 * Names of streams can be long and many: together they stay well below what an object may hold.
 * Each worker shows as many of its own as its part allows, and what the rest is by number and
 * digest.
 */
function withinBounds(
  workers: readonly WorkerStatus[],
  slices: PoolView['slices'],
): readonly WorkerStatus[] {
  const bytesOf = (jobs: readonly string[]): number =>
    jobs.reduce((sum, job) => sum + bytesIn(job), 0);
  if (workers.reduce((sum, { jobs = [] }) => sum + bytesOf(jobs), 0) <= MOST_NAMES_BYTES)
    return workers;
  const part = MOST_NAMES_BYTES / workers.length;
  return workers.map((worker) => {
    const { jobs = [] } = worker;
    const slice = slices.get(worker.name);
    if (slice === undefined || bytesOf(jobs) <= part) return worker;
    let room = part;
    const shown = jobs.filter((job) => {
      room -= bytesIn(job);
      return room >= 0;
    });
    return { ...worker, jobs: shown, total: jobs.length, digest: digestOf(slice) };
  });
}

/** With its quotes, comma and indentation. */
const bytesIn = (name: string): number =>
  (isPlain.test(name) ? name.length : new TextEncoder().encode(name).length) + 8;
const isPlain = /^[ -~]*$/;

function workerStatus(
  world: PoolWorld,
  view: PoolView,
  member: Member,
  slice: Slice | undefined,
): WorkerStatus {
  const { name, slot, answer } = member;
  const reportedVersion = answer?.ok === true ? answer.report.version : undefined;
  return {
    name,
    ...(slot !== undefined && { slot }),
    jobs: slice?.jobs ?? [],
    load: Object.values(slice?.weights ?? {}).reduce((sum, weight) => sum + weight, 0),
    ...(slice !== undefined && { version: slice.version }),
    ...(reportedVersion !== undefined && { reportedVersion }),
    ...stateOf(
      view,
      member,
      slice,
      member.pod === undefined ? 0 : (world.ages.sliceMs[member.pod.uid] ?? 0),
      world.notCreated?.[member.key],
    ),
  };
}

function stateOf(
  { spec, failover }: PoolView,
  member: Member,
  slice: Slice | undefined,
  waitedMs: number,
  notCreated: string | undefined,
): Pick<WorkerStatus, 'state' | 'message'> {
  const { pod, answer, hasJoined, hasFailed, key } = member;
  const kept = slice?.releasing ?? [];
  const cause = pod?.trouble ?? notCreated;
  const why = cause === undefined ? '' : ` (${cause})`;
  const stays = hasJoined && failover.isSuspended ? staysText(spec) : '';
  if (hasFailed)
    return {
      state: 'Missing',
      message: `${failover.givenUp.has(key) ? 'never Ready yet' : 'away for too long'}${why}, its streams passed to others`,
    };
  if (pod?.hasEnded === true) return { state: 'Missing', message: 'its pod has ended' };
  if (kept.length > 0 && pod !== undefined)
    return { state: 'Releasing', message: releasingMessage(member, slice) };
  if (isVerified([member], new Map(slice === undefined ? [] : [[member.name, slice]])))
    return { state: member.isCordoned ? 'Cordoned' : 'Converged' };
  if (!member.isDesired && pod !== undefined)
    return { state: 'Releasing', message: leavingMessage(member, pod, slice) };
  if (pod === undefined) {
    return hasJoined
      ? { state: 'Missing', message: `it has no pod${why}${stays}` }
      : { state: 'Pending', message: `its pod is not there yet${why}` };
  }
  if (pod.isTerminating) return { state: 'Pending', message: `its pod is ending${stays}` };
  if (!pod.isReady) return { state: 'Pending', message: `its pod is not Ready${why}${stays}` };
  if (member.isOutdated) return { state: 'Refreshing', message: 'its pod waits to be replaced' };
  if (waitedMs < spec.refresh.timeoutSeconds * 1000) return { state: 'Refreshing' };
  return { state: 'Stuck', message: stuckMessage(member, slice, answer, spec) };
}

const staysText = (spec: SwarmPoolSpec): string =>
  `; its streams stay with it while more than ${failoverRules(spec).most} of the workers are away (spec.workers.failover.maxUnavailable)`;

/** Exclusive: what it keeps, nobody else can be given. */
function releasingMessage(member: Member, slice: Slice | undefined): string {
  const { releasing: kept = [] } = slice ?? {};
  if (kept.includes(ANYTHING))
    return `may yet take up what it was told before the assignment was lost${silence(member)}`;
  if (hasConverged(member, slice))
    return `has let go of ${listed(kept)}, which is still to be published`;
  return `has not confirmed that it let go of ${listed(kept)}${silence(member)}`;
}

/** It is to run nothing any more, and that is not confirmed. */
function leavingMessage(member: Member, { isTerminating }: Pod, slice: Slice | undefined): string {
  if (member.isFormer && hasJobs(slice))
    return 'belongs to no target any more; it keeps its streams until a worker of the target is Ready';
  const what = isTerminating
    ? 'its pod is ending'
    : member.isFormer
      ? 'belongs to no target any more'
      : 'it is emptied before it goes';
  return `${what}; it has not confirmed that nothing runs there${unanswered(member)}`;
}

const unanswered = ({ answer }: Member): string =>
  answer?.ok === false ? `; it does not answer (${answer.reason})` : '';

const silence = (member: Member): string =>
  `${unanswered(member)}${member.pod?.isTerminating === true ? '; its pod is ending' : ''}`;

const hasConfirmed = (
  last: WorkerReport | undefined,
  slice: Slice | undefined,
): last is WorkerReport =>
  last !== undefined &&
  slice !== undefined &&
  last.version >= slice.version &&
  (last.jobs === undefined || runsJust(last, slice));

const silent = ({ version }: WorkerReport, reason: string): string =>
  `it confirmed version ${version} and does not answer any more: ${reason}`;

function stuckMessage(
  { pod }: Member,
  slice: Slice | undefined,
  answer: Member['answer'],
  spec: SwarmPoolSpec,
): string {
  const wants = `version ${slice?.version ?? 0} is not confirmed after ${spec.refresh.timeoutSeconds} s`;
  if (pod !== undefined && portOf(pod, spec.probe.httpGet.port) === undefined) {
    return `${wants}: its pod has no port named ${spec.probe.httpGet.port} (spec.probe.httpGet.port)`;
  }
  if (answer === undefined) return `${wants}: it was not asked yet`;
  if (!answer.ok)
    return hasConfirmed(answer.last, slice)
      ? silent(answer.last, answer.reason)
      : `${wants}: ${answer.reason}`;
  if (answer.report.read === slice?.version)
    return `${wants}: it has read it, and is still at version ${answer.report.version}`;
  const told = readAssigned(pod?.assigned)?.attempt ?? 0;
  const what =
    answer.report.version < (slice?.version ?? 0)
      ? `it answers version ${answer.report.version}`
      : 'it runs other streams than it was assigned';
  return `${wants}: ${what} (told ${plural(told, 'time')})`;
}

/**
 * The newest first. Changes are read from the ConfigMap itself: whatever crashed in between, none
 * is missing.
 */
function historyWith(before: History, changes: readonly PublishedChange[]): History {
  const fresh = changesAfter(before, changes).map(({ version, moves, reason, time }) => ({
    version,
    moves,
    reason,
    publishTime: time,
  }));
  return fresh.length === 0 ? before : [...fresh, ...before].slice(0, HISTORY);
}

/** Those that the history in status lacks, as many as it could take. */
export const unreportedChanges = (
  status: SwarmPoolStatus | undefined,
  changes: readonly PublishedChange[],
): readonly PublishedChange[] => changesAfter(status?.history ?? [], changes).slice(0, HISTORY - 1);

const changesAfter = (
  history: History,
  changes: readonly PublishedChange[],
): readonly PublishedChange[] =>
  changes.filter(({ version }) => version > (history[0]?.version ?? 0));

function withConvergence(
  history: History,
  version: number,
  isConverged: boolean,
  now: number,
): History {
  const [newest, ...rest] = history;
  if (
    newest === undefined ||
    !isConverged ||
    newest.version !== version ||
    newest.convergenceTime !== undefined
  )
    return history;
  return [{ ...newest, convergenceTime: timeText(now) }, ...rest];
}

function conditionsOf(
  before: SwarmPoolStatus | undefined,
  wanted: readonly Wanted[],
  generation: number,
  now: number,
): readonly Condition[] {
  return nextConditions(before?.conditions, wanted, generation, timeText(now));
}
