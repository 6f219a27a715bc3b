// What does the StatefulSet controller do? It creates pods by ordinal, in order or all at once; it
// replaces and removes them from the last ordinal.
import { kinds } from '../../../src/api/kinds.ts';
import { asNumber, asRecord, dig, type KubeObject } from '../../../src/api/objects.ts';
import { Actor, type Surroundings } from './actor.ts';
import {
  hasEnded,
  isReady,
  isTerminating,
  ownerUid,
  REVISION,
  replicasOf,
  revisionOf,
} from './facts.ts';

/** `isMeant`: the others are left to another controller. */
export function startStatefulSets(
  surroundings: Surroundings,
  isMeant: (set: KubeObject) => boolean = () => true,
): void {
  const { server } = surroundings;
  new Actor(surroundings, [kinds.StatefulSet, kinds.Pod], () => {
    for (const set of server.all({ kind: kinds.StatefulSet }))
      if (isMeant(set) && !isTerminating(set)) reconcile(surroundings, set);
  });
}

function reconcile(surroundings: Surroundings, set: KubeObject): void {
  const { server } = surroundings;
  adopt(surroundings, set);
  const pods = server
    .all({ kind: kinds.Pod, namespace: set.metadata.namespace })
    .filter((pod) => ownerUid(pod) === set.metadata.uid);
  tend(surroundings, set, pods);
  const now = server
    .all({ kind: kinds.Pod, namespace: set.metadata.namespace })
    .filter((pod) => ownerUid(pod) === set.metadata.uid);
  const status = {
    replicas: now.length,
    readyReplicas: now.filter(isReady).length,
    updateRevision: revisionOf(set),
  };
  const { resourceVersion: _, ...metadata } = set.metadata;
  server.replace(kinds.StatefulSet, { ...set, metadata, status }, 'status');
}

/**
 * Adopts pods that an earlier set of the same name left behind: they have no owner, and the names
 * and labels of this set's own pods.
 */
function adopt({ server }: Surroundings, set: KubeObject): void {
  const wanted = Object.entries(asRecord(dig(set, 'spec', 'selector', 'matchLabels')) ?? {});
  for (const { metadata } of server.all({ kind: kinds.Pod, namespace: set.metadata.namespace })) {
    const isItsOwn = metadata.name.slice(0, metadata.name.lastIndexOf('-')) === set.metadata.name;
    const isMatching = wanted.every(([key, value]) => metadata.labels?.[key] === value);
    if (
      !isItsOwn ||
      !isMatching ||
      metadata.ownerReferences !== undefined ||
      metadata.deletionTimestamp !== undefined
    )
      continue;
    server.merge(kinds.Pod, metadata, { metadata: { ownerReferences: [ownedBy(set)] } });
  }
}

/** One round of what can be done now; the rest follows when pods have changed. */
function tend(surroundings: Surroundings, set: KubeObject, pods: readonly KubeObject[]): void {
  const { server } = surroundings;
  const isOrdered = dig(set, 'spec', 'podManagementPolicy') !== 'Parallel';
  const first = asNumber(dig(set, 'spec', 'ordinals', 'start')) ?? 0;
  const wanted = Array.from(
    { length: replicasOf(set) },
    (_, index) => `${set.metadata.name}-${first + index}`,
  );
  const byName = new Map(pods.map((pod) => [pod.metadata.name, pod]));
  const end = ({ metadata }: KubeObject): void =>
    server.remove(kinds.Pod, metadata, { uid: metadata.uid ?? '' });
  for (const name of wanted) {
    const pod = byName.get(name);
    if (pod === undefined) {
      // A pod of that name with another owner blocks the creation.
      if (server.find(kinds.Pod, { namespace: set.metadata.namespace ?? '', name }) === undefined)
        makePod(surroundings, set, name);
    } else if (hasEnded(pod) && !isTerminating(pod)) end(pod);
    if (isOrdered && (pod === undefined || !isReady(pod) || isTerminating(pod))) return;
  }
  const condemned = pods
    .filter(({ metadata }) => !wanted.includes(metadata.name))
    .sort((a, b) => ordinal(b) - ordinal(a));
  for (const pod of condemned) {
    if (!isTerminating(pod)) end(pod);
    if (isOrdered) return;
  }
  if (dig(set, 'spec', 'updateStrategy', 'type') === 'OnDelete') return;
  for (const name of [...wanted].reverse()) {
    const pod = byName.get(name);
    if (pod === undefined || isTerminating(pod)) return;
    const isOld = pod.metadata.labels?.[REVISION] !== revisionOf(set);
    if (isOld) end(pod);
    if (isOld || !isReady(pod)) return;
  }
}

const ordinal = ({ metadata: { name } }: KubeObject): number =>
  Number(name.slice(name.lastIndexOf('-') + 1));

function makePod({ server }: Surroundings, set: KubeObject, name: string): void {
  server.create(
    kinds.Pod,
    podOf(set, name, { 'statefulset.kubernetes.io/pod-name': name, [REVISION]: revisionOf(set) }),
  );
}

const ownedBy = ({ apiVersion, kind, metadata }: KubeObject) => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid ?? '',
  controller: true,
});

/** As in its template, owned by its creator. */
export function podOf(
  owner: KubeObject,
  name: string,
  labels: Readonly<Record<string, string>>,
): KubeObject {
  const template = dig(owner, 'spec', 'template');
  const { metadata } = owner;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: metadata.namespace ?? '',
      labels: {
        ...(asRecord(dig(template, 'metadata', 'labels')) as Record<string, string> | undefined),
        ...labels,
      },
      ownerReferences: [ownedBy(owner)],
    },
    spec: asRecord(dig(template, 'spec')) ?? {},
  };
}
