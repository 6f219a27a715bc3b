// Which fields does a group read of an object that it scales, whatever its kind?
import { kinds } from '../../api/kinds.ts';
import {
  asNumber,
  asRecord,
  asString,
  conditionsOf,
  dig,
  type KubeObject,
} from '../../api/objects.ts';
import {
  type Identity,
  identityOf,
  type ObservedSize,
  sizeOf,
  type Target,
} from '../../api/observed.ts';
import { type PoolTargets, soughtUnder, targetKindOf } from '../../api/pool-targets.ts';
import { annotated, generationOf, selectorIn, sizeIn, slimmed } from '../../api/slim.ts';
import { parseSwarmPool } from '../../api/validate.ts';
import { isSameJson } from '../../core/json.ts';
import { ANNOTATION_PAUSED } from '../../core/labels.ts';
import type { ScaleReading } from '../../runtime/scales/readings.ts';
import type { Scalable } from '../world.ts';

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

/**
 * A Scale has neither a generation nor a count of ready replicas: existing replicas count as ready.
 */
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

export type PoolMember = Identity &
  PoolTargets & {
    readonly creationTimestamp: string;
    /** Follow, Lead or Auto. */
    readonly scaling: string;
    /** With Lead: the size of the pool; undefined: not set yet. */
    readonly replicas: number | undefined;
    readonly isPaused: boolean;
    readonly isDeleting: boolean;
    readonly isConverged: boolean;
    readonly selector: string;
    readonly size: ObservedSize;
  };

export function parsePoolMember(object: KubeObject): PoolMember {
  const { metadata, spec, status } = object;
  const workers = dig(spec, 'workers');
  // Parsed without its streams, which may be many: groups do not read them.
  const { spec: parsed, meta } = parseSwarmPool(slimPoolMember(object));
  const valid = parsed.ok ? parsed.value.workers : undefined;
  const [converged] = conditionsOf(object, 'Converged');
  return {
    ...identityOf(object),
    creationTimestamp: meta.creationTimestamp,
    // A pool whose spec is invalid has no targets.
    workers: valid ?? {},
    scaling: valid?.scaling ?? asString(dig(workers, 'scaling')) ?? '',
    replicas: asNumber(dig(workers, 'replicas')),
    isPaused: dig(spec, 'paused') === true || metadata.annotations?.[ANNOTATION_PAUSED] === 'true',
    isDeleting: metadata.deletionTimestamp !== undefined,
    isConverged: dig(converged, 'status') === 'True',
    selector: asString(dig(status, 'selector')) ?? '',
    size: { ...sizeOf(object), ready: asNumber(dig(status, 'convergedReplicas')) ?? 0 },
  };
}

/** All fields that `parsePoolMember` reads. */
export function slimPoolMember(pool: KubeObject): KubeObject {
  const { metadata, spec, status } = pool;
  const { creationTimestamp = '' } = metadata;
  const workers = asRecord(dig(spec, 'workers')) ?? {};
  const { scaling, replicas, kind, targetRef } = workers;
  return slimmed(pool, {
    metadata: {
      creationTimestamp,
      ...annotated(metadata, ANNOTATION_PAUSED),
      ...generationOf(metadata),
    },
    spec: {
      workers: { scaling, replicas, kind, targetRef, ...selectorIn(workers) },
      paused: dig(spec, 'paused'),
    },
    status: {
      ...sizeIn(status),
      convergedReplicas: dig(status, 'convergedReplicas'),
      selector: dig(status, 'selector'),
      conditions: conditionsOf(pool, 'Converged'),
    },
  });
}

/** Do both pools scale the same workloads? */
export function isSameClaim(a: PoolMember | undefined, b: PoolMember | undefined): boolean {
  const claim = (pool: PoolMember | undefined) =>
    pool && [
      soughtUnder(pool),
      pool.workers.selector,
      targetKindOf(pool.workers),
      pool.scaling,
      pool.isDeleting,
    ];
  return isSameJson(claim(a), claim(b));
}
