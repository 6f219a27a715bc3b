// Through what does every fault have to be lived? Short stories of user actions, one for each state
// of queues and jobs.
import type { Random } from '../random.ts';
import type { Placed } from '../story/story.ts';
import { jobSpec, type PlainSpec } from './manifests.ts';
import type { QueueAction, QueueStory } from './story.ts';
import type { Work } from './work.ts';

export const queueStateNames = [
  'a gang from its start to its end',
  'two gangs, and room for one',
  'a gang that starts together',
  'a gang with keys is retried',
  'a gang with a leader',
  'suspended and resumed',
  'deleted and re-created in mid-start',
  'a rank fails, and the job is retried',
  'it never starts',
  'a labelled batch Job',
  'a labelled batch Job is scaled up',
  'the quota is lowered and raised',
  'paused, and its queue made anew',
  'a deadline and a time to live',
] as const;
export type QueueStateName = (typeof queueStateNames)[number];

const at = (atMs: number, action: QueueAction): Placed<QueueAction> => ({ ...action, atMs });

const job = (name: string, size: number, work: Work, over: object = {}): QueueAction => ({
  do: 'createJob',
  name,
  spec: jobSpec('q0', size, '1', work, over),
});

const plain = (name: string, over: Partial<PlainSpec> = {}): QueueAction => ({
  do: 'createPlain',
  name,
  spec: { queue: 'q0', parallelism: 2, completions: 3, cpu: '1', work: { forMs: 700 }, ...over },
});

const states: Readonly<Record<QueueStateName, (random: Random) => readonly Placed<QueueAction>[]>> =
  {
    'a gang from its start to its end': () => [at(0, job('j0', 2, { forMs: 1_500 }))],
    'two gangs, and room for one': (random) => [
      at(0, job('j0', 2, { forMs: 1_000 })),
      at(random.between(0, 300), job('j1', 2, { forMs: 800 })),
    ],
    'a gang that starts together': () => [
      at(0, job('j0', 3, { forMs: 800 }, { launcher: { start: 'Together' } })),
    ],
    'a gang with keys is retried': (random) => {
      const launcher = { type: random.pick(['MPI', 'Flux']) };
      return [at(0, job('j0', 2, { forMs: 900, failsFirst: 1 }, { launcher }))];
    },
    'a gang with a leader': (random) => [
      at(0, job('j0', 3, { forMs: 900, endsInMs: 300 }, { launcher: { type: 'Leader' } })),
      at(random.between(300, 2_500), { do: 'pod', name: 'j0', rank: 1, how: 'evict' }),
    ],
    'suspended and resumed': (random) => [
      at(0, job('j0', 2, { forMs: 1_500, endsInMs: 400 })),
      at(random.between(20, 1_200), { do: 'job', name: 'j0', patch: { suspend: true } }),
      at(random.between(1_300, 2_500), { do: 'job', name: 'j0', patch: { suspend: false } }),
    ],
    'deleted and re-created in mid-start': (random) => [
      at(0, job('j0', 2, { forMs: 1_000 })),
      at(random.between(5, 300), { do: 'deleteJob', name: 'j0' }),
      at(random.between(300, 400), job('j0', 2, { forMs: 1_000 })),
    ],
    'a rank fails, and the job is retried': () => [
      at(0, job('j0', 2, { forMs: 900, failsFirst: 1 })),
    ],
    'it never starts': () => [
      at(0, job('j0', 2, { never: 'started' }, { startTimeoutSeconds: 1, retries: { other: 1 } })),
      at(100, job('j1', 1, { forMs: 500 })),
    ],
    'a labelled batch Job': (random) => [
      at(0, plain('p0')),
      at(random.between(0, 100), job('j0', 2, { forMs: 600 })),
      at(random.between(200, 1_500), { do: 'plain', name: 'p0', how: 'suspend', queue: 'q0' }),
    ],
    'a labelled batch Job is scaled up': (random) => [
      at(0, plain('p0', { work: {} })),
      at(random.between(0, 100), job('j0', 1, { forMs: 600 })),
      at(random.between(5, 600), { do: 'plain', name: 'p0', how: 'scaleUp', queue: 'q0' }),
    ],
    'the quota is lowered and raised': (random) => [
      at(0, job('j0', 2, { forMs: 1_500 })),
      at(random.between(5, 900), { do: 'queue', name: 'q0', patch: { quota: { pods: '1' } } }),
      at(random.between(5, 900), job('j1', 2, { forMs: 600 })),
      at(2_500, { do: 'queue', name: 'q0', patch: { quota: { pods: '3' } } }),
    ],
    'paused, and its queue made anew': (random) => [
      at(0, { do: 'annotateQueue', name: 'q0', paused: 'true' }),
      at(10, job('j0', 2, { forMs: 900 })),
      at(random.between(100, 400), { do: 'deleteQueue', name: 'q0' }),
      at(random.between(600, 900), {
        do: 'createQueue',
        name: 'q0',
        spec: { quota: { pods: '2' } },
      }),
    ],
    'a deadline and a time to live': () => [
      at(0, job('j0', 2, {}, { activeDeadlineSeconds: 2, ttlSecondsAfterFinished: 1 })),
      at(100, job('j1', 2, { forMs: 500 }, { ttlSecondsAfterFinished: 0 })),
    ],
  };

export const queueStoryOf = (state: QueueStateName, seed: number, random: Random): QueueStory => ({
  seed,
  queues: {
    q0: { quota: { pods: '3', cpu: '3' }, strategy: random.pick(['BestEffort', 'StrictFIFO']) },
  },
  hasStandby: false,
  actions: states[state](random),
  faults: [],
});
