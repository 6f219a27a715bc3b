// When is each job estimated to start, and why is there no estimate?
import { describe, expect, it } from '@jest/globals';
import type { WaitingJob } from '../../../../src/queue/world.ts';
import { amounts, jobOf, queueOf } from '../../../support/namespace-worlds.ts';
import { estimatesOf, type InUse, lateIn, type Scene } from '../../../support/queue-play.ts';

const MINUTE = 60;

/** "a 10s, b: job c has no deadline" */
function told({ waiting, inUse, ...over }: Scene): string {
  const { pass, starts } = estimatesOf({ waiting, inUse, ...over });
  return pass.order
    .flatMap(({ uid, name }) => {
      const until = starts.get(uid);
      if (until === undefined) return [];
      return [`${name} ${'ms' in until ? `${until.ms / 1000}s` : `: ${until.unknown}`}`];
    })
    .join(', ');
}

const runs = (name: string, pods: number, deadlineSeconds: number | undefined): InUse => ({
  name,
  queue: 'batch',
  requests: { pods },
  deadlineSeconds,
});
const waits = (name: string, size: number, over: Partial<WaitingJob> = {}): WaitingJob =>
  jobOf(name, size, {}, { deadlineSeconds: MINUTE, ...over });

/** One pod, which counts against the ResourceQuota, if there is one. */
const asks = (
  name: string,
  { cpu = 0, gpu = 0 }: { readonly cpu?: number; readonly gpu?: number },
  over: Partial<WaitingJob> = {},
): WaitingJob => {
  const charges = new Map([['all', amounts({ cpu })]]);
  return jobOf(name, 1, { cpu, gpu }, { deadlineSeconds: MINUTE, charges, ...over });
};

const strict = [queueOf({ pods: 4 }, { strategy: 'StrictFIFO' })];
const bestEffort = [queueOf({ pods: 4 })];

describe('the estimated start of a job', () => {
  it.each<[string, Scene, string]>([
    [
      'jobs of the whole quota start one after the other',
      {
        queues: bestEffort,
        inUse: [runs('r', 4, 90)],
        waiting: ['a', 'b'].map((it) => waits(it, 4)),
      },
      'a 90s, b 150s',
    ],
    [
      'a job starts when as many as it needs have ended',
      {
        queues: strict,
        inUse: [runs('r', 1, 10), runs('s', 2, 20), runs('t', 1, 30)],
        waiting: [waits('a', 3), waits('b', 1), waits('c', 4)],
      },
      'a 20s, b 30s, c 90s',
    ],
    [
      'a job that runs without a deadline is named',
      {
        queues: strict,
        inUse: [runs('r', 3, undefined), runs('s', 1, 20)],
        waiting: [waits('a', 1), waits('b', 2), waits('c', 1)],
      },
      'a 20s, b : job r has no deadline, c : job r has no deadline',
    ],
    [
      'a job that goes first and has no deadline is named',
      {
        queues: strict,
        inUse: [runs('r', 4, 20)],
        waiting: [waits('a', 4, { deadlineSeconds: undefined }), waits('b', 1)],
      },
      'a 20s, b : job a has no deadline',
    ],
    [
      'a job that can never start holds up none',
      {
        queues: bestEffort,
        inUse: [runs('r', 4, 90)],
        waiting: [waits('a', 5), waits('b', 4), waits('c', 4)],
      },
      'b 90s, c 150s',
    ],
    [
      'with BestEffort a smaller job may pass the second one that waits, and holds it up',
      {
        queues: bestEffort,
        inUse: [runs('r', 4, 20)],
        waiting: [waits('a', 2), waits('b', 2), waits('c', 1, { deadlineSeconds: 100 })],
      },
      'a 20s, b 80s, c 80s',
    ],
    [
      'with StrictFIFO none passes it',
      {
        queues: strict,
        inUse: [runs('r', 4, 20)],
        waiting: [waits('a', 2), waits('b', 2), waits('c', 1, { deadlineSeconds: 100 })],
      },
      'a 20s, b 20s, c 80s',
    ],
    [
      'a job that may pass without a deadline is named',
      {
        queues: bestEffort,
        inUse: [runs('r', 4, 20)],
        waiting: [waits('a', 3), waits('b', 4), waits('c', 1, { deadlineSeconds: undefined })],
      },
      'a 20s, b : job c, which may start first, has no deadline, c : job c, which may start first, has no deadline',
    ],
    [
      'a job that backs off starts after its pause',
      {
        queues: strict,
        inUse: [runs('r', 4, 20)],
        waiting: [waits('a', 4, { backsOffForMs: 30_000 }), waits('b', 1)],
      },
      'a 90s, b 150s',
    ],
    [
      'a ResourceQuota that other pods use up is named',
      {
        queues: [queueOf({})],
        inUse: [],
        waiting: [waits('a', 2, { charges: new Map([['all', amounts({ pods: 2 })]]) })],
        resourceQuota: { name: 'all', hard: 4, used: 3 },
      },
      'a : no job that ends gives back enough pods of ResourceQuota all',
    ],
    [
      'a job that never starts, and one of a paused queue, have none',
      {
        queues: [queueOf({ pods: 4 }), queueOf({ pods: 4 }, { name: 'off', isPaused: true })],
        inUse: [runs('r', 4, 20)],
        waiting: [waits('a', 5), waits('b', 1, { queue: 'off' }), waits('c', 1)],
      },
      'c 20s',
    ],
    [
      'a job that others pass while one before it backs off may wait for those, too',
      {
        queues: [queueOf({ cpu: 2, gpu: 3 }, { strategy: 'StrictFIFO' })],
        inUse: [{ ...runs('r', 0, 9), requests: { cpu: 2 } }],
        waiting: [
          asks('a', { gpu: 2 }, { backsOffForMs: 9_000 }),
          asks('b', { cpu: 1, gpu: 1 }),
          asks('c', { gpu: 1 }, { backsOffForMs: 1_000, deadlineSeconds: 300 }),
        ],
      },
      'a 69s, b 129s, c 129s',
    ],
    [
      'a job of another queue that is not the first there may come between',
      {
        queues: [queueOf({ gpu: 1 }), queueOf({ gpu: 2 }, { name: 'night' })],
        inUse: [
          { ...runs('r', 0, 10), requests: { gpu: 1 } },
          { ...runs('s', 0, 1), queue: 'night', requests: { gpu: 2 } },
        ],
        waiting: [
          asks('a', { gpu: 1 }, { queue: 'night' }),
          asks('b', { gpu: 1, cpu: 2 }, { queue: 'night', deadlineSeconds: 50 }),
          asks('c', { gpu: 1, cpu: 2 }),
          asks('d', { cpu: 2 }, { deadlineSeconds: 100, backsOffForMs: 500 }),
        ],
        resourceQuota: { name: 'all', hard: 4, used: 0 },
      },
      'a 1s, b 61s, c 111s, d 111s',
    ],
    [
      'a job behind one of its queue that backs off may be passed by one that asks for as much',
      {
        queues: [queueOf({}, { strategy: 'StrictFIFO' }), queueOf({}, { name: 'night' })],
        inUse: [],
        waiting: [
          asks('a', { cpu: 1 }, { backsOffForMs: 9_000 }),
          asks('b', { cpu: 2 }),
          asks('c', { cpu: 2 }, { queue: 'night', backsOffForMs: 1_000 }),
        ],
        resourceQuota: { name: 'all', hard: 3, used: 0 },
      },
      'a 69s, b 129s, c 189s',
    ],
  ])('%s', (_, scene, estimates) => {
    expect(told(scene)).toBe(estimates);
    for (const part of [1, 0.5, 0.1]) expect(lateIn(scene, () => part)).toEqual([]);
  });

  it('the first hundred of thousands of jobs in each queue have an estimate', () => {
    const queues = [queueOf({ pods: 1 }), queueOf({ pods: 1 }, { name: 'night' })];
    const waiting = Array.from({ length: 5_000 }, (_, at) =>
      waits(`job-${String(at).padStart(5, '0')}`, 1, {
        queue: at % 2 === 0 ? 'batch' : 'night',
        createdMs: at,
      }),
    );
    const { starts } = estimatesOf({ queues, inUse: [], waiting });
    expect(starts.size).toBe(200);
    expect(starts.get('job-00200')).toEqual({ ms: 100 * MINUTE * 1000 });
    expect(starts.has('job-00202')).toBe(false);
  });

  it('with hundreds of distinct jobs, no start time is estimated for jobs that others may pass', () => {
    const waiting = Array.from({ length: 300 }, (_, at) =>
      waits(`job-${String(at).padStart(5, '0')}`, 2, { deadlineSeconds: at + 1, createdMs: at }),
    );
    const scene = { queues: bestEffort, inUse: [runs('r', 4, 20)], waiting };
    expect(told(scene)).toMatch(
      /^job-00000 20s, job-00001 : too many different jobs may start first, /,
    );
  });
});

it('a world without a job has no estimate', () =>
  expect(told({ queues: strict, inUse: [], waiting: [] } satisfies Scene)).toBe(''));
