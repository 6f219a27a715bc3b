// What do we tell about a pool? All of its status, made anew from what is known.
import { readAssigned, type Slice } from '../../api/assignment.ts';
import type { ConfigMap, StatefulSet } from '../../api/observed.ts';
import type { SwarmPoolSpec, SwarmPoolStatus } from '../../api/validate.ts';
import { type Condition, nextConditions, type Wanted } from '../conditions.ts';
import type { Refusal } from '../decision.ts';
import { listed, plural, timeText } from '../meta.ts';
import type { Unassigned } from './assign.ts';
import { hasConverged, portOf } from './convergence.ts';
import type { Member } from './members.ts';
import type { Blocked } from './obstacles.ts';
import { changeOf, configMapNameOf, type Move } from './publish.ts';
import type { PoolWorld } from './world.ts';

/** Status is no place for thousands of entries: the first are shown, the numbers tell the rest. */
const SHOWN = 100;
const HISTORY = 20;
/** For how long a worker that has just started may not answer before that is worth a condition. */
export const SILENCE_MS = 5_000;

type WorkerStatus = NonNullable<SwarmPoolStatus['workers']>[number];
type History = NonNullable<SwarmPoolStatus['history']>;

/** What follows from the world: what is in force, and what ought to be. */
export type View = {
  readonly spec: SwarmPoolSpec;
  readonly target: StatefulSet;
  readonly streams: number;
  readonly members: readonly Member[];
  readonly slices: ReadonlyMap<string, Slice>;
  readonly version: number;
  readonly unassigned: readonly Unassigned[];
  /** While paused: what would be done. */
  readonly plan: readonly Move[] | undefined;
};

export function statusWhenBlocked(world: PoolWorld, blocked: Blocked, now: number): SwarmPoolStatus {
  const { meta, status } = world.pool;
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
    ...status,
    observedGeneration: meta.generation,
    conditions: conditionsOf(status, wanted, meta.generation, now),
  };
}

export function statusOf(world: PoolWorld, view: View, now: number): SwarmPoolStatus {
  const { meta, status: before } = world.pool;
  const { members, slices } = view;
  const workers = members.map((member) => workerStatus(world, view, member, slices.get(member.name)));
  const counted = members.filter((member) => member.isDesired);
  const converged = counted.filter((member) => isSettled(member, slices.get(member.name)));
  const isConverged = converged.length === counted.length;
  const wanted = conditions(world, view, workers, isConverged);
  return {
    observedGeneration: meta.generation,
    version: view.version,
    replicas: counted.length,
    selector: view.target.selector,
    target: nameOf(view.target),
    readyReplicas: counted.filter(({ pod }) => pod?.isReady === true).length,
    convergedReplicas: converged.length,
    requiredReplicas: view.streams === 0 ? 0 : 1,
    streams: { total: view.streams, assigned: view.streams - view.unassigned.length, unassigned: view.unassigned.length },
    workers: workers.slice(0, SHOWN),
    unassigned: view.unassigned.slice(0, SHOWN),
    ...(view.plan !== undefined && { plan: { total: view.plan.length, moves: view.plan.slice(0, SHOWN) } }),
    history: withConvergence(historyWith(before?.history ?? [], world.published?.configMap), view.version, isConverged, now),
    conditions: conditionsOf(before, wanted, meta.generation, now),
  };
}

const nameOf = (target: StatefulSet): string => `StatefulSet/${target.name}`;

/** One that has not joined confirms that it has nothing to do: true, but not what the target was scaled for. */
export const isSettled = (member: Member, slice: Slice | undefined): boolean => member.hasJoined && hasConverged(member, slice);

function workerStatus(world: PoolWorld, { spec }: View, member: Member, slice: Slice | undefined): WorkerStatus {
  const { name, answer } = member;
  const reportedVersion = answer?.ok === true ? answer.report.version : undefined;
  return {
    name,
    jobs: slice?.jobs ?? [],
    load: 0,
    ...(slice !== undefined && { version: slice.version }),
    ...(reportedVersion !== undefined && { reportedVersion }),
    ...stateOf(member, slice, member.pod === undefined ? 0 : (world.ages.sliceMs[member.pod.uid] ?? 0), spec),
  };
}

function stateOf(member: Member, slice: Slice | undefined, waitedMs: number, spec: SwarmPoolSpec): Pick<WorkerStatus, 'state' | 'message'> {
  const { pod, answer, hasJoined } = member;
  if (hasConverged(member, slice) && (hasJoined || !member.isDesired)) return { state: 'Converged' };
  if (pod === undefined) {
    return hasJoined ? { state: 'Missing', message: 'it has no pod' } : { state: 'Pending', message: 'its pod is not there yet' };
  }
  if (!pod.isReady) return { state: 'Pending', message: pod.isTerminating ? 'its pod is ending' : 'its pod is not Ready' };
  if (waitedMs < spec.refresh.timeoutSeconds * 1000) return { state: 'Refreshing' };
  return { state: 'Stuck', message: stuckMessage(member, slice, answer, spec) };
}

function stuckMessage({ pod }: Member, slice: Slice | undefined, answer: Member['answer'], spec: SwarmPoolSpec): string {
  const wants = `version ${slice?.version ?? 0} is not confirmed after ${spec.refresh.timeoutSeconds} s`;
  if (pod !== undefined && portOf(pod, spec.probe.httpGet.port) === undefined) {
    return `${wants}: its pod has no port named ${spec.probe.httpGet.port} (spec.probe.httpGet.port)`;
  }
  if (answer === undefined) return `${wants}: it was not asked yet`;
  if (!answer.ok) return `${wants}: ${answer.reason}`;
  const told = readAssigned(pod?.assigned)?.attempt ?? 0;
  const what =
    answer.report.version < (slice?.version ?? 0)
      ? `it answers version ${answer.report.version}`
      : 'it runs other streams than it was assigned';
  return `${wants}: ${what} (told ${plural(told, 'time')})`;
}

function conditions(world: PoolWorld, view: View, workers: readonly WorkerStatus[], isConverged: boolean): readonly Wanted[] {
  const { unassigned, plan } = view;
  const outstanding = workers.filter(({ state }) => state !== 'Converged');
  const stuck = workers.filter(({ state }) => state === 'Stuck');
  const waits: Refusal = {
    reason: stuck.length > 0 ? 'WorkersStuck' : 'WorkersOutstanding',
    message: outstandingMessage(stuck.length > 0 ? stuck : outstanding),
  };
  const all: Refusal = { reason: 'AllConfirmed', message: `${plural(workers.length, 'worker')} confirmed version ${view.version}` };
  const short: Refusal = {
    reason: unassigned[0]?.reason ?? 'Unassigned',
    message: `${plural(unassigned.length, 'stream')} without a worker (${listed(unassigned.map(({ name }) => name))}): ${unassigned[0]?.message ?? ''}`,
  };
  const isWell = isConverged && unassigned.length === 0;
  return [
    plan !== undefined
      ? { type: 'Ready', status: 'Unknown', reason: 'Paused', message: `paused: ${plural(plan.length, 'stream')} would move` }
      : { type: 'Ready', status: isWell ? 'True' : 'False', ...(unassigned.length > 0 ? short : isConverged ? all : waits) },
    { type: 'Converged', status: isConverged ? 'True' : 'False', ...(isConverged ? all : waits) },
    { type: 'Reconciling', status: isConverged || plan !== undefined ? 'False' : 'True', ...(isConverged ? all : waits) },
    { type: 'Stalled', status: 'False', reason: 'Working', message: 'nothing is in the way' },
    { type: 'Overcommitted', status: 'False', reason: 'NoWeights', message: 'no stream reserves capacity' },
    mounted(world, view),
    unreachable(world, view),
  ];
}

function outstandingMessage(workers: readonly WorkerStatus[]): string {
  const parts = workers.slice(0, 3).map(({ name, state, message }) => `${name} ${state}${message === undefined ? '' : ` (${message})`}`);
  return workers.length > 3 ? `${parts.join('; ')}; and ${workers.length - 3} more` : parts.join('; ');
}

function mounted(world: PoolWorld, { spec, target }: View): Wanted {
  const wanted = configMapNameOf(world.pool.meta.name, spec);
  const mounts = target.mountedConfigMaps;
  if (mounts.includes(wanted)) return { type: 'Mounted', status: 'True', reason: 'Mounted', message: `${nameOf(target)} mounts ${wanted}` };
  const message = `${nameOf(target)} mounts ${mounts.length === 0 ? 'no ConfigMap' : listed(mounts)}, the pool writes ${wanted}`;
  return { type: 'Mounted', status: 'False', reason: 'NotMounted', message };
}

function unreachable(world: PoolWorld, { members, spec }: View): Wanted {
  const silent = members.filter(({ pod, answer }) => {
    const isLong = pod !== undefined && (world.ages.sliceMs[pod.uid] ?? 0) >= SILENCE_MS;
    return isLong && pod.isReady && !pod.isTerminating && (answer?.ok === false || portOf(pod, spec.probe.httpGet.port) === undefined);
  });
  if (silent.length === 0) return { type: 'ProbeUnreachable', status: 'False', reason: 'Answering', message: 'every Ready worker answers' };
  const first = silent[0];
  const why = first?.answer?.ok === false ? first.answer.reason : `no container port is named ${spec.probe.httpGet.port}`;
  const message = `${listed(silent.map(({ name }) => name))}: ${why}; see spec.probe.httpGet and the NetworkPolicies of the workers`;
  return { type: 'ProbeUnreachable', status: 'True', reason: 'NoAnswer', message };
}

/** The newest first. The change is read from the ConfigMap itself: whatever crashed in between, none is missing. */
export function historyWith(before: History, configMap: ConfigMap | undefined): History {
  const change = changeOf(configMap);
  if (change === undefined || change.version <= (before[0]?.version ?? 0)) return before;
  const { version, moves, reason, time } = change;
  return [{ version, moves, reason, publishTime: time }, ...before].slice(0, HISTORY);
}

function withConvergence(history: History, version: number, isConverged: boolean, now: number): History {
  const [newest, ...rest] = history;
  if (newest === undefined || !isConverged || newest.version !== version || newest.convergenceTime !== undefined) return history;
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
