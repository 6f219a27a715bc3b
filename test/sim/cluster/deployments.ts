// What do the Deployment and ReplicaSet controllers do? Rolling updates with a surge of one; they
// delete the pods with the lowest deletion cost.
import { kinds } from '../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../src/api/objects.ts';
import { DELETION_COST_ANNOTATION } from '../../../src/api/observed.ts';
import { Actor, type Surroundings } from './actor.ts';
import { hasEnded, isReady, isTerminating, ownerUid, replicasOf, revisionOf } from './facts.ts';
import { podOf } from './stateful-sets.ts';

const HASH = 'pod-template-hash';

export function startDeployments(surroundings: Surroundings): void {
  const { server } = surroundings;
  new Actor(surroundings, [kinds.Deployment, kinds.ReplicaSet, kinds.Pod], () => {
    for (const it of server.all({ kind: kinds.Deployment }))
      if (!isTerminating(it)) rollOut(surroundings, it);
  });
  new Actor(surroundings, [kinds.ReplicaSet, kinds.Pod], () => {
    for (const it of server.all({ kind: kinds.ReplicaSet }))
      if (!isTerminating(it)) fill(surroundings, it);
  });
}

const isActive = (pod: KubeObject): boolean => !isTerminating(pod) && !hasEnded(pod);

const podsOf = ({ server }: Surroundings, owner: KubeObject): KubeObject[] =>
  server
    .all({ kind: kinds.Pod, namespace: owner.metadata.namespace })
    .filter((pod) => ownerUid(pod) === owner.metadata.uid);

/**
 * maxSurge 1, maxUnavailable 0: one new pod at a time, one old pod removed for each new one that is
 * Ready.
 */
function rollOut(surroundings: Surroundings, deployment: KubeObject): void {
  const { server } = surroundings;
  const { namespace, name, uid } = deployment.metadata;
  const wanted = replicasOf(deployment);
  const revision = revisionOf(deployment);
  const sets = server
    .all({ kind: kinds.ReplicaSet, namespace })
    .filter((set) => ownerUid(set) === uid);
  const found = sets.find((set) => set.metadata.labels?.[HASH] === revision);
  // Another ReplicaSet of that name still exists, and is being deleted.
  if (
    found === undefined &&
    server.find(kinds.ReplicaSet, { namespace: namespace ?? '', name: `${name}-${revision}` }) !==
      undefined
  )
    return;
  const current = found ?? makeSet(surroundings, deployment, revision);
  const old = sets.filter((set) => set !== current && replicasOf(set) > 0);
  const ready = podsOf(surroundings, current).filter((pod) => isActive(pod) && isReady(pod)).length;
  const oldTotal = old.reduce((sum, set) => sum + replicasOf(set), 0);
  const size =
    oldTotal === 0
      ? wanted
      : Math.min(wanted, Math.max(replicasOf(current), wanted + 1 - oldTotal));
  resize(surroundings, current, size);
  let surplus = Math.max(0, oldTotal + ready - wanted);
  for (const set of old) {
    const less = Math.min(surplus, replicasOf(set));
    surplus -= less;
    resize(surroundings, set, replicasOf(set) - less);
  }
  const all = [...old, current].flatMap((set) => podsOf(surroundings, set)).filter(isActive);
  const { resourceVersion: _, ...metadata } = server.get(kinds.Deployment, {
    namespace: namespace ?? '',
    name,
  }).metadata;
  const status = { replicas: all.length, readyReplicas: all.filter(isReady).length };
  server.replace(kinds.Deployment, { ...deployment, metadata, status }, 'status');
}

function makeSet({ server }: Surroundings, deployment: KubeObject, revision: string): KubeObject {
  const { namespace = '', name, uid = '' } = deployment.metadata;
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true };
  return server.create(kinds.ReplicaSet, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${revision}`,
      namespace,
      labels: { [HASH]: revision },
      ownerReferences: [owner],
    },
    spec: { replicas: 0, template: dig(deployment, 'spec', 'template') },
  });
}

function resize({ server }: Surroundings, set: KubeObject, replicas: number): void {
  if (replicas !== replicasOf(set))
    server.merge(kinds.ReplicaSet, set.metadata as { name: string }, { spec: { replicas } });
}

function fill(surroundings: Surroundings, set: KubeObject): void {
  const { server, random } = surroundings;
  const active = podsOf(surroundings, set).filter(isActive);
  const missing = replicasOf(set) - active.length;
  for (let made = 0; made < missing; made += 1) {
    const name = `${set.metadata.name}-${random.between(36 ** 4, 36 ** 5 - 1).toString(36)}`;
    server.create(kinds.Pod, podOf(set, name, { [HASH]: set.metadata.labels?.[HASH] ?? '' }));
  }
  if (missing >= 0) return;
  const cost = (pod: KubeObject): number =>
    Number(pod.metadata.annotations?.[DELETION_COST_ANNOTATION] ?? 0);
  const rank = (pod: KubeObject): number => (isReady(pod) ? 1 : 0);
  const byVersion = (pod: KubeObject): number =>
    Number((pod.metadata.uid ?? '').replace('uid-', ''));
  const first = [...active].sort(
    (a, b) => rank(a) - rank(b) || cost(a) - cost(b) || byVersion(b) - byVersion(a),
  );
  for (const { metadata } of first.slice(0, -missing))
    server.remove(kinds.Pod, metadata, { uid: metadata.uid ?? '' });
}
