// Which SwarmJobs does the API server refuse, and with which messages? swarmctl validate refuses
// the same offline.
import type { Refused, Spec } from './refusals.ts';

export const jobSpec = (more: object = {}): Spec => ({
  queueName: 'batch',
  image: 'busybox',
  command: ['true'],
  ...more,
});

const flux = (more: object = {}): Spec => ({
  queueName: 'batch',
  image: 'busybox',
  size: 2,
  launcher: { type: 'Flux' },
  ...more,
});

const requests = (more: object): Spec => jobSpec({ resources: { requests: more } });

const podSpec = (more: object): Spec => jobSpec({ template: { spec: more } });

const main = (more: object): Spec => podSpec({ containers: [{ name: 'main', ...more }] });

const launcher = (more: object): Spec => jobSpec({ size: 2, launcher: more });

const OWNED = 'leave out of template.spec what the operator sets:';
const TWICE = 'given twice, here and in the container main of template.spec.containers:';

/** Each row is a whole spec. */
export const jobRefusals: readonly Refused[] = [
  [
    'no queue',
    { image: 'busybox', command: ['true'] },
    'spec.queueName: Required value',
    "spec: must have required property 'queueName'",
  ],
  [
    'a queue that cannot be',
    jobSpec({ queueName: 'Batch' }),
    "spec.queueName in body should match '^[a-z0-9]",
    'spec.queueName: must match pattern',
  ],
  [
    'no pod',
    jobSpec({ size: 0 }),
    'spec.size in body should be greater than or equal to 1',
    'spec.size: must be >= 1',
  ],
  [
    'more than 5000 pods',
    jobSpec({ size: 5001 }),
    'spec.size in body should be less than or equal to 5000',
    'spec.size: must be <= 5000',
  ],
  [
    'half a pod',
    jobSpec({ size: 1.5 }),
    'spec.size in body must be of type integer: "number"',
    'spec.size: must be integer',
  ],
  [
    'no image',
    { queueName: 'batch', command: ['true'] },
    'image is missing: give it here, or in the container main of template.spec.containers',
  ],
  [
    'an image of a container that is not main',
    {
      queueName: 'batch',
      command: ['true'],
      template: { spec: { containers: [{ name: 'other', image: 'busybox' }] } },
    },
    'image is missing: give it here, or in the container main of template.spec.containers',
  ],
  [
    'no command',
    { queueName: 'batch', image: 'busybox' },
    'command is missing: it may be left out with launcher.type Flux only, and the type is None',
  ],
  [
    'an empty command',
    jobSpec({ size: 2, command: [], launcher: { type: 'MPI' } }),
    'command is missing: it may be left out with launcher.type Flux only, and the type is MPI',
  ],
  [
    'Flux without a command and a deadline',
    flux(),
    'without a command, launcher.type Flux needs activeDeadlineSeconds: its brokers stay up until then',
  ],
  [
    'Flux with arguments of no command',
    flux({ activeDeadlineSeconds: 60, args: ['-v'] }),
    'args are those of command, which is missing',
  ],
  [
    'a variable twice',
    jobSpec({ env: [{ name: 'A' }, { name: 'A', value: 'x' }] }),
    'spec.env[1]: Duplicate value: {"name":"A"}',
  ],
  [
    'a request in words',
    requests({ cpu: 'two' }),
    'is no quantity; one of 0 or more is allowed, such as 16, "500m" or "64Gi"',
  ],
  [
    'a negative request',
    requests({ 'nvidia.com/gpu': '-1' }),
    'is negative; a quantity of 0 or more is allowed',
  ],
  [
    'a deadline of no time',
    jobSpec({ activeDeadlineSeconds: 0 }),
    'spec.activeDeadlineSeconds in body should be greater than or equal to 1',
    'spec.activeDeadlineSeconds: must be >= 1',
  ],
  [
    'a signal before the start',
    jobSpec({ activeDeadlineSeconds: 60, deadlineSignalSeconds: 60 }),
    'deadlineSignalSeconds is 60, and activeDeadlineSeconds is 60: the signal has to come after the start',
  ],
  [
    'pods that outlive the deadline',
    jobSpec({
      deadlineSignalSeconds: 60,
      template: { spec: { terminationGracePeriodSeconds: 61 } },
    }),
    'template.spec.terminationGracePeriodSeconds is 61, and deadlineSignalSeconds is 60: the pods would outlive the deadline',
  ],
  [
    'a grace period in words',
    jobSpec({ template: { spec: { terminationGracePeriodSeconds: '60s' } } }),
    'spec.template.spec.terminationGracePeriodSeconds in body must be of type integer: "string"',
    'spec.template.spec.terminationGracePeriodSeconds: must be integer',
  ],
  [
    'a negative signal',
    jobSpec({ deadlineSignalSeconds: -1 }),
    'spec.deadlineSignalSeconds in body should be greater than or equal to 0',
    'spec.deadlineSignalSeconds: must be >= 0',
  ],
  [
    'a signal of more than a day',
    jobSpec({ deadlineSignalSeconds: 86_401 }),
    'spec.deadlineSignalSeconds in body should be less than or equal to 86400',
    'spec.deadlineSignalSeconds: must be <= 86400',
  ],
  [
    'a priority that is too low',
    jobSpec({ priority: -1_000_001 }),
    'spec.priority in body should be greater than or equal to -1000000',
    'spec.priority: must be >= -1000000',
  ],
  [
    'too many retries',
    jobSpec({ retries: { application: 1001 } }),
    'spec.retries.application in body should be less than or equal to 1000',
    'spec.retries.application: must be <= 1000',
  ],
  [
    'a negative limit as a number',
    jobSpec({ resources: { limits: { memory: -4 } } }),
    'is negative; a quantity of 0 or more is allowed',
  ],
  ['a restart policy', podSpec({ restartPolicy: 'Never' }), `${OWNED} restartPolicy`],
  [
    'fields of the Service and the Job',
    podSpec({ hostname: 'a', subdomain: 'b', parallelism: 2, completionMode: 'NonIndexed' }),
    `${OWNED} hostname subdomain parallelism completionMode`,
  ],
  [
    'other names of hosts',
    podSpec({ setHostnameAsFQDN: true, hostnameOverride: 'a', completions: 2, backoffLimit: 1 }),
    `${OWNED} setHostnameAsFQDN hostnameOverride completions backoffLimit`,
  ],
  [
    'a container twice',
    podSpec({ containers: [{ name: 'main' }, { name: 'main' }] }),
    'spec.template.spec.containers[1]: Duplicate value: {"name":"main"}',
  ],
  [
    'a container without a name',
    podSpec({ containers: [{ image: 'busybox' }] }),
    'spec.template.spec.containers[0].name: Required value',
    "spec.template.spec.containers[0]: must have required property 'name'",
  ],
  ['an image in the template, too', main({ image: 'busybox' }), `${TWICE} image`],
  [
    'all of the shorthand in the template, too',
    {
      ...jobSpec({ args: [], workingDir: '/', env: [], resources: {} }),
      template: {
        spec: {
          containers: [
            { name: 'sidecar', image: 'busybox' },
            {
              name: 'main',
              image: 'busybox',
              command: ['false'],
              args: [],
              workingDir: '/',
              env: [],
              resources: {},
            },
          ],
        },
      },
    },
    `${TWICE} image command args workingDir env resources`,
  ],
  [
    'a label of the operator',
    jobSpec({ template: { metadata: { labels: { app: 'a', 'k8slab.info/job': 'b' } } } }),
    'template.metadata.labels has k8slab.info/job: labels that begin with k8slab.info/ belong to the operator',
  ],
  [
    'an annotation of the operator',
    jobSpec({ template: { metadata: { annotations: { 'k8slab.info/x': 'b' } } } }),
    'template.metadata.annotations has k8slab.info/x: annotations that begin with k8slab.info/ belong to the operator',
  ],
  [
    'an unknown launcher',
    launcher({ type: 'Slurm' }),
    'spec.launcher.type: Unsupported value: "Slurm"',
    'spec.launcher.type: must be equal to one of the allowed values',
  ],
  [
    'tasks without MPI or Flux',
    launcher({ tasks: 8 }),
    'launcher.tasks is for launcher.type MPI and Flux, and the type is None: leave it out',
  ],
  [
    'a port without MPI or Flux',
    launcher({ type: 'Leader', port: 2222 }),
    'launcher.port is for launcher.type MPI and Flux, and the type is Leader: leave it out',
  ],
  [
    'a command of workers without Leader',
    launcher({ type: 'MPI', workerCommand: ['true'] }),
    'launcher.workerCommand is for launcher.type Leader, and the type is MPI: leave it out',
  ],
  [
    'a port that only root may use',
    launcher({ type: 'MPI', port: 22 }),
    'spec.launcher.port in body should be greater than or equal to 1024',
    'spec.launcher.port: must be >= 1024',
  ],
  [
    'no task',
    launcher({ type: 'MPI', tasks: 0 }),
    'spec.launcher.tasks in body should be greater than or equal to 1',
    'spec.launcher.tasks: must be >= 1',
  ],
  [
    'more ranks than may start together',
    jobSpec({ size: 1001, launcher: { type: 'Leader' } }),
    'size is 1001: at most 1000 ranks start together, since each gets the addresses of all; set launcher.start to Separately',
    'size is 1001: at most 1000 ranks start together, since each gets the addresses of all; set launcher.start to Separately',
  ],
  [
    'one rank with MPI',
    jobSpec({ size: 1, launcher: { type: 'MPI' } }),
    'size is 1: launcher.type MPI and Flux need at least two ranks; on one rank mpirun and flux start work without a launcher',
  ],
  [
    'MPI whose ranks start separately',
    jobSpec({ size: 2, launcher: { type: 'MPI', start: 'Separately' } }),
    'launcher.start is Separately: launcher.type MPI and Flux start together, leave it out',
  ],
  [
    'one rank with Flux',
    flux({ size: 1, command: ['true'] }),
    'size is 1: launcher.type MPI and Flux need at least two ranks; on one rank mpirun and flux start work without a launcher',
  ],
  [
    'Flux whose ranks start separately',
    flux({ command: ['true'], launcher: { type: 'Flux', start: 'Separately' } }),
    'launcher.start is Separately: launcher.type MPI and Flux start together, leave it out',
  ],
  [
    'a priority that is too high',
    jobSpec({ priority: 1_000_001 }),
    'spec.priority in body should be less than or equal to 1000000',
    'spec.priority: must be <= 1000000',
  ],
  [
    'a deadline of more than a year',
    jobSpec({ activeDeadlineSeconds: 31_536_001 }),
    'spec.activeDeadlineSeconds in body should be less than or equal to 31536000',
    'spec.activeDeadlineSeconds: must be <= 31536000',
  ],
  [
    'no time to start',
    jobSpec({ startTimeoutSeconds: 0 }),
    'spec.startTimeoutSeconds in body should be greater than or equal to 1',
    'spec.startTimeoutSeconds: must be >= 1',
  ],
  [
    'less than no retries',
    jobSpec({ retries: { application: -1 } }),
    'spec.retries.application in body should be greater than or equal to 0',
    'spec.retries.application: must be >= 0',
  ],
  [
    'a back-off of more than an hour',
    jobSpec({ backoffSeconds: 3601 }),
    'spec.backoffSeconds in body should be less than or equal to 3600',
    'spec.backoffSeconds: must be <= 3600',
  ],
];
