// What else happens around a pool? Another pool, autoscalers, budgets, quotas, nodes that die and
// users who delete their pods by force.
import { kinds } from '../../../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { KubeError } from '../../../src/runtime/client/errors.ts';
import type { Call } from '../../support/memory-api.ts';
import { budgets } from '../cluster/api-server.ts';
import { NAMESPACE, partsOf, poolRef } from '../cluster/manifests.ts';
import { nodeOf } from '../cluster/pod-runner.ts';
import type { PoolSimWorld } from '../pool-world.ts';
import type { Action } from './story.ts';

export type SurroundingAction = Extract<
  Action,
  { readonly do: 'rival' | 'autoscaler' | 'budget' | 'quota' | 'nodeDies' | 'deleteDeadPods' }
>;

const rivalRef = { namespace: NAMESPACE, name: 'radio' };
const autoscalerRef = { namespace: NAMESPACE, name: 'scaler' };
const budgetRef = { namespace: NAMESPACE, name: 'budget' };
/** The engine's pace for retries of refused writes. */
const REFUSED_AGAIN_MS = 16_000;

export function around(world: PoolSimWorld, action: SurroundingAction): unknown {
  const { server, nodes } = world;
  switch (action.do) {
    case 'rival':
      return action.spec === undefined
        ? server.remove(kinds.SwarmPool, rivalRef)
        : putRival(world, action.spec);
    case 'autoscaler':
      if (action.of === undefined)
        return server.remove(kinds.HorizontalPodAutoscaler, autoscalerRef);
      return server.put(kinds.HorizontalPodAutoscaler, autoscalerRef, {
        spec: {
          scaleTargetRef:
            action.of === 'pool' ? { kind: 'SwarmPool', name: poolRef.name } : partsOf(action.of),
          maxReplicas: 5,
        },
      });
    case 'budget':
      if (action.minAvailable === undefined) return server.remove(budgets, budgetRef);
      return server.put(budgets, budgetRef, {
        spec: { selector: { matchLabels: { app: 'worker' } }, minAvailable: action.minAvailable },
      });
    case 'quota':
      return refuse(world, action.of, action.forMs);
    case 'nodeDies': {
      const node = nodes.all[action.index % nodes.all.length];
      if (node === undefined) return undefined;
      world.disturb(action.forMs + 1_500);
      return nodes.fail(node, 'down', action.forMs);
    }
    case 'deleteDeadPods':
      return deleteDeadPods(world);
    default:
      return action satisfies never;
  }
}

function putRival({ server }: PoolSimWorld, spec: object): void {
  const present = server.find(kinds.SwarmPool, rivalRef);
  if (present !== undefined) server.replace(kinds.SwarmPool, { ...present, spec });
  else
    server.create(kinds.SwarmPool, {
      apiVersion: 'k8slab.info/v1alpha1',
      kind: 'SwarmPool',
      metadata: { ...rivalRef },
      spec,
    });
}

/**
 * The operator's writes are refused, as by a ResourceQuota or a policy that a user creates and
 * deletes again.
 */
function refuse(world: PoolSimWorld, of: 'ConfigMap' | 'eviction', forMs: number): void {
  const { clock, operators } = world;
  const error = new KubeError('Forbidden', 'exceeded quota', { status: 403 });
  const isMeant = ({ verb, kind }: Call): boolean =>
    of === 'eviction'
      ? verb === 'evict'
      : kind.kind === 'ConfigMap' && (verb === 'create' || verb === 'patch');
  world.disturb(forMs);
  world.quietAfter = Math.max(world.quietAfter, clock.monotonic() + forMs + REFUSED_AGAIN_MS);
  for (const { network } of operators)
    network.quota = (call) => (isMeant(call) ? error : undefined);
  clock.after(forMs, () => {
    for (const { network } of operators) network.quota = undefined;
  });
}

/** `kubectl delete pod --force` for all pods of a dead node. */
function deleteDeadPods({ server, nodes, safety }: PoolSimWorld): void {
  const dead = new Set(nodes.all.filter(({ state }) => state === 'down').map(({ name }) => name));
  const isLost = (pod: KubeObject): boolean => dead.has(nodeOf(pod) ?? '');
  for (const pod of server.all({ kind: kinds.Pod, namespace: NAMESPACE }).filter(isLost)) {
    safety.declaredDead.add(asString(dig(pod, 'metadata', 'uid')) ?? '');
    server.remove(kinds.Pod, pod.metadata, {}, 0);
  }
}
