// Why is a pod not Ready? In its own word, which does not change while its containers try again and
// again.
import { asList, asNumber, asRecord, asString, dig, type KubeObject, own } from './objects.ts';

/** On its way, nothing is wrong yet. */
const STARTING: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);
/** Of one cause, told in turns. */
const SAME: Readonly<Record<string, string>> = {
  ErrImagePull: 'ImagePullBackOff',
  RunContainerError: 'CrashLoopBackOff',
};
/** From then on a container that is started once more is expected to end as before. */
const CRASHES_THAT_COUNT = 2;

/** Undefined: it is Ready, or nothing is known to be wrong. */
export function troubleOf(pod: KubeObject): string | undefined {
  const status = asRecord(pod['status']);
  const conditionOf = (type: string): unknown =>
    asList(dig(status, 'conditions')).find((it) => dig(it, 'type') === type);
  if (dig(conditionOf('Ready'), 'status') === 'True') return undefined;
  const scheduled = conditionOf('PodScheduled');
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
  const told =
    reason === undefined || STARTING.has(reason) ? undefined : (own(SAME, reason) ?? reason);
  return (
    told ??
    ((asNumber(dig(container, 'restartCount')) ?? 0) >= CRASHES_THAT_COUNT
      ? 'CrashLoopBackOff'
      : undefined)
  );
}

/** What `troubleOf` reads again as the same: nothing, where nothing is wrong. */
export const statusTelling = (trouble: string | undefined): object =>
  trouble === undefined ? {} : { containerStatuses: [{ state: { waiting: { reason: trouble } } }] };
