// What does the garbage collector do? It deletes objects whose owner is gone, a while later.
import { type Kind, kinds } from '../../../src/api/kinds.ts';
import { Actor, type Surroundings } from './actor.ts';

const OWNERS: readonly Kind[] = [
  kinds.StatefulSet,
  kinds.Deployment,
  kinds.ReplicaSet,
  kinds.SwarmPool,
  kinds.SwarmJob,
  kinds.Job,
];
const OWNED: readonly Kind[] = [
  kinds.ReplicaSet,
  kinds.Job,
  kinds.Service,
  kinds.Pod,
  kinds.ConfigMap,
  kinds.Secret,
];

/** `owned`: what it also looks at when only that changes; it may have come without its owner. */
export function startGarbageCollector(
  surroundings: Surroundings,
  owned: readonly Kind[] = [],
): void {
  const { server } = surroundings;
  new Actor(surroundings, [...OWNERS, ...owned], () => {
    const living = new Set(
      OWNERS.flatMap((kind) => server.all({ kind }).map(({ metadata }) => metadata.uid)),
    );
    for (const kind of OWNED) {
      for (const { metadata } of server.all({ kind })) {
        const owners = metadata.ownerReferences ?? [];
        if (owners.length === 0 || owners.some(({ uid }) => living.has(uid))) continue;
        server.remove(kind, metadata, { uid: metadata.uid ?? '' });
      }
    }
  });
}
