// Which containers of a pod are to be started or stopped now, and after which back-off? Pure.
import type { V1Container } from '@kubernetes/client-node';
import { everyContainer, isSidecar, type NodePod } from './pod-spec.ts';

export type Terminated = {
  readonly type: 'terminated';
  readonly exitCode: number;
  readonly signal: number | undefined;
  readonly reason: string;
  readonly message: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly id: string;
};

export type ContainerState =
  /** Does not start before `retryAt`. */
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
  | Terminated;

export type ContainerFacts = {
  readonly state: ContainerState;
  readonly last: Terminated | undefined;
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

type PodAction = { readonly type: 'start' | 'stop'; readonly container: string };

type PodActions = {
  readonly actions: readonly PodAction[];
  /** When the next action is due if nothing else happens. */
  readonly wakeAt: number | undefined;
  /** All init containers are done, all sidecars started. */
  readonly isInitialized: boolean;
  /** Set once no main container will run again. */
  readonly outcome: 'Succeeded' | 'Failed' | undefined;
};

export const factsOf = (facts: Facts, container: string): ContainerFacts =>
  facts.get(container) ?? untouched;

export function computePodActions(
  pod: NodePod,
  facts: Facts,
  now: number,
  baseMs: number,
): PodActions {
  const { reached, isDone: isInitialized, hasFailed } = initialization(pod, facts);
  const outcome = hasFailed ? 'Failed' : isInitialized ? outcomeOf(pod, facts) : undefined;
  if (outcome !== undefined)
    return { actions: stopAll(pod, facts), wakeAt: undefined, isInitialized, outcome };

  const actions: PodAction[] = [];
  const wakes: number[] = [];
  for (const container of isInitialized ? [...reached, ...pod.containers] : reached) {
    const at = startsAt(pod, container, facts, baseMs);
    if (at === undefined) continue;
    if (at <= now) actions.push({ type: 'start', container: container.name });
    else wakes.push(at);
  }
  const wakeAt = wakes.length === 0 ? undefined : Math.min(...wakes);
  return { actions, wakeAt, isInitialized, outcome };
}

/** When a container is due to start; undefined: it is running, or never starts again. */
export function startsAt(
  pod: NodePod,
  container: V1Container,
  facts: Facts,
  baseMs: number,
): number | undefined {
  const { state, crashes } = factsOf(facts, container.name);
  switch (state.type) {
    case 'running':
      return undefined;
    case 'waiting':
      return state.retryAt;
    case 'terminated':
      if (!mayRestart(pod, container, state.exitCode)) return undefined;
      return state.finishedAt + backoffMs(crashes, baseMs);
    default:
      return state satisfies never;
  }
}

/** Init containers run one after the other; the next one does not wait for a sidecar's end. */
function initialization(
  pod: NodePod,
  facts: Facts,
): { reached: V1Container[]; isDone: boolean; hasFailed?: boolean } {
  const reached: V1Container[] = [];
  // Once a main container has run, none is initialized again, even while a sidecar is down.
  const hasBegun = pod.containers.some(({ name }) => {
    const { state, restarts } = factsOf(facts, name);
    return state.type !== 'waiting' || restarts > 0;
  });
  for (const container of pod.initContainers) {
    const { state } = factsOf(facts, container.name);
    if (isSidecar(container)) {
      reached.push(container);
      if (!hasBegun && !(state.type === 'running' && state.isStarted))
        return { reached, isDone: false };
      continue;
    }
    if (hasBegun || (state.type === 'terminated' && state.exitCode === 0)) continue;
    if (state.type === 'terminated' && pod.spec.restartPolicy === 'Never')
      return { reached, isDone: false, hasFailed: true };
    return { reached: [...reached, container], isDone: false };
  }
  return { reached, isDone: true };
}

function outcomeOf(pod: NodePod, facts: Facts): PodActions['outcome'] {
  const ends = pod.containers.map((container) => {
    const { state } = factsOf(facts, container.name);
    return state.type === 'terminated' && !mayRestart(pod, container, state.exitCode)
      ? state.exitCode
      : undefined;
  });
  if (ends.some((code) => code === undefined)) return undefined;
  return ends.every((code) => code === 0) ? 'Succeeded' : 'Failed';
}

function stopAll(pod: NodePod, facts: Facts): PodAction[] {
  return everyContainer(pod)
    .filter(({ name }) => factsOf(facts, name).state.type === 'running')
    .map(({ name }) => ({ type: 'stop', container: name }));
}

/** As a kubelet's: 10 s, doubled with each crash, up to 5 minutes; forgotten after twice that. */
export const RESTART_BASE_MS = 10_000;
const LONGEST_FACTOR = 30;

/** The number of crashes in a row after one more. */
export const afterExit = (crashes: number, ranMs: number, baseMs: number): number =>
  ranMs > 2 * LONGEST_FACTOR * baseMs ? 1 : crashes + 1;

/** The first restart comes at once, the second waits. */
export const backoffMs = (crashes: number, baseMs: number): number =>
  crashes <= 1 ? 0 : Math.min(baseMs * 2 ** (crashes - 2), LONGEST_FACTOR * baseMs);

function mayRestart(pod: NodePod, container: V1Container, exitCode: number): boolean {
  const { restartPolicy = 'Always' } = pod.spec;
  if (isSidecar(container)) return true;
  // With Always an init container is restarted until it succeeds.
  if (restartPolicy === 'Always') return exitCode !== 0 || pod.containers.includes(container);
  return restartPolicy === 'OnFailure' && exitCode !== 0;
}
