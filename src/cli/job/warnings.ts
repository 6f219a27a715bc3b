// Which warnings does Kubernetes have about an object? In its own words, for a user who may read
// events.
import { type Kind, kinds } from '../../api/kinds.ts';
import { asString, dig, type KubeObject, type ObjectMeta } from '../../api/objects.ts';
import { oneLine } from '../../api/text.ts';
import { creationOfRank } from '../../job/observe/creations.ts';
import type { KubeApi } from '../../runtime/client/api.ts';
import { hasCode } from '../../runtime/client/errors.ts';
import type { RankPod } from './ranks.ts';

const MOST_EVENTS = 3;
/** So many ranks are asked about: others that do not run mostly have the same warnings. */
const MOST_PODS = 5;

/** With warnings of Kubernetes where it does not run. */
export type ToldPod = RankPod & { readonly warnings?: Warnings };
type Warnings = readonly string[];

const RUNS_OR_RAN: ReadonlySet<string> = new Set(['Running', 'Succeeded', 'Failed']);

/** Of the first ones that do not run: a volume without its Secret shows nowhere else. */
export async function withWarnings(
  api: Pick<KubeApi, 'list'>,
  namespace: string,
  pods: readonly RankPod[],
): Promise<readonly ToldPod[]> {
  const asked = pods.filter(({ state }) => !RUNS_OR_RAN.has(state)).slice(0, MOST_PODS);
  const warnings = new Map(
    await Promise.all(
      asked.map(async (pod): Promise<[RankPod, Warnings]> => {
        const about = { name: pod.pod, namespace, uid: pod.uid };
        return [pod, await warningsOf(api, kinds.Pod, about, pod.message)];
      }),
    ),
  );
  return pods.map((pod) => {
    const own = warnings.get(pod) ?? [];
    return own.length === 0 ? pod : { ...pod, warnings: own };
  });
}

/** The newest first, without what is `known`; none for a user who may not read events. */
export async function warningsOf(
  api: Pick<KubeApi, 'list'>,
  { kind }: Kind,
  { name, namespace, uid }: Pick<ObjectMeta, 'name' | 'namespace' | 'uid'>,
  known = '',
): Promise<Warnings> {
  const selectors = { fieldSelector: `involvedObject.kind=${kind},involvedObject.name=${name}` };
  try {
    const { items } = await api.list(kinds.Event, namespace, selectors);
    const texts = items
      .filter((it) => dig(it, 'involvedObject', 'uid') === uid && dig(it, 'type') === 'Warning')
      .sort((a, b) => (timeOf(a) > timeOf(b) ? -1 : 1))
      .map((it) => [asString(it['reason']) ?? '', asString(it['message']) ?? ''] as const)
      .filter(([, message]) => !known.includes(message))
      .map(([reason, message]) => textOf(reason, message));
    return [...new Set(texts)].slice(0, MOST_EVENTS);
  } catch (error) {
    if (hasCode(error, 'Forbidden', 'NotFound')) return [];
    throw error;
  }
}

/** Each try to create a pod has another name: of the same rank they are told as one. */
const textOf = (reason: string, message: string): string =>
  `${reason}: ${creationOfRank(reason, message)?.failure ?? oneLine(message)}`;

const timeOf = (event: KubeObject): string =>
  asString(dig(event, 'series', 'lastObservedTime')) ??
  asString(event['lastTimestamp']) ??
  asString(event['eventTime']) ??
  '';
