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
  crowd,
  elderRef,
  elderSpecOf,
  groupAutoscalerRef,
  groupOf,
  groupRef,
  groupSpecOf,
  isPlain,
  kindNamed,
  kindOfMember,
  LAST_SIZE,
  leaderRef,
  memberOf,
  namesOf,
  objectsOf,
  rivalRef,
} from './manifests.ts';
import { memberAnnotations } from './oracle/annotated.ts';
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
      return spec({ members: action.names.map((name) => memberOf(name, shape)) });
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
      return annotate(world, ANNOTATION_PAUSED, action.do === 'pause' ? 'true' : null);
    case 'annotate':
      return annotate(world, action.name, action.value ?? null);
    case 'annotateMember':
      return server.merge(kindNamed(kindOfMember(action.name)), refOf(action.name), {
        metadata: { annotations: action.annotations },
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
    case 'slow':
      return world.workloads.slowDown(action.name, action.byMs);
    case 'room':
      return world.workloads.limit(action.name, action.pods);
    case 'mendPods':
      return world.workloads.mend(action.name);
    case 'lose':
      return world.workloads.lose(action.name, action.count);
    case 'autoscaler':
      return autoscale(world, action.of);
    case 'groupAutoscaler':
      return autoscaleGroup(world, action);
    case 'load':
      world.autoscaler.load = action.to;
      return undefined;
    case 'rival':
      return action.names === undefined
        ? server.remove(kinds.SwarmGroup, rivalRef)
        : server.create(kinds.SwarmGroup, {
            ...groupOf(shape),
            metadata: { ...rivalRef },
            spec: { replicas: 3, members: action.names.map((name) => memberOf(name, shape)) },
          });
    case 'elder':
      return server.merge(kinds.SwarmGroup, elderRef, { spec: elderSpecOf(action.names) });
    case 'crowd':
      return comeInCrowds(world);
    case 'leader':
      return lead(world, action.of);
    case 'quota':
      return refuse(world, action.forMs, action.name);
    case 'poolScaling':
      return server.merge(kinds.SwarmPool, poolRef, {
        spec: { paused: null, workers: { scaling: action.to } },
      });
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

/** Those that are missing. The others say of themselves what their manifests say: nothing. */
function createMembers({ server, shape }: GroupSimWorld): void {
  for (const object of namesOf(shape).flatMap(objectsOf)) {
    const kind = kindNamed(object.kind ?? '');
    const present = server.find(kind, object.metadata);
    const { annotations = {} } = present?.metadata ?? {};
    const own = memberAnnotations.filter((name) => name in annotations);
    if (present === undefined) server.create(kind, object);
    else if (own.length > 0)
      server.merge(kind, refOf(object.metadata.name), {
        metadata: { annotations: Object.fromEntries(own.map((name) => [name, null])) },
      });
  }
}

const annotate = ({ server }: GroupSimWorld, name: string, value: string | null): unknown =>
  server.merge(kinds.SwarmGroup, groupRef, { metadata: { annotations: { [name]: value } } });

function autoscale({ server }: GroupSimWorld, of: string | undefined): unknown {
  if (of === undefined) return server.remove(kinds.HorizontalPodAutoscaler, autoscalerRef);
  return server.put(kinds.HorizontalPodAutoscaler, autoscalerRef, {
    spec: { scaleTargetRef: { kind: kindOfMember(of), name: of }, maxReplicas: 5 },
  });
}

type AutoscaleGroup = Extract<GroupAction, { readonly do: 'groupAutoscaler' }>;

function autoscaleGroup(
  { server }: GroupSimWorld,
  { metric, target = 10, maxReplicas = 6 }: AutoscaleGroup,
): unknown {
  if (metric === undefined) return server.remove(kinds.HorizontalPodAutoscaler, groupAutoscalerRef);
  return server.put(kinds.HorizontalPodAutoscaler, groupAutoscalerRef, {
    spec: {
      scaleTargetRef: { kind: 'SwarmGroup', name: groupRef.name },
      ...{ minReplicas: 1, maxReplicas },
      metrics: [{ type: metric, target }],
    },
  });
}

/** More workloads than a group may have. */
const MANY = 101;

function comeInCrowds({ server }: GroupSimWorld): void {
  for (const object of crowd(MANY)) server.create(kinds.Deployment, object);
  server.merge(kinds.SwarmGroup, elderRef, {
    spec: { members: null, selector: { matchLabels: { shop: 'yes' } } },
  });
}

function lead({ server }: GroupSimWorld, of: string | undefined): unknown {
  if (of === undefined) return server.remove(kinds.SwarmPool, leaderRef);
  const targetRef = { kind: kindOfMember(of), name: of };
  return server.create(kinds.SwarmPool, {
    apiVersion: 'k8slab.info/v1alpha1',
    kind: 'SwarmPool',
    metadata: { ...leaderRef },
    spec: { workers: { targetRef, scaling: 'Lead' }, streams: [{ name: 's0' }] },
  });
}

function refuse(world: GroupSimWorld, forMs: number, name: string | undefined): void {
  const { clock, operators } = world;
  const error = new KubeError('Forbidden', 'exceeded quota', { status: 403 });
  const isMeant = (call: Call): boolean =>
    call.subresource === 'scale' && (name === undefined || call.name === name);
  world.disturb(forMs);
  const until = clock.monotonic() + forMs;
  const retriedUntil = until + REFUSED_AGAIN_MS;
  if (name === undefined) world.quietAfter = Math.max(world.quietAfter, retriedUntil);
  else world.retriedAfter = Math.max(world.retriedAfter, retriedUntil);
  world.oracle.refuse(name, until, retriedUntil);
  for (const { network } of operators)
    network.quota = (call) => (isMeant(call) ? error : undefined);
  clock.after(forMs, () => {
    for (const { network } of operators) network.quota = undefined;
  });
}
