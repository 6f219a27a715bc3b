// What does a group read of an object that it scales, of whatever kind?
import { kinds } from '../../api/kinds.ts';
import type { Target } from '../../api/observed.ts';
import type { ScaleReading } from '../../runtime/scales/readings.ts';
import type { Scalable } from '../world.ts';
import type { PoolMember } from './pool-member.ts';

export type Timeless = Omit<Scalable, 'times'>;

export function asWorkload(target: Target): Timeless {
  const { name, namespace, uid, resourceVersion, revision, ...rest } = target;
  const { kind, replicas, size, isDeleting, selector } = rest;
  const identity = { name, namespace, uid, resourceVersion, revision };
  const servedAt = kinds[kind];
  return { ...identity, kind, servedAt, replicas, size, isDeleting, selector, isConverged: true };
}

export function asPool(pool: PoolMember): Timeless {
  const { name, namespace, uid, resourceVersion, size, isDeleting, selector, isConverged } = pool;
  const refusal = whyNotScaled(pool);
  return {
    ...{ name, namespace, uid, resourceVersion, size, isDeleting, selector, isConverged },
    kind: 'SwarmPool',
    servedAt: kinds.SwarmPool,
    revision: '',
    replicas: pool.replicas ?? size.present,
    size: { ...size, ready: isConverged ? size.present : size.ready },
    ...(refusal !== undefined && { refusal }),
  };
}

function whyNotScaled({ scaling, replicas, isPaused }: PoolMember): string | undefined {
  if (scaling !== 'Lead') return `its spec.workers.scaling is ${scaling}; it must be Lead`;
  if (isPaused) return 'it is paused';
  return replicas === undefined ? 'it has not yet taken over the size of its target' : undefined;
}

/** A Scale has neither a generation nor a count of ready replicas: those that are there count. */
export function asScale({
  kind,
  scale,
}: Extract<ScaleReading, { readonly state: 'found' }>): Timeless {
  const { replicas, present, selector, ...identity } = scale;
  return {
    ...identity,
    kind: kind.kind,
    servedAt: kind,
    replicas,
    size: { generation: 0, observedGeneration: 0, present, ready: present },
    selector,
    revision: '',
    isConverged: true,
    isDeleting: false,
  };
}
