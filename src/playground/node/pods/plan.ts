// Which containers of a pod are to be started or stopped now. Pure.
import { everyContainer, isSidecar, type NodePod } from './pod-spec.ts';
import { backoffMs, mayRestart, type Role, roleOf } from './restart.ts';

export type Ended = {
  readonly exitCode: number;
  readonly signal: number | undefined;
  readonly reason: string;
  readonly message: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly id: string;
};

export type ContainerState =
  /** Has not run yet, and does not start before `retryAt`. */
  | {
      readonly type: 'waiting';
      readonly reason: string | undefined;
      readonly message: string;
      readonly retryAt: number;
    }
  | {
      readonly type: 'running';
      readonly id: string;
      readonly startedAt: number;
      readonly isStarted: boolean;
      readonly isReady: boolean;
    }
  | { readonly type: 'ended'; readonly end: Ended };

export type ContainerFacts = {
  readonly state: ContainerState;
  readonly last: Ended | undefined;
  readonly restarts: number;
  /** In a row. */
  readonly crashes: number;
};

export type Facts = ReadonlyMap<string, ContainerFacts>;

export const untouched: ContainerFacts = {
  state: { type: 'waiting', reason: undefined, message: '', retryAt: 0 },
  last: undefined,
  restarts: 0,
  crashes: 0,
};

export type PodStep = { readonly type: 'start' | 'stop'; readonly container: string };

export type PodPlan = {
  readonly steps: readonly PodStep[];
  /** When the next step is due if nothing else happens. */
  readonly wakeAt: number | undefined;
  /** All init containers are done, all sidecars started. */
  readonly isInitialized: boolean;
  /** Set once no main container will run again. */
  readonly outcome: 'Succeeded' | 'Failed' | undefined;
};

export const factsOf = (facts: Facts, container: string): ContainerFacts =>
  facts.get(container) ?? untouched;

export function planOf(pod: NodePod, facts: Facts, now: number, baseMs: number): PodPlan {
  const roles = rolesOf(pod);
  const steps: PodStep[] = [];
  const wakes: number[] = [];
  const startWhenDue = (container: string, role: Role): void => {
    const at = startsAt(factsOf(facts, container), role, pod, baseMs);
    if (at === undefined) return;
    if (at <= now) steps.push({ type: 'start', container });
    else wakes.push(at);
  };

  const { reached, isDone: isInitialized, hasFailed } = initialization(pod, facts);
  const outcome = hasFailed ? 'Failed' : isInitialized ? outcomeOf(pod, facts) : undefined;
  if (outcome !== undefined)
    return { steps: stopAll(pod, facts), wakeAt: undefined, isInitialized, outcome };

  for (const container of reached) startWhenDue(container, roles.get(container) ?? 'init');
  if (isInitialized) for (const { name } of pod.containers) startWhenDue(name, 'main');
  const wakeAt = wakes.length === 0 ? undefined : Math.min(...wakes);
  return { steps, wakeAt, isInitialized, outcome };
}

/** When a container is due to start; undefined: it is running, or never starts again. */
export function startsAt(
  facts: ContainerFacts,
  role: Role,
  pod: NodePod,
  baseMs: number,
): number | undefined {
  const { state, crashes } = facts;
  switch (state.type) {
    case 'running':
      return undefined;
    case 'waiting':
      return state.retryAt;
    case 'ended':
      if (!mayRestart(role, pod, state.end.exitCode)) return undefined;
      return state.end.endedAt + backoffMs(crashes, baseMs);
    default:
      return state satisfies never;
  }
}

export function rolesOf(pod: NodePod): ReadonlyMap<string, Role> {
  const roles = (containers: NodePod['containers'], isInit: boolean) =>
    containers.map((container) => [container.name, roleOf(container, isInit)] as const);
  return new Map([...roles(pod.initContainers, true), ...roles(pod.containers, false)]);
}

/** Init containers run one after the other; the next one does not wait for a sidecar's end. */
function initialization(
  pod: NodePod,
  facts: Facts,
): { reached: string[]; isDone: boolean; hasFailed?: boolean } {
  const reached: string[] = [];
  // Once a main container has run, none is initialized again, even while a sidecar is down.
  const hasBegun = pod.containers.some(({ name }) => {
    const { state, restarts } = factsOf(facts, name);
    return state.type !== 'waiting' || restarts > 0;
  });
  for (const container of pod.initContainers) {
    const { state } = factsOf(facts, container.name);
    if (isSidecar(container)) {
      reached.push(container.name);
      if (!hasBegun && !(state.type === 'running' && state.isStarted))
        return { reached, isDone: false };
      continue;
    }
    if (hasBegun || (state.type === 'ended' && state.end.exitCode === 0)) continue;
    if (state.type === 'ended' && pod.spec.restartPolicy === 'Never')
      return { reached, isDone: false, hasFailed: true };
    return { reached: [...reached, container.name], isDone: false };
  }
  return { reached, isDone: true };
}

function outcomeOf(pod: NodePod, facts: Facts): PodPlan['outcome'] {
  const ends = pod.containers.map(({ name }) => {
    const { state } = factsOf(facts, name);
    return state.type === 'ended' && !mayRestart('main', pod, state.end.exitCode)
      ? state.end.exitCode
      : undefined;
  });
  if (ends.some((code) => code === undefined)) return undefined;
  return ends.every((code) => code === 0) ? 'Succeeded' : 'Failed';
}

function stopAll(pod: NodePod, facts: Facts): PodStep[] {
  return everyContainer(pod)
    .filter(({ name }) => factsOf(facts, name).state.type === 'running')
    .map(({ name }) => ({ type: 'stop', container: name }));
}
