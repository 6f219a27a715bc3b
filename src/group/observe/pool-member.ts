// What does a group read of a SwarmPool? How many workers it is to have, and how far it has come.
import {
  asNumber,
  asRecord,
  asString,
  conditionsOf,
  dig,
  type KubeObject,
} from '../../api/objects.ts';
import { type Identity, identityOf, type ObservedSize, sizeOf } from '../../api/observed.ts';
import { annotated, generationOf, sizeIn, slimmed } from '../../api/slim.ts';
import { ANNOTATION_PAUSED } from '../../core/labels.ts';

export type PoolMember = Identity & {
  /** Follow, Lead or Auto. */
  readonly scaling: string;
  /** With Lead, how many workers it is to have; undefined: not taken over yet. */
  readonly replicas: number | undefined;
  readonly isPaused: boolean;
  readonly isDeleting: boolean;
  readonly isConverged: boolean;
  /** Such as StatefulSet/worker; several are separated by commas. */
  readonly target: string;
  readonly selector: string;
  readonly size: ObservedSize;
};

export function parsePoolMember(object: KubeObject): PoolMember {
  const { metadata, spec, status } = object;
  const workers = dig(spec, 'workers');
  const [converged] = conditionsOf(object, 'Converged');
  return {
    ...identityOf(object),
    scaling: asString(dig(workers, 'scaling')) ?? '',
    replicas: asNumber(dig(workers, 'replicas')),
    isPaused: dig(spec, 'paused') === true || metadata.annotations?.[ANNOTATION_PAUSED] === 'true',
    isDeleting: metadata.deletionTimestamp !== undefined,
    isConverged: dig(converged, 'status') === 'True',
    target: asString(dig(status, 'target')) ?? '',
    selector: asString(dig(status, 'selector')) ?? '',
    size: { ...sizeOf(object), ready: asNumber(dig(status, 'convergedReplicas')) ?? 0 },
  };
}

/** All that `parsePoolMember` reads. */
export function slimPoolMember(pool: KubeObject): KubeObject {
  const { metadata, spec, status } = pool;
  const { scaling, replicas } = asRecord(dig(spec, 'workers')) ?? {};
  return slimmed(pool, {
    metadata: { ...annotated(metadata, ANNOTATION_PAUSED), ...generationOf(metadata) },
    spec: { workers: { scaling, replicas }, paused: dig(spec, 'paused') },
    status: {
      ...sizeIn(status),
      convergedReplicas: dig(status, 'convergedReplicas'),
      target: dig(status, 'target'),
      selector: dig(status, 'selector'),
      conditions: conditionsOf(pool, 'Converged'),
    },
  });
}
