// Queues, jobs and their pods as the API server stores them, for tests of commands.

type Shape = {
  readonly name?: string;
  readonly spec?: object;
  /** Left out: no operator has looked at it. */
  readonly status?: object;
  readonly created?: string;
  /** Who has submitted it. */
  readonly user?: string;
};

const noteOf = (user: string | undefined): object =>
  user === undefined ? {} : { annotations: { 'k8slab.info/user': user } };

const metaOf = (name: string, created = '2026-01-01T00:00:00Z', rest: object = {}): object => ({
  name,
  namespace: 'swarm',
  uid: `${name}-uid`,
  resourceVersion: '1',
  generation: 1,
  creationTimestamp: created,
  ...rest,
});

export const jobObject = ({
  name = 'lammps',
  spec = {},
  status,
  created,
  user,
}: Shape = {}): object => ({
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmJob',
  metadata: metaOf(name, created, noteOf(user)),
  spec: { queueName: 'batch', size: 2, image: 'lmp', command: ['lmp'], ...spec },
  ...(status !== undefined && { status: { observedGeneration: 1, ...status } }),
});

export const queueObject = ({ name = 'batch', spec = {}, status }: Shape = {}): object => ({
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmQueue',
  metadata: metaOf(name),
  spec: { quota: { pods: '4' }, ...spec },
  ...(status !== undefined && { status: { observedGeneration: 1, ...status } }),
});

/** An operator has looked at the queue. */
export const readyStatus = {
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Admitting',
      message: 'jobs are admitted as there is room',
      lastTransitionTime: '2026-01-01T00:00:05Z',
    },
  ],
};

const conditionAt = (type: string, status: string): object => ({
  type,
  status,
  reason: 'AsSaid',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:05Z',
});

export const statusAt = (
  state: string,
  reason: string,
  message: string,
  rest: object = {},
): object => ({
  state,
  reason,
  message,
  history: [{ state, reason, message, time: new Date(Date.now() - 180_000).toISOString() }],
  conditions: [
    conditionAt('Ready', ['Running', 'Succeeded'].includes(state) ? 'True' : 'False'),
    conditionAt('Stalled', state === 'Failed' ? 'True' : 'False'),
  ],
  ...rest,
});

export const waitingStatus = statusAt(
  'Waiting',
  'WaitingForQuota',
  'needs 2 pods, and less is free',
);

export const admissionOf = (pods: number): object => ({
  admission: {
    queue: 'batch',
    size: pods,
    requests: { pods: String(pods) },
    time: '2026-01-01T00:00:00Z',
  },
});

export const batchJobObject = (job: string, rest: object = {}, annotations = {}): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: metaOf(job, undefined, {
    uid: `${job}-batch-uid`,
    annotations: { 'k8slab.info/grant': '2', 'k8slab.info/attempt': '1', ...annotations },
    ownerReferences: [
      {
        apiVersion: 'k8slab.info/v1alpha1',
        kind: 'SwarmJob',
        name: job,
        uid: `${job}-uid`,
        controller: true,
      },
    ],
  }),
  spec: { suspend: false },
  ...rest,
});

/** Of a user, with the label of a queue. */
export const labelledJobObject = (
  { name = 'nightly', spec = {}, status }: Shape = {},
  meta = {},
) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: metaOf(name, undefined, { labels: { 'k8slab.info/queue': 'batch' }, ...meta }),
  spec: {
    suspend: true,
    parallelism: 2,
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': `${name}-uid` } },
    ...spec,
  },
  ...(status !== undefined && { status }),
});

export const podObject = (job: string, rank: number, status: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: metaOf(`${job}-${rank}-abcde`, undefined, {
    labels: { 'k8slab.info/job': job, 'k8slab.info/queue': 'batch' },
    annotations: {
      'k8slab.info/job-uid': `${job}-uid`,
      'batch.kubernetes.io/job-completion-index': String(rank),
    },
    ownerReferences: [
      { apiVersion: 'batch/v1', kind: 'Job', name: job, uid: `${job}-batch-uid`, controller: true },
    ],
  }),
  spec: { containers: [{ name: 'main' }] },
  status,
});

export const runningStatus = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True' }],
  containerStatuses: [{ name: 'main', state: { running: {} } }],
};
