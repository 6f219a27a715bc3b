// What does an object say about itself? Short accessors that the components of the cluster share.
import { asList, asNumber, asString, dig, type KubeObject } from '../../../src/api/objects.ts';

export const isReady = (pod: KubeObject): boolean =>
  asList(dig(pod, 'status', 'conditions')).some(
    (it) => dig(it, 'type') === 'Ready' && dig(it, 'status') === 'True',
  );

export const hasEnded = (pod: KubeObject): boolean =>
  ['Succeeded', 'Failed'].includes(asString(dig(pod, 'status', 'phase')) ?? '');

export const isTerminating = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined;

export const ownerUid = ({ metadata }: KubeObject): string | undefined =>
  metadata.ownerReferences?.find((it) => it.controller === true)?.uid;

export const replicasOf = (workload: KubeObject): number =>
  asNumber(dig(workload, 'spec', 'replicas')) ?? 1;

/** Tells templates apart, like the hash in names and labels of real ReplicaSets. */
export function revisionOf(workload: KubeObject): string {
  const text = JSON.stringify(dig(workload, 'spec', 'template'));
  let hash = 5381;
  for (let at = 0; at < text.length; at += 1)
    hash = (Math.imul(hash, 33) ^ text.charCodeAt(at)) >>> 0;
  return hash.toString(36);
}

export const REVISION = 'controller-revision-hash';
