// Which objects does a story about queues begin with, and what are they called?
import { apiVersionOf, kinds } from '../../../src/api/kinds.ts';
import type { KubeObject, Ref } from '../../../src/api/objects.ts';
import { NAMESPACE } from '../cluster/manifests.ts';
import { argsOf, type Work } from './work.ts';

export const ledgerRef = { namespace: 'operators', name: `swarm-ledger-${NAMESPACE}` };
export const refOf = (name: string): Ref => ({ namespace: NAMESPACE, name });

export const queueOf = (name: string, spec: object): KubeObject => ({
  apiVersion: apiVersionOf(kinds.SwarmQueue),
  kind: 'SwarmQueue',
  metadata: { namespace: NAMESPACE, name },
  spec,
});

export const jobOf = (name: string, spec: object): KubeObject => ({
  apiVersion: apiVersionOf(kinds.SwarmJob),
  kind: 'SwarmJob',
  metadata: { namespace: NAMESPACE, name },
  spec,
});

/** `over`: fields besides. */
export const jobSpec = (
  queueName: string,
  size: number,
  cpu: string,
  work: Work,
  over: object = {},
): object => ({
  queueName,
  size,
  image: 'example.org/sim',
  command: ['run'],
  args: argsOf(work),
  resources: { requests: { cpu } },
  template: { spec: { terminationGracePeriodSeconds: 3 } },
  startTimeoutSeconds: 6,
  backoffSeconds: 1,
  retries: { application: 1, other: 2 },
  ...over,
});
