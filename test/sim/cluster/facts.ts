// What does an object say about itself? Short accessors that the components of the cluster share.
import {
  asList,
  asNumber,
  asRecord,
  asString,
  dig,
  type KubeObject,
} from '../../../src/api/objects.ts';

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

const revisions = new WeakMap<object, string>();

/**
 * Tells templates apart, like the hash in names and labels of real ReplicaSets. The store changes
 * no object in place: each template is read once.
 */
export function revisionOf(workload: KubeObject): string {
  const template = asRecord(dig(workload, 'spec', 'template')) ?? {};
  const known = revisions.get(template);
  if (known !== undefined) return known;
  const text = JSON.stringify(template);
  let hash = 5381;
  for (let at = 0; at < text.length; at += 1)
    hash = (Math.imul(hash, 33) ^ text.charCodeAt(at)) >>> 0;
  const revision = hash.toString(36);
  revisions.set(template, revision);
  return revision;
}

export const REVISION = 'controller-revision-hash';
