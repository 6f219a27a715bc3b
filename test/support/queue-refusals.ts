// Which SwarmQueues does the API server refuse, and with which messages? swarmctl validate refuses
// the same offline.
import type { Refused, Spec } from './refusals.ts';

const queue = (more: object): Spec => ({ quota: { pods: '20', cpu: '16' }, ...more });

const quota = (more: object): Spec => ({ quota: more });

/** Each row is a whole spec. */
export const queueRefusals: readonly Refused[] = [
  ['no quota', {}, 'spec.quota: Required value', "spec: must have required property 'quota'"],
  [
    'a quantity in words',
    quota({ cpu: 'many' }),
    'is no quantity; one of 0 or more is allowed, such as 16, "500m" or "64Gi"',
  ],
  ['an empty quantity', quota({ cpu: '' }), 'is no quantity; one of 0 or more is allowed'],
  [
    'a quantity with a space',
    quota({ memory: '64 Gi' }),
    'is no quantity; one of 0 or more is allowed',
  ],
  [
    'a quantity with an unknown unit',
    quota({ memory: '64GB' }),
    'is no quantity; one of 0 or more is allowed',
  ],
  [
    'a negative quantity',
    quota({ cpu: '-500m' }),
    'is negative; a quantity of 0 or more is allowed',
  ],
  [
    'a negative quantity as a number',
    quota({ pods: -1 }),
    'is negative; a quantity of 0 or more is allowed',
  ],
  [
    'a quantity that is a list',
    quota({ cpu: ['1'] }),
    'spec.quota.cpu in body must be of type integer,string: "array"',
    'spec.quota.cpu: must be integer or string',
  ],
  [
    'a resource as a ResourceQuota names it',
    quota({ 'requests.cpu': '16' }),
    "a resource is named as in a pod's requests, cpu and not requests.cpu; there is no quota of limits. Not allowed: requests.cpu",
  ],
  [
    'a quota of limits',
    quota({ cpu: '1', 'limits.memory': '64Gi' }),
    "a resource is named as in a pod's requests, cpu and not requests.cpu; there is no quota of limits. Not allowed: limits.memory",
  ],
  [
    'a resource that nothing can be called',
    quota({ 'cpu cores': '16' }),
    'a resource has a name such as "cpu" or "nvidia.com/gpu". Not allowed: cpu cores',
  ],
  [
    'more than 15 resources',
    quota(Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`example.org/r${at}`, '1']))),
    'spec.quota: Too many: 16: must have at most 15 items',
    'spec.quota: must NOT have more than 15 properties',
  ],
  [
    'an unknown strategy',
    queue({ strategy: 'Fifo' }),
    'spec.strategy: Unsupported value: "Fifo"',
    'spec.strategy: must be equal to one of the allowed values: ["StrictFIFO","BestEffort"]',
  ],
  [
    'a priority that is too high',
    queue({ maxPriority: 1_000_001 }),
    'spec.maxPriority in body should be less than or equal to 1000000',
    'spec.maxPriority: must be <= 1000000',
  ],
  [
    'a priority that is too low',
    queue({ jobDefaults: { priority: -1_000_001 } }),
    'spec.jobDefaults.priority in body should be greater than or equal to -1000000',
    'spec.jobDefaults.priority: must be >= -1000000',
  ],
  [
    'jobs above its own highest priority',
    queue({ jobDefaults: { priority: 1 } }),
    'jobDefaults.priority is larger than maxPriority; each is 0 where it is left out',
  ],
  [
    'no time to run',
    queue({ maxActiveDeadlineSeconds: 0 }),
    'spec.maxActiveDeadlineSeconds in body should be greater than or equal to 1',
    'spec.maxActiveDeadlineSeconds: must be >= 1',
  ],
  [
    'jobs that run longer than its own limit',
    queue({ jobDefaults: { activeDeadlineSeconds: 61 }, maxActiveDeadlineSeconds: 60 }),
    'jobDefaults.activeDeadlineSeconds is larger than maxActiveDeadlineSeconds',
  ],
  [
    'a signal before the start of its jobs',
    queue({ jobDefaults: { activeDeadlineSeconds: 60, deadlineSignalSeconds: 60 } }),
    'jobDefaults.deadlineSignalSeconds has to be smaller than jobDefaults.activeDeadlineSeconds',
  ],
  [
    'a signal before the start of any job that it allows',
    queue({ jobDefaults: { deadlineSignalSeconds: 60 }, maxActiveDeadlineSeconds: 60 }),
    'jobDefaults.deadlineSignalSeconds has to be smaller than maxActiveDeadlineSeconds',
  ],
  [
    'a signal of more than a day',
    queue({ jobDefaults: { deadlineSignalSeconds: 86_401 } }),
    'spec.jobDefaults.deadlineSignalSeconds in body should be less than or equal to 86400',
    'spec.jobDefaults.deadlineSignalSeconds: must be <= 86400',
  ],
  [
    'jobs that are gone before they have ended',
    queue({ jobDefaults: { ttlSecondsAfterFinished: -1 } }),
    'spec.jobDefaults.ttlSecondsAfterFinished in body should be greater than or equal to 0',
    'spec.jobDefaults.ttlSecondsAfterFinished: must be >= 0',
  ],
  [
    'preemption of any job of its own',
    queue({ preemption: { withinQueue: 'Any' } }),
    'spec.preemption.withinQueue: Unsupported value: "Any"',
    'spec.preemption.withinQueue: must be equal to one of the allowed values',
  ],
];
