// Why is a pod not Ready? A word of Kubernetes and a detail, which stay the same while its
// containers restart: the status contains both, and is written when they change.
import { asList, asNumber, asString, conditionsOf, dig, type KubeObject, own } from './objects.ts';
import { oneLine } from './text.ts';

type PodTrouble = {
  /** A word such as ImagePullBackOff. */
  readonly word: string;
  /** The image, the missing ConfigMap, or what the scheduler lacks. */
  readonly detail?: string;
};

/** Words of a pod without any trouble yet. */
const STARTING: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);
/** Kubernetes alternates between two words for one cause. */
const SAME: Readonly<Record<string, string>> = {
  ErrImagePull: 'ImagePullBackOff',
  RunContainerError: 'CrashLoopBackOff',
};
const CRASHING = 'CrashLoopBackOff';
const OOM_KILLED = 'OOMKilled';
/** After this number of crashes, a container that runs again is expected to crash again. */
const CRASHES_THAT_COUNT = 2;

/** Their message names a key or an object, and no time, count or ID. */
const EXPLAINED: ReadonlySet<string> = new Set([
  'CreateContainerConfigError',
  'Unschedulable',
  'NodeLost',
]);
/** Troubles with the image, whose name stays the same while the kubelet's message alternates. */
const ABOUT_IMAGE: ReadonlySet<string> = new Set([
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
]);
const LONGEST_DETAIL = 256;

/** Undefined: it is Ready, or no cause is known. */
export function troubleOf(pod: KubeObject): PodTrouble | undefined {
  const { status, spec } = pod;
  const [ready] = conditionsOf(pod, 'Ready');
  const [scheduled] = conditionsOf(pod, 'PodScheduled');
  if (dig(ready, 'status') === 'True') return undefined;
  if (dig(scheduled, 'status') === 'False' && dig(scheduled, 'reason') === 'Unschedulable')
    return troubleWith('Unschedulable', schedulerText(asString(dig(scheduled, 'message')) ?? ''));
  if (isNodeLost(pod, ready)) {
    const node = asString(dig(spec, 'nodeName'));
    return troubleWith('NodeLost', node === undefined ? '' : `node ${node} does not report`);
  }
  const initial = asList(dig(status, 'initContainerStatuses')).filter(
    (it) => dig(it, 'state', 'terminated', 'exitCode') !== 0,
  );
  const containers = [...initial, ...asList(dig(status, 'containerStatuses'))];
  return containers.map(troubleIn).find((trouble) => trouble !== undefined);
}

function troubleWith(word: string, text: string): PodTrouble {
  const detail = oneLine(text, LONGEST_DETAIL);
  return detail === '' ? { word } : { word, detail };
}

/**
 * A kubelet that sets Ready to False gives a reason. The node controller, which does so for a lost
 * node, gives none and changes nothing else.
 */
const isNodeLost = (pod: KubeObject, ready: unknown): boolean =>
  dig(ready, 'status') !== undefined &&
  asString(dig(ready, 'reason')) === undefined &&
  conditionsOf(pod, 'ContainersReady').some((it) => dig(it, 'status') === 'True');

/**
 * Omits numbers of nodes, which change with every node and every other pod: "0/3 nodes are
 * available: 1 Insufficient cpu, 2 node(s) were unschedulable. preemption: …".
 */
function schedulerText(message: string): string {
  const bounded = message.slice(0, 8 * LONGEST_DETAIL);
  const [why = ''] = bounded.replace(/^\d+\/\d+ nodes are available: /, '').split(/\.(?:\s|$)/, 1);
  const reasons = why.split(/, (?=\d+ )/).map((reason) => reason.replace(/^\d+ /, ''));
  return [...new Set(reasons)].sort().join(', ');
}

function troubleIn(container: unknown): PodTrouble | undefined {
  if (dig(container, 'ready') === true) return undefined;
  const reason = asString(dig(container, 'state', 'waiting', 'reason'));
  if (reason !== undefined && !STARTING.has(reason)) {
    const word = own(SAME, reason) ?? reason;
    return troubleWith(word, detailIn(container, word));
  }
  const restarts = asNumber(dig(container, 'restartCount')) ?? 0;
  if (restarts < CRASHES_THAT_COUNT) return undefined;
  return troubleWith(CRASHING, detailIn(container, CRASHING));
}

function detailIn(container: unknown, word: string): string {
  if (word === CRASHING) {
    const [now, before] = [dig(container, 'state'), dig(container, 'lastState')].map((it) =>
      asString(dig(it, 'terminated', 'reason')),
    );
    return (now ?? before) === OOM_KILLED ? OOM_KILLED : '';
  }
  const text = ABOUT_IMAGE.has(word)
    ? dig(container, 'image')
    : EXPLAINED.has(word)
      ? dig(container, 'state', 'waiting', 'message')
      : '';
  return asString(text) ?? '';
}

/** A status from which `troubleOf` reads the same trouble. */
export function statusTelling(trouble: PodTrouble | undefined): object {
  if (trouble === undefined) return {};
  const { word: reason, detail } = trouble;
  const waiting =
    detail !== undefined && EXPLAINED.has(reason) ? { reason, message: detail } : { reason };
  const container = {
    state: { waiting },
    ...(detail !== undefined && ABOUT_IMAGE.has(reason) && { image: detail }),
    ...(reason === CRASHING && { lastState: { terminated: { reason: detail } } }),
  };
  return { containerStatuses: [container] };
}
