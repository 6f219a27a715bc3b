// What if users do anything in any order? Queues and jobs of any kind, and all that can be done to
// them and to what the operator made.
import type { Random } from '../random.ts';
import type { Placed } from '../story/story.ts';
import { episode } from './episodes.ts';
import { jobSpec } from './manifests.ts';
import { queueEdits, queueSpec } from './queue-specs.ts';
import {
  batchJobEdits,
  ledgerEdits,
  plainEdits,
  podEdits,
  type QueueAction,
  type QueueStory,
} from './story.ts';
import { maxPerUser, userOf } from './users.ts';
import type { Work } from './work.ts';

const LAST_MS = 15_000;
const JOBS = ['j0', 'j1', 'j2', 'j3', 'j4', 'j5'] as const;
const QUEUES = ['q0', 'q1'] as const;
const PLAIN = ['p0', 'p1', 'p2'] as const;

export function queueWalk(seed: number, random: Random): QueueStory {
  const names = QUEUES.slice(0, random.between(1, 2));
  const queues = Object.fromEntries(names.map((name) => [name, queueSpec(random)]));
  const lastMs = random.chance(0.2) ? 60_000 : LAST_MS;
  const count = random.between(3, 16);
  const actions = [
    ...JOBS.slice(0, random.between(1, 5)).map((name) => ({
      ...createJob(random, name),
      atMs: random.between(0, 3_000),
    })),
    ...Array.from({ length: count }, () => ({
      ...step(random),
      atMs: random.between(0, lastMs),
    })),
    ...(random.chance(0.5) ? crowd(random) : []),
    ...(random.chance(0.4) ? burst(random, lastMs) : []),
    ...(random.chance(0.15) ? limits(random, lastMs) : []),
    ...(random.chance(0.1) ? webhook(random, lastMs) : []),
    ...(random.chance(0.2)
      ? [{ do: 'resourceQuota' as const, hard: hard(random), atMs: random.between(0, 2_000) }]
      : []),
    ...Array.from({ length: random.between(0, 3) }, () =>
      episode(random, createJob, random.between(500, lastMs)),
    ).flat(),
  ];
  const endsMs = Math.max(...actions.map(({ atMs }) => atMs)) + 1_000;
  return {
    seed,
    queues,
    isWalk: true,
    hasStandby: false,
    startsEmpty: random.chance(0.15),
    actions: [...actions, ...mends(random, endsMs)],
    faults: [],
  };
}

/**
 * Some of what stands still runs on. A batch Job that never starts is not queued again for ever.
 */
function mends(random: Random, atMs: number): readonly Placed<QueueAction>[] {
  const patch = { jobDefaults: null, ...(random.chance(0.5) && { paused: null }) };
  return QUEUES.map((name) => ({ do: 'queue', name, patch, atMs, mends: true }));
}

/** Many small jobs that wait for one another. */
function crowd(random: Random): readonly Placed<QueueAction>[] {
  const quota = random.pick<object>([{ pods: '3' }, { cpu: '4' }, { pods: '4', cpu: '3' }]);
  const strategy = random.pick(['BestEffort', 'StrictFIFO']);
  const forUser = random.chance(0.3) && { maxPerUser: maxPerUser(random) };
  const preemption = { withinQueue: random.pick(['Never', 'LowerPriority']) };
  const jobs = Array.from({ length: random.between(5, 10) }, (_, index) => ({
    do: 'createJob' as const,
    name: `k${index}`,
    spec: jobSpec(
      'q0',
      random.between(1, 3),
      random.pick(['500m', '1']),
      { forMs: random.between(500, 6_000) },
      { priority: random.between(0, 3) },
    ),
    ...userOf(random),
    atMs: random.between(0, 6_000),
  }));
  return [
    { do: 'queue', name: 'q0', patch: { quota: { cpu: null, pods: null }, strategy }, atMs: 0 },
    {
      do: 'queue',
      name: 'q0',
      patch: { quota, strategy, preemption, maxPriority: 5, ...forUser },
      atMs: 1,
    },
    ...jobs,
  ];
}

/** As CronJobs make them: several batch Jobs at the same moment, and again after a while. */
function burst(random: Random, lastMs: number): readonly Placed<QueueAction>[] {
  const count = random.between(1, 4);
  const fromMs = random.between(0, lastMs / 2);
  return Array.from({ length: count }, (_, index) => ({
    ...createPlain(random, `p${index}`),
    atMs: fromMs + random.between(0, 20),
  })).flatMap((action) => [
    action,
    ...(random.chance(0.5)
      ? [{ ...editPlain(random, action.name), atMs: action.atMs + random.between(0, 6_000) }]
      : []),
  ]);
}

/** Changed in flight. */
const limits = (random: Random, lastMs: number): readonly Placed<QueueAction>[] =>
  Array.from({ length: random.between(1, 3) }, () => ({
    do: 'limitRange',
    ...(random.chance(0.7) && { defaultCpu: random.pick(['250m', '500m', '2']) }),
    ...(random.chance(0.3) && { maxCpu: random.pick(['500m', '1', '2']) }),
    atMs: random.between(0, lastMs),
  }));

function webhook(random: Random, lastMs: number): readonly Placed<QueueAction>[] {
  const atMs = random.between(0, lastMs / 2);
  return [
    { do: 'webhook', adds: random.pick(['100m', '500m']), atMs },
    ...(random.chance(0.5)
      ? [{ do: 'webhook' as const, atMs: atMs + random.between(0, 5_000) }]
      : []),
  ];
}

const createPlain = (random: Random, name: string) => ({
  do: 'createPlain' as const,
  name,
  spec: {
    queue: random.pick(['q0', 'q0', 'q1']),
    parallelism: random.between(1, 3),
    completions: random.between(1, 4),
    ...(random.chance(0.9) && { cpu: random.pick(['250m', '500m', '1']) }),
    work: endingWork(random),
    ...(random.chance(0.1) && { isStarted: true }),
    ...(random.chance(0.3) && { isIndexed: true }),
    ...(random.chance(0.1) && { activeDeadlineSeconds: random.between(1, 5) }),
    ...userOf(random),
  },
});

const editPlain = (random: Random, name: string): QueueAction => ({
  do: 'plain',
  name,
  how: random.pick(plainEdits),
  queue: random.pick(QUEUES),
});

const createJob = (random: Random, name: string): QueueAction => ({
  do: 'createJob',
  name,
  spec: jobSpec(
    random.pick(['q0', 'q0', 'q0', 'q1']),
    random.pick([1, 1, 2, 2, 3, 4, 5]),
    random.chance(0.15) ? undefined : random.pick(['500m', '1', '1', '2']),
    workOf(random),
    extras(random),
  ),
  ...userOf(random),
});

function workOf(random: Random): Work {
  return {
    ...(random.chance(0.8) && { forMs: random.between(300, 8_000) }),
    ...(random.chance(0.15) && { exitCode: random.between(1, 3) }),
    ...(random.chance(0.15) && { failsFirst: random.between(1, 2) }),
    ...(random.chance(0.1) && { never: random.pick(['bound', 'started'] as const) }),
    ...(random.chance(0.2) && { endsInMs: random.between(500, 5_000) }),
    ...(random.chance(0.3) && { endsWell: true }),
    ...(random.chance(0.1) && { readyInMs: random.between(500, 7_000) }),
  };
}

/** With a sidecar, which may request nothing, or with resources of the pod as a whole. */
const template = (random: Random): object => ({
  spec: {
    terminationGracePeriodSeconds: 3,
    ...random.pick<object>([
      { initContainers: [sidecar({ requests: { cpu: '250m' } })] },
      { initContainers: [sidecar({})] },
      { resources: { requests: { cpu: '3' } } },
      { resources: { requests: { memory: '1Gi' }, limits: { cpu: '4' } } },
    ]),
  },
});

const sidecar = (resources: object): object => ({
  name: 'proxy',
  image: 'example.org/proxy',
  restartPolicy: 'Always',
  ...(Object.keys(resources).length > 0 && { resources }),
});

/** One that fails at first does not go on for ever then. */
function endingWork(random: Random): Work {
  const work = workOf(random);
  return work.failsFirst === undefined ? work : { forMs: random.between(300, 2_000), ...work };
}

const launchers = [
  { start: 'Together' },
  { type: 'Leader' },
  { type: 'Leader', start: 'Separately' },
  { type: 'MPI', tasks: 4 },
  { type: 'Flux' },
] as const;

const extras = (random: Random): object => ({
  ...(random.chance(0.4) && { launcher: random.pick<object>(launchers) }),
  ...(random.chance(0.15) && { template: template(random) }),
  ...(random.chance(0.3) && { priority: random.between(-1, 5) }),
  ...(random.chance(0.15) && { suspend: true }),
  ...(random.chance(0.3) && { startTimeoutSeconds: random.between(1, 5) }),
  ...(random.chance(0.15) && { activeDeadlineSeconds: random.between(1, 6) }),
  ...(random.chance(0.15) && { deadlineSignalSeconds: random.between(0, 4) }),
  ...(random.chance(0.1) && {
    activeDeadlineSeconds: random.between(4, 9),
    deadlineSignalSeconds: 3,
  }),
  ...(random.chance(0.15) && { ttlSecondsAfterFinished: random.between(0, 5) }),
  ...(random.chance(0.4) && {
    retries: { application: random.between(0, 2), other: random.between(0, 3) },
  }),
});

const madeUp: readonly object[] = [
  { state: 'Running', reason: 'AllRanksRunning' },
  { state: 'Succeeded', reason: 'Completed' },
  { state: 'Waiting', reason: 'Queued' },
  { state: 'Failed', reason: 'CommandFailed' },
  { state: 'Suspended', reason: 'SuspendRequested' },
  { state: 'Suspending', reason: 'StartTimedOut' },
  { failures: { application: 7, image: 0, start: 0, disruption: 0 } },
  { attempt: 9 },
];

function step(random: Random): QueueAction {
  const name = random.pick(JOBS);
  const queue = random.pick(QUEUES);
  switch (random.between(0, 25)) {
    case 0:
      return { do: 'createQueue', name: queue, spec: queueSpec(random) };
    case 1:
    case 2:
      return { do: 'queue', name: queue, patch: { quota: { pods: String(random.between(0, 6)) } } };
    case 3:
      return { do: 'queue', name: queue, patch: { paused: random.chance(0.5) } };
    case 4:
      return { do: 'deleteQueue', name: queue };
    case 5:
    case 6:
    case 7:
      return createJob(random, name);
    case 8:
    case 9:
      return { do: 'job', name, patch: { suspend: random.chance(0.5) } };
    case 10:
      return { do: 'job', name, patch: random.pick(edits)(random) };
    case 11:
    case 12:
      return { do: 'deleteJob', name };
    case 13:
      return { do: 'ledger', how: random.pick(ledgerEdits) };
    case 14:
      return { do: 'batchJob', name, how: random.pick(batchJobEdits) };
    case 15:
    case 16:
      return { do: 'pod', name, rank: random.between(0, 2), how: random.pick(podEdits) };
    case 17:
      return { do: 'status', name, ...(random.chance(0.5) && { status: random.pick(madeUp) }) };
    case 18:
      return random.chance(0.5)
        ? { do: 'loseNode', index: random.between(0, 2), forMs: random.between(500, 15_000) }
        : { do: 'deleteChild', name, kind: random.pick(['Service', 'ConfigMap'] as const) };
    case 19:
      return createPlain(random, random.pick(PLAIN));
    case 20:
      return editPlain(random, random.pick(PLAIN));
    case 21:
      return random.chance(0.5)
        ? { do: 'annotateQueue', name: queue, ...(random.chance(0.6) && { paused: 'true' }) }
        : { do: 'queue', name: queue, patch: random.pick(queueEdits)(random) };
    case 22:
      return {
        do: 'queue',
        name: queue,
        patch: { maxPerUser: random.chance(0.4) ? null : maxPerUser(random) },
      };
    case 23:
      return { do: 'user', name: random.pick([...JOBS, ...PLAIN]), ...userOf(random) };
    default:
      return random.chance(0.5)
        ? { do: 'restartOperator' }
        : { do: 'resourceQuota', ...(random.chance(0.6) && { hard: hard(random) }) };
  }
}

const hard = (random: Random): object =>
  random.pick<object>([
    { pods: String(random.between(1, 6)) },
    { 'requests.cpu': String(random.between(1, 6)) },
  ]);

const edits: readonly ((random: Random) => object)[] = [
  (random) => ({ size: random.between(1, 5) }),
  (random) => ({ queueName: random.pick(QUEUES) }),
  (random) => ({ priority: random.between(-1, 5) }),
  (random) => ({ activeDeadlineSeconds: random.between(2, 9) }),
  (random) => ({ deadlineSignalSeconds: random.pick([0, 3, 4, null]) }),
  (random) => ({ ttlSecondsAfterFinished: random.pick([0, 1, 5, null]) }),
  (random) => ({ startTimeoutSeconds: random.between(1, 6) }),
  (random) => ({ retries: { application: random.between(0, 2), other: random.between(0, 3) } }),
  (random) => ({ launcher: random.chance(0.3) ? null : random.pick<object>(launchers) }),
  (random) => ({ image: `example.org/sim:${random.between(1, 9)}` }),
];
