// Why is a pod not Ready? In one word of Kubernetes, which stays the same while its containers
// restart.
import { asList, asNumber, asString, conditionsOf, dig, type KubeObject, own } from './objects.ts';

/** Nothing is wrong yet. */
const STARTING: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);
/** Kubernetes alternates between two words for one cause. */
const SAME: Readonly<Record<string, string>> = {
  ErrImagePull: 'ImagePullBackOff',
  RunContainerError: 'CrashLoopBackOff',
};
/** After so many, a container that is started once more is expected to crash again. */
const CRASHES_THAT_COUNT = 2;

/** Undefined: it is Ready, or no cause is known. */
export function troubleOf(pod: KubeObject): string | undefined {
  const { status } = pod;
  const [ready] = conditionsOf(pod, 'Ready');
  const [scheduled] = conditionsOf(pod, 'PodScheduled');
  if (dig(ready, 'status') === 'True') return undefined;
  if (dig(scheduled, 'status') === 'False' && dig(scheduled, 'reason') === 'Unschedulable')
    return 'Unschedulable';
  const initial = asList(dig(status, 'initContainerStatuses')).filter(
    (it) => dig(it, 'state', 'terminated', 'exitCode') !== 0,
  );
  const containers = [...initial, ...asList(dig(status, 'containerStatuses'))];
  return containers.map(troubleIn).find((trouble) => trouble !== undefined);
}

function troubleIn(container: unknown): string | undefined {
  if (dig(container, 'ready') === true) return undefined;
  const reason = asString(dig(container, 'state', 'waiting', 'reason'));
  if (reason !== undefined && !STARTING.has(reason)) return own(SAME, reason) ?? reason;
  const restarts = asNumber(dig(container, 'restartCount')) ?? 0;
  return restarts >= CRASHES_THAT_COUNT ? 'CrashLoopBackOff' : undefined;
}

/** A status from which `troubleOf` reads the same again. */
export const statusTelling = (trouble: string | undefined): object =>
  trouble === undefined ? {} : { containerStatuses: [{ state: { waiting: { reason: trouble } } }] };
