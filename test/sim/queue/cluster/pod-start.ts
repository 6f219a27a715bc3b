// What does a pod need before its command begins, and does its rank follow a leader?
import { asList, asString, dig, type KubeObject } from '../../../../src/api/objects.ts';
import { rankOf } from './missing-pods.ts';

export const ADDRESSES = 'k8slab.info/addresses';

/** The Secret that it mounts. */
export const keysOf = (pod: KubeObject): string | undefined =>
  asList(dig(pod, 'spec', 'volumes'))
    .map((it) => asString(dig(it, 'secret', 'secretName')))
    .find((it) => it !== undefined);

/** What a start script does with the command of its pod. */
type Start = { readonly waits: boolean; readonly isFollower: boolean };

export function startOf(pod: KubeObject): Start {
  const [main] = asList(dig(pod, 'spec', 'containers'));
  const words = asList(dig(main, 'command'));
  const hasScript = words[1] === '/etc/swarm/start';
  const isFollower = hasScript && words[2] !== 'all' && rankOf(pod) !== 0;
  // A rank that runs sshd does not wait for the others.
  const isServer = isFollower && words[2] === 'mpi';
  return {
    waits: hasScript && !isServer && ADDRESSES in (pod.metadata.annotations ?? {}),
    isFollower,
  };
}
