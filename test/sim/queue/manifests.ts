// Which objects does a story about queues begin with, and what are they called?
import { LABEL_QUEUE } from '../../../src/api/batch-job.ts';
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

export const USER = 'k8slab.info/user';

const metaOf = (name: string, user: string | undefined) => ({
  namespace: NAMESPACE,
  name,
  ...(user !== undefined && { annotations: { [USER]: user } }),
});

export const jobOf = (name: string, spec: object, user?: string): KubeObject => ({
  apiVersion: apiVersionOf(kinds.SwarmJob),
  kind: 'SwarmJob',
  metadata: metaOf(name, user),
  spec,
});

/** A batch Job of a user, for a queue. */
export type PlainSpec = {
  readonly queue: string;
  readonly parallelism: number;
  readonly completions: number;
  /** Left out: its pods request nothing, as far as it says. */
  readonly cpu?: string;
  readonly work: Work;
  /** Left out: it is created suspended. */
  readonly isStarted?: boolean;
  readonly isIndexed?: boolean;
  readonly activeDeadlineSeconds?: number;
  readonly user?: string;
};

export const plainJobOf = (name: string, spec: PlainSpec): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { ...metaOf(name, spec.user), labels: { [LABEL_QUEUE]: spec.queue } },
  spec: {
    suspend: spec.isStarted !== true,
    parallelism: spec.parallelism,
    completions: spec.completions,
    backoffLimit: 2,
    ...(spec.isIndexed === true && { completionMode: 'Indexed' }),
    ...(spec.activeDeadlineSeconds !== undefined && {
      activeDeadlineSeconds: spec.activeDeadlineSeconds,
    }),
    template: {
      metadata: { labels: { app: name } },
      spec: {
        terminationGracePeriodSeconds: 3,
        containers: [
          {
            name: 'main',
            image: 'example.org/sim',
            args: argsOf(spec.work),
            ...(spec.cpu !== undefined && { resources: { requests: { cpu: spec.cpu } } }),
          },
        ],
      },
    },
  },
});

/** `over`: fields besides. */
export const jobSpec = (
  queueName: string,
  size: number,
  cpu: string | undefined,
  work: Work,
  over: object = {},
): object => ({
  queueName,
  size,
  image: 'example.org/sim',
  command: ['run'],
  args: argsOf(work),
  ...(cpu !== undefined && { resources: { requests: { cpu } } }),
  template: { spec: { terminationGracePeriodSeconds: 3 } },
  startTimeoutSeconds: 6,
  backoffSeconds: 1,
  retries: { application: 1, other: 2 },
  ...over,
});
