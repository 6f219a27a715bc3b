// Which pods does a job have, and what does each of them say about itself?
import { LABEL_JOB } from '../../api/batch-job.ts';
import { ANNOTATION_JOB_UID, parseJobPod } from '../../api/job-pod.ts';
import { kinds } from '../../api/kinds.ts';
import {
  asList,
  asNumber,
  asRecord,
  asString,
  conditionsOf,
  controllerUid,
  dig,
  type KubeObject,
} from '../../api/objects.ts';
import { MAIN } from '../../api/swarm-job.ts';
import type { SwarmJob } from '../../api/validate.ts';
import type { KubeApi } from '../../runtime/client/api.ts';

/** Whose pods are meant. */
export type JobIdentity = Pick<SwarmJob['meta'], 'name' | 'namespace' | 'uid'>;

export type RankPod = {
  readonly pod: string;
  readonly uid: string;
  readonly rank: number;
  /** False: it is of a batch Job of a user whose pods have no ranks. */
  readonly isRanked?: boolean;
  readonly node: string | undefined;
  readonly state: string;
  /** The pod's own words: why it does not run, or how it ended. */
  readonly message: string | undefined;
  /** Of the container that is asked about. */
  readonly container: 'waiting' | 'running' | 'ended';
  readonly created: string;
};

export const podsSelector = (name: string): { readonly labelSelector: string } => ({
  labelSelector: `${LABEL_JOB}=${name}`,
});

/** By rank, and of one rank the newest first. */
export async function readRanks(
  api: Pick<KubeApi, 'list'>,
  { name, namespace, uid }: JobIdentity,
  container = MAIN,
): Promise<readonly RankPod[]> {
  const { items } = await api.list(kinds.Pod, namespace, podsSelector(name));
  return items
    .filter(({ metadata }) => metadata.annotations?.[ANNOTATION_JOB_UID] === uid)
    .map((pod) => rankPodOf(pod, container))
    .sort((a, b) => a.rank - b.rank || (a.created > b.created ? -1 : 1));
}

/** Those of a batch Job that no SwarmJob has, by rank where it is Indexed. */
export async function readPodsOf(
  api: Pick<KubeApi, 'list'>,
  { metadata: { namespace = '', uid }, spec }: KubeObject,
): Promise<readonly RankPod[]> {
  const labels = Object.entries(asRecord(dig(spec, 'selector', 'matchLabels')) ?? {});
  const labelSelector = labels.map(([name, value]) => `${name}=${value}`).join();
  if (labelSelector === '') return [];
  const { items } = await api.list(kinds.Pod, namespace, { labelSelector });
  const isRanked = dig(spec, 'completionMode') === 'Indexed';
  return items
    .filter((pod) => controllerUid(pod, kinds.Job) === uid)
    .map((pod) => ({ ...rankPodOf(pod, MAIN), isRanked }))
    .sort((a, b) => a.rank - b.rank || (a.created > b.created ? -1 : 1));
}

export function rankPodOf(pod: KubeObject, container: string): RankPod {
  const { name, uid, rank = 0, node, isReady } = parseJobPod(pod);
  const { status, metadata } = pod;
  const phase = asString(dig(status, 'phase')) ?? 'Pending';
  const isEnding = metadata.deletionTimestamp !== undefined;
  return {
    pod: name,
    uid,
    rank,
    node,
    state: isEnding ? 'Terminating' : phase === 'Running' && !isReady ? 'NotReady' : phase,
    message: wordsOf(pod),
    container: stateOf(pod, container),
    created: metadata.creationTimestamp ?? '',
  };
}

function stateOf({ status }: KubeObject, name: string): RankPod['container'] {
  const all = ['initContainerStatuses', 'containerStatuses'].flatMap((it) =>
    asList(dig(status, it)),
  );
  const state = dig(
    all.find((it) => dig(it, 'name') === name),
    'state',
  );
  if (dig(state, 'running') !== undefined) return 'running';
  return dig(state, 'terminated') === undefined ? 'waiting' : 'ended';
}

/** The first that applies: no node, a disruption, a container that cannot start or ended badly. */
function wordsOf(pod: KubeObject): string | undefined {
  const { status } = pod;
  const unscheduled = conditionsOf(pod, 'PodScheduled').find((it) => dig(it, 'status') === 'False');
  if (unscheduled !== undefined) return sayingOf(unscheduled);
  const disrupted = conditionsOf(pod, 'DisruptionTarget').find(
    (it) => dig(it, 'status') === 'True',
  );
  if (disrupted !== undefined) return sayingOf(disrupted);
  if (asString(dig(status, 'reason')) !== undefined) return sayingOf(status);
  const containers = ['initContainerStatuses', 'containerStatuses'].flatMap((it) =>
    asList(dig(status, it)),
  );
  return containers.map(wordsOfContainer).find((words) => words !== undefined);
}

function wordsOfContainer(container: unknown): string | undefined {
  const name = asString(dig(container, 'name')) ?? '';
  const waiting = dig(container, 'state', 'waiting');
  if (waiting !== undefined) {
    const words = sayingOf(waiting);
    return words === undefined ? undefined : `container ${name}: ${words}`;
  }
  const ended = dig(container, 'state', 'terminated');
  const code = asNumber(dig(ended, 'exitCode'));
  if (code === undefined || code === 0) return undefined;
  const words = sayingOf(ended);
  return `container ${name} ended with exit code ${code}${words === undefined ? '' : ` (${words})`}`;
}

/** "ImagePullBackOff: Back-off pulling image "x"" */
function sayingOf(value: unknown): string | undefined {
  const [reason = '', message = ''] = ['reason', 'message'].map((it) => asString(dig(value, it)));
  return [reason, message].filter(Boolean).join(': ').trim() || undefined;
}
