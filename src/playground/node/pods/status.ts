// The status of a pod, made whole each time.
import type { V1Container } from '@kubernetes/client-node';
import { asList, asRecord, asString, dig, isRecord } from '../../../api/objects.ts';
import { timeText } from '../../../core/text.ts';
import {
  backoffMs,
  type ContainerFacts,
  type Facts,
  factsOf,
  startsAt,
  type Terminated,
} from './actions.ts';
import type { AdmissionRefusal } from './admission.ts';
import { isSidecar, type NodePod } from './pod-spec.ts';

export type PodOutcome = {
  readonly phase: 'Succeeded' | 'Failed';
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
};

export type StatusInputs = {
  readonly pod: NodePod;
  readonly facts: Facts;
  readonly now: number;
  readonly restartBaseMs: number;
  readonly hostIP: string;
  readonly podIP: string | undefined;
  readonly startedAt: number;
  /** It has an address and its volumes. */
  readonly hasSandbox: boolean;
  readonly isInitialized: boolean;
  /** It is being deleted: it is not Ready any more. */
  readonly isTerminating: boolean;
  readonly outcome: PodOutcome | undefined;
  /** Why no container can be created at all. */
  readonly blocked: AdmissionRefusal | undefined;
};

type Phase = 'Pending' | 'Running' | PodOutcome['phase'];

type PodCondition = {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly lastProbeTime: null;
  readonly lastTransitionTime: string;
  readonly reason: string | null;
  readonly message: string | null;
};

export function statusOf(inputs: StatusInputs): Record<string, unknown> {
  const { pod, hostIP, podIP, outcome } = inputs;
  const phase = phaseOf(inputs);
  return {
    phase,
    // Null removes the field.
    reason: outcome?.reason ?? null,
    message: outcome?.message ?? null,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(podIP !== undefined && { podIP, podIPs: [{ ip: podIP }] }),
    startTime: timeText(inputs.startedAt),
    conditions: conditionsOf(inputs, phase),
    initContainerStatuses: pod.initContainers.map((each) => containerStatus(inputs, each)),
    containerStatuses: pod.containers.map((each) => containerStatus(inputs, each)),
  };
}

function phaseOf({ pod, facts, outcome, isInitialized }: StatusInputs): Phase {
  if (outcome !== undefined) return outcome.phase;
  const hasNeverRun = pod.containers.some(({ name }) => {
    const { state, last } = factsOf(facts, name);
    return state.type === 'waiting' && last === undefined;
  });
  return hasNeverRun || !isInitialized ? 'Pending' : 'Running';
}

function conditionsOf(inputs: StatusInputs, phase: Phase): PodCondition[] {
  const { pod, facts, hasSandbox, isInitialized, isTerminating } = inputs;
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  const needed = [...pod.initContainers.filter(isSidecar), ...pod.containers];
  const unready = needed.filter(({ name }) => isTerminating || !isReady(factsOf(facts, name)));
  const incomplete = pod.initContainers.filter(
    (container) => !isComplete(container, factsOf(facts, container.name)),
  );
  const ended = phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed';
  const containersReady = isOver
    ? no(ended, null)
    : unready.length > 0
      ? no('ContainersNotReady', `containers with unready status: ${listOf(unready)}`)
      : yes;
  const gate = pod.spec.readinessGates?.find(
    ({ conditionType }) => conditionIn(pod, conditionType)?.['status'] !== 'True',
  )?.conditionType;
  const ready =
    containersReady.status === 'True' && gate !== undefined
      ? no('ReadinessGatesNotReady', `the status of pod readiness gate "${gate}" is not "True"`)
      : containersReady;
  const initialized =
    isInitialized || isOver
      ? yes
      : no('ContainersNotInitialized', `containers with incomplete status: ${listOf(incomplete)}`);
  return [
    dated(inputs, 'PodScheduled', yes),
    dated(inputs, 'PodReadyToStartContainers', hasSandbox && !isOver ? yes : no(null, null)),
    dated(inputs, 'Initialized', initialized),
    dated(inputs, 'ContainersReady', containersReady),
    dated(inputs, 'Ready', ready),
  ];
}

const listOf = (containers: readonly V1Container[]): string =>
  `[${containers.map(({ name }) => name).join(' ')}]`;

type Verdict = Pick<PodCondition, 'status' | 'reason' | 'message'>;
const yes: Verdict = { status: 'True', reason: null, message: null };
const no = (reason: string | null, message: string | null): Verdict => ({
  status: 'False',
  reason,
  message,
});

/** The transition's time stays as long as the status does. */
function dated({ pod, now }: StatusInputs, type: string, verdict: Verdict): PodCondition {
  const before = conditionIn(pod, type);
  const since =
    before?.['status'] === verdict.status ? asString(before['lastTransitionTime']) : undefined;
  return { type, ...verdict, lastProbeTime: null, lastTransitionTime: since ?? timeText(now) };
}

const conditionIn = (pod: NodePod, type: string): Readonly<Record<string, unknown>> | undefined =>
  asList(dig(pod.object, 'status', 'conditions'))
    .map(asRecord)
    .find((condition) => condition?.['type'] === type);

const isReady = ({ state }: ContainerFacts): boolean => state.type === 'running' && state.isReady;

const isComplete = (container: V1Container, { state }: ContainerFacts): boolean =>
  isSidecar(container)
    ? state.type === 'running' && state.isStarted
    : state.type === 'terminated' && state.exitCode === 0;

function containerStatus(inputs: StatusInputs, container: V1Container): Record<string, unknown> {
  const facts = factsOf(inputs.facts, container.name);
  const { state, last } = shown(inputs, container, facts);
  const id = idOf(facts);
  // An init container is ready when it is done.
  const isInit = inputs.pod.initContainers.includes(container) && !isSidecar(container);
  return {
    name: container.name,
    image: container.image,
    imageID: id === undefined ? '' : `playground://${container.image}`,
    ...(id !== undefined && { containerID: id }),
    restartCount: facts.restarts,
    ready: isInit ? isComplete(container, facts) : isReady(facts) && !inputs.isTerminating,
    started: facts.state.type === 'running' && facts.state.isStarted,
    state,
    lastState: last === undefined ? {} : { terminated: terminated(last) },
  };
}

function idOf({ state, last }: ContainerFacts): string | undefined {
  if (state.type === 'waiting') return last?.id;
  return state.id;
}

/** In back-off a container is waiting, and its end is the last state. */
function shown(
  inputs: StatusInputs,
  container: V1Container,
  facts: ContainerFacts,
): { state: Record<string, unknown>; last: Terminated | undefined } {
  const { state, last } = facts;
  switch (state.type) {
    case 'running':
      return { state: { running: { startedAt: timeText(state.startedAt) } }, last };
    case 'waiting':
      return { state: { waiting: waitingReason(inputs, container, state) }, last };
    case 'terminated': {
      const { pod, now, restartBaseMs, isTerminating, outcome } = inputs;
      const at = startsAt(pod, container, inputs.facts, restartBaseMs);
      if (at === undefined || at <= now || isTerminating || outcome !== undefined)
        return { state: { terminated: terminated(state) }, last };
      const seconds = Math.round(backoffMs(facts.crashes, restartBaseMs) / 1000);
      const { namespace, name, uid } = pod.ref;
      const message = `back-off ${seconds}s restarting failed container=${container.name} pod=${name}_${namespace}(${uid})`;
      return { state: { waiting: { reason: 'CrashLoopBackOff', message } }, last: state };
    }
    default:
      return state satisfies never;
  }
}

function waitingReason(
  { pod, isInitialized, blocked }: StatusInputs,
  container: V1Container,
  state: { readonly reason: string | undefined; readonly message: string },
): Record<string, string> {
  if (blocked !== undefined) return { ...blocked };
  if (state.reason !== undefined) return { reason: state.reason, message: state.message };
  const isMain = pod.containers.includes(container);
  return {
    reason:
      pod.initContainers.length > 0 && !(isMain && isInitialized)
        ? 'PodInitializing'
        : 'ContainerCreating',
  };
}

const terminated = (end: Terminated): Record<string, unknown> => ({
  exitCode: end.exitCode,
  ...(end.signal !== undefined && { signal: end.signal }),
  reason: end.reason,
  ...(end.message !== '' && { message: end.message }),
  startedAt: timeText(end.startedAt),
  finishedAt: timeText(end.finishedAt),
  containerID: end.id,
});

/** Does the API server have these fields already? Null stands for absent; others may add fields. */
export function isWritten(actual: unknown, wanted: unknown): boolean {
  if (wanted === null) return actual === undefined || actual === null;
  if (Array.isArray(wanted)) {
    const list = asList(actual);
    if (wanted.every((item) => isRecord(item) && 'type' in item))
      return wanted.every((item) => hasCondition(list, item));
    return (
      list.length === wanted.length && wanted.every((item, index) => isWritten(list[index], item))
    );
  }
  if (!isRecord(wanted)) return actual === wanted;
  return (
    isRecord(actual) &&
    Object.entries(wanted).every(([key, value]) => isWritten(actual[key], value))
  );
}

const hasCondition = (list: readonly unknown[], wanted: unknown): boolean =>
  list.some(
    (condition) => dig(condition, 'type') === dig(wanted, 'type') && isWritten(condition, wanted),
  );
