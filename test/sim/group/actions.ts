// What do users do to a group and its members? Each action as kubectl would do it.
import { kinds } from '../../../src/api/kinds.ts';
import { asList, dig } from '../../../src/api/objects.ts';
import { ANNOTATION_PAUSED } from '../../../src/core/labels.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';
import type { Call } from '../../support/memory-api.ts';
import { NAMESPACE, poolRef } from '../cluster/manifests.ts';
import type { GroupSimWorld } from './group-world.ts';
import {
  autoscalerRef,
  groupOf,
  groupRef,
  groupSpecOf,
  isPlain,
  kindNamed,
  kindOfMember,
  LAST_SIZE,
  memberOf,
  namesOf,
  objectsOf,
  rivalRef,
} from './manifests.ts';
import type { GroupAction } from './story.ts';

/** The engine's pace for retries of refused writes. */
const REFUSED_AGAIN_MS = 16_000;

/** Throws what the API server answers. */
export function performOnGroup(world: GroupSimWorld, action: GroupAction): unknown {
  const { server, shape } = world;
  const spec = (patch: object): unknown =>
    server.merge(kinds.SwarmGroup, groupRef, { spec: patch });
  switch (action.do) {
    case 'size':
      return spec({ replicas: action.to });
    case 'spec':
      return spec(action.patch);
    case 'members':
      return spec({ members: action.names.map(memberOf) });
    case 'member':
      return spec({ members: membersWith(world, action.name, action.patch) });
    case 'relabel':
      return server.merge(kindNamed(kindOfMember(action.name)), refOf(action.name), {
        metadata: { labels: { shop: action.isSelected ? 'yes' : null } },
      });
    case 'restore': {
      const present = server.get(kinds.SwarmGroup, groupRef);
      return server.replace(kinds.SwarmGroup, { ...present, spec: groupSpecOf(shape, LAST_SIZE) });
    }
    case 'pause':
    case 'resume':
      return server.merge(kinds.SwarmGroup, groupRef, {
        metadata: { annotations: { [ANNOTATION_PAUSED]: action.do === 'pause' ? 'true' : null } },
      });
    case 'createGroup':
      return server.create(kinds.SwarmGroup, groupOf(shape));
    case 'deleteGroup':
      return server.remove(kinds.SwarmGroup, groupRef);
    case 'createMembers':
      return createMembers(world);
    case 'deleteMember':
      return server.remove(kindNamed(kindOfMember(action.name)), refOf(action.name));
    case 'scaleMember':
      return server.merge(kindNamed(kindOfMember(action.name)), refOf(action.name), {
        spec: isPlain(action.name) ? { replicas: action.to } : { workers: { replicas: action.to } },
      });
    case 'template':
      return isPlain(action.name)
        ? server.merge(kindNamed(kindOfMember(action.name)), refOf(action.name), {
            spec: { template: { spec: { revision: action.revision } } },
          })
        : undefined;
    case 'break':
      world.disturb(action.forMs);
      return world.workloads.breakFor(action.name, action.forMs);
    case 'autoscaler':
      return autoscale(world, action.of);
    case 'rival':
      return action.names === undefined
        ? server.remove(kinds.SwarmGroup, rivalRef)
        : server.create(kinds.SwarmGroup, {
            ...groupOf(shape),
            metadata: { ...rivalRef },
            spec: { replicas: 3, members: action.names.map(memberOf) },
          });
    case 'quota':
      return refuse(world, action.forMs);
    case 'poolScaling':
      return server.merge(kinds.SwarmPool, poolRef, { spec: { workers: { scaling: action.to } } });
    case 'restartOperator':
      return world.restartOperator();
    default:
      return action satisfies never;
  }
}

const refOf = (name: string): { readonly namespace: string; readonly name: string } => ({
  namespace: NAMESPACE,
  name,
});

const membersWith = ({ server }: GroupSimWorld, name: string, patch: object): readonly unknown[] =>
  asList(dig(server.get(kinds.SwarmGroup, groupRef), 'spec', 'members')).map((it) =>
    dig(it, 'name') === name ? { ...(it as object), ...patch } : it,
  );

/** Those that are missing. */
function createMembers({ server, shape }: GroupSimWorld): void {
  for (const object of namesOf(shape).flatMap(objectsOf)) {
    const kind = kindNamed(object.kind ?? '');
    if (server.find(kind, object.metadata) === undefined) server.create(kind, object);
  }
}

function autoscale({ server }: GroupSimWorld, of: string | undefined): unknown {
  if (of === undefined) return server.remove(kinds.HorizontalPodAutoscaler, autoscalerRef);
  const target =
    of === 'group'
      ? { kind: 'SwarmGroup', name: groupRef.name }
      : { kind: kindOfMember(of), name: of };
  return server.put(kinds.HorizontalPodAutoscaler, autoscalerRef, {
    spec: { scaleTargetRef: target, maxReplicas: 5 },
  });
}

function refuse(world: GroupSimWorld, forMs: number): void {
  const { clock, operators } = world;
  const error = new KubeError('Forbidden', 'exceeded quota', { status: 403 });
  const isMeant = ({ subresource }: Call): boolean => subresource === 'scale';
  world.disturb(forMs);
  world.quietAfter = Math.max(world.quietAfter, clock.monotonic() + forMs + REFUSED_AGAIN_MS);
  for (const { network } of operators)
    network.quota = (call) => (isMeant(call) ? error : undefined);
  clock.after(forMs, () => {
    for (const { network } of operators) network.quota = undefined;
  });
}
