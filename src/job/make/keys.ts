// Which Secret has the keys of one attempt? Its contents are made when it is created.
import type { BatchJob } from '../../api/batch-job.ts';
import { apiVersionOf, kinds } from '../../api/kinds.ts';
import type { KubeObject } from '../../api/objects.ts';

/** The policy of the operator allows it no other type. */
const KEYS_TYPE = 'k8slab.info/job-keys';

/** By a policy only an operator creates Secrets whose names begin so. */
const PREFIX = 'k8slab-keys-';

/** No two attempts of jobs of this name have the same grant. */
export const keysName = (job: string, grant: number): string => `${PREFIX}${job}-${grant}`;

/** Kubernetes deletes it with the batch Job of the attempt. */
export function keysObject(
  { name, namespace, uid, grant = 0 }: BatchJob,
  labels: Readonly<Record<string, string>>,
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: kinds.Secret.kind,
    metadata: {
      name: keysName(name, grant),
      namespace,
      labels,
      ownerReferences: [
        { apiVersion: apiVersionOf(kinds.Job), kind: kinds.Job.kind, name, uid, controller: true },
      ],
    },
    type: KEYS_TYPE,
    immutable: true,
  };
}
