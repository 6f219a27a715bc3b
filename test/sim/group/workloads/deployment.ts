// What does the Deployment controller do next? Rolling updates with a quarter of surge and a
// quarter unavailable, and proportional scaling in the middle of a rollout, as in
// pkg/controller/deployment.
import { isPodReady, readyAmong, type Seen, type SimPod, startPod } from './pod.ts';

/** Of one template. */
type Set = {
  readonly revision: string;
  readonly replicas: number;
  /** Of the Deployment, and with its surge, when the set was scaled last. */
  readonly desired: number;
  readonly most: number;
};

export type DeploymentState = {
  /** The oldest first. */
  readonly sets: readonly Set[];
  readonly pods: readonly SimPod[];
  /** How many templates there were: `deployment.kubernetes.io/revision`. */
  readonly revisions: number;
};

export const noDeployment: DeploymentState = { sets: [], pods: [], revisions: 0 };

const QUARTER = 0.25;

/** With 25 %, rounded up, and rounded down; not both are 0. */
function limitsOf(replicas: number): { readonly surge: number; readonly unavailable: number } {
  const surge = Math.ceil(replicas * QUARTER);
  const unavailable = Math.floor(replicas * QUARTER);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

const total = (sets: readonly Set[]): number => sets.reduce((sum, it) => sum + it.replicas, 0);

/** One round of the controller, and of the ReplicaSets after it. */
export function stepDeployment(state: DeploymentState, seen: Seen): DeploymentState {
  const isScaled = state.sets.some((it) => it.replicas > 0 && it.desired !== seen.replicas);
  const next = isScaled ? scaled(state, seen) : rolled(withNewSet(state, seen), seen);
  return { ...next, pods: filled(next.sets, state.pods, seen) };
}

function withNewSet(state: DeploymentState, { revision, replicas }: Seen): DeploymentState {
  if (state.sets.at(-1)?.revision === revision) return state;
  // A template that was there before takes up its set again.
  const found = state.sets.find((it) => it.revision === revision);
  const { surge } = limitsOf(replicas);
  const set = found ?? { revision, replicas: 0, desired: replicas, most: replicas + surge };
  const others = state.sets.filter((it) => it !== found);
  return { ...state, sets: [...others, set], revisions: state.revisions + 1 };
}

const replaced = (sets: readonly Set[], seen: Seen, sizes: ReadonlyMap<string, number>): Set[] =>
  sets.map((it) => {
    const { surge } = limitsOf(seen.replicas);
    const replicas = Math.max(0, sizes.get(it.revision) ?? it.replicas);
    return { ...it, replicas, desired: seen.replicas, most: seen.replicas + surge };
  });

/** A new size in the middle of a rollout is shared out among all sets. */
function scaled(state: DeploymentState, seen: Seen): DeploymentState {
  const { sets } = state;
  const active = sets.filter((it) => it.replicas > 0);
  const [only] = active;
  if (active.length === 1 && only !== undefined)
    return { ...state, sets: replaced(sets, seen, new Map([[only.revision, seen.replicas]])) };
  const { surge } = limitsOf(seen.replicas);
  const allowed = seen.replicas > 0 ? seen.replicas + surge : 0;
  const toAdd = allowed - total(active);
  const inOrder = [...active].sort((a, b) => b.replicas - a.replicas);
  const sizes = new Map<string, number>();
  let added = 0;
  for (const set of inOrder) {
    const left = toAdd - added;
    const wanted =
      seen.replicas === 0
        ? -set.replicas
        : Math.round((set.replicas * (seen.replicas + surge)) / set.most) - set.replicas;
    const part = toAdd > 0 ? Math.min(wanted, left) : Math.max(wanted, left);
    sizes.set(set.revision, set.replicas + (left === 0 ? 0 : part));
    added += left === 0 ? 0 : part;
  }
  const [largest] = inOrder;
  if (largest !== undefined)
    sizes.set(largest.revision, (sizes.get(largest.revision) ?? 0) + toAdd - added);
  return { ...state, sets: replaced(sets, seen, sizes) };
}

/** The next step of a rollout: the new set grows, or the old ones shrink. */
function rolled(state: DeploymentState, seen: Seen): DeploymentState {
  const { sets, pods } = state;
  const { replicas, revision, nowMs } = seen;
  const { surge, unavailable } = limitsOf(replicas);
  const newSet = sets.at(-1);
  if (newSet === undefined) return state;
  const room = replicas + surge - total(sets);
  const old = sets.slice(0, -1);
  const wanted =
    total(old) === 0 || newSet.replicas > replicas
      ? replicas
      : newSet.replicas + Math.max(0, Math.min(room, replicas - newSet.replicas));
  if (wanted !== newSet.replicas)
    return { ...state, sets: replaced(sets, seen, new Map([[revision, wanted]])) };
  if (total(old) === 0) return state;
  const readyIn = (set: Set): number => readyAmong(podsIn(pods, set), nowMs);
  const least = replicas - unavailable;
  let mayGo = total(sets) - least - (newSet.replicas - readyIn(newSet));
  if (mayGo <= 0) return state;
  const sizes = new Map<string, number>();
  for (const set of old) {
    const unhealthy = Math.min(mayGo, set.replicas - readyIn(set));
    sizes.set(set.revision, set.replicas - unhealthy);
    mayGo -= unhealthy;
  }
  let surplus = Math.min(mayGo, readyAmong(pods, nowMs) - least);
  for (const set of old) {
    const present = sizes.get(set.revision) ?? set.replicas;
    const less = Math.max(0, Math.min(surplus, present));
    sizes.set(set.revision, present - less);
    surplus -= less;
  }
  return { ...state, sets: replaced(sets, seen, sizes) };
}

const podsIn = (pods: readonly SimPod[], { revision }: Set): readonly SimPod[] =>
  pods.filter((pod) => pod.revision === revision);

/** ReplicaSets delete pods that are not Ready first. */
function filled(sets: readonly Set[], pods: readonly SimPod[], seen: Seen): readonly SimPod[] {
  return sets.flatMap((set) => {
    const present = [...podsIn(pods, set)].sort((a, b) => a.readyAtMs - b.readyAtMs);
    const missing = set.replicas - present.length;
    if (missing <= 0) return present.slice(0, set.replicas);
    // An old set's image was there once.
    const as = set.revision === seen.revision ? seen : { ...seen, isImageThere: true };
    const started = Array.from({ length: missing }, () => startPod(as));
    return [...present, ...started.map((pod) => ({ ...pod, revision: set.revision }))];
  });
}

export const deploymentStatus = ({ pods }: DeploymentState, { revision, nowMs }: Seen): object => {
  const ready = readyAmong(pods, nowMs);
  return {
    replicas: pods.length,
    readyReplicas: ready,
    availableReplicas: ready,
    updatedReplicas: pods.filter((pod) => pod.revision === revision).length,
    unavailableReplicas: pods.filter((pod) => !isPodReady(pod, nowMs)).length,
  };
};
