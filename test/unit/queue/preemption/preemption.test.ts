// Which jobs have to end for one of higher priority, and what becomes of the room that they leave?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { admit, type InUse } from '../../../../src/queue/admit.ts';
import { boundOfQueue } from '../../../../src/queue/order/bounds.ts';
import { estimateStarts } from '../../../../src/queue/order/estimate.ts';
import { demandFor } from '../../../../src/queue/order/free-quota.ts';
import { whyText } from '../../../../src/queue/why.ts';
import type { NamespaceWorld, Queue, RunningJob, WaitingJob } from '../../../../src/queue/world.ts';
import { amounts, jobOf, queueOf, worldOf } from '../../../support/namespace-worlds.ts';

const ONE = 10n ** 9n;

type Runs = Pick<RunningJob, 'name' | 'priority' | 'sinceMs'> & { readonly pods: number };
const runs = (name: string, priority: number, pods = 1, sinceMs = 0): Runs => ({
  ...{ name, priority, pods, sinceMs },
});
const waits = (name: string, priority: number, size = 1, over: Partial<WaitingJob> = {}) =>
  jobOf(name, size, {}, { priority, ...over });

const preempting = (pods: number, over: Partial<Queue> = {}): Queue =>
  queueOf({ pods }, { preempts: true, maxPriority: 100, ...over });

type Scene = {
  readonly running: readonly Runs[];
  readonly waiting: readonly WaitingJob[];
  readonly queues: readonly Queue[];
  readonly over?: Partial<NamespaceWorld>;
  /** Names of jobs that were told to end, and still have their pods. */
  readonly ending?: readonly string[];
};

function passOf({ running, waiting, queues, over, ending = [] }: Scene) {
  const world = worldOf(queues, waiting, {
    living: running.map(({ name, pods }) => ({
      ...{ uid: name, name, queue: 'batch', requests: amounts({ pods }) },
    })),
    running: running
      .filter(({ name }) => !ending.includes(name))
      .map((it) => ({ ...it, uid: it.name, queue: 'batch' })),
    ending: new Set(ending),
    ...over,
  });
  const inUse = running.map(
    ({ name, pods }): InUse => ({
      uid: name,
      holds: [demandFor(boundOfQueue('batch'), 'pods', BigInt(pods) * ONE)],
      until: { unknown: `job ${name} has no deadline` },
    }),
  );
  return { world, inUse, pass: admit(world, () => inUse) };
}

/** "a b -> urgent" */
const ended = (scene: Scene): string =>
  [...Map.groupBy(passOf(scene).pass.preempted, ([, { name }]) => name)]
    .map(([by, list]) => `${list.map(([uid]) => uid).join(' ')} -> ${by}`)
    .join(', ');
const started = (scene: Scene): string =>
  passOf(scene)
    .pass.admitted.map(({ name }) => name)
    .join(' ');
const why = (scene: Scene, name: string): string => {
  const waiting = passOf(scene).pass.waiting.get(name);
  return waiting === undefined ? 'admitted' : `${waiting.reason}: ${whyText(waiting)}`;
};

describe('a job of higher priority', () => {
  const full = [runs('a', 0, 2, 10), runs('b', 1, 1, 30), runs('c', 0, 1, 20)];

  it.each<[string, Scene, string]>([
    [
      'takes the place of the job of lowest priority that was admitted last',
      { running: full, waiting: [waits('u', 5)], queues: [preempting(4)] },
      'c -> u',
    ],
    [
      'takes the place of the fewest',
      { running: full, waiting: [waits('u', 5, 2)], queues: [preempting(4)] },
      'a -> u',
    ],
    [
      'uses what is free first',
      { running: full, waiting: [waits('u', 5, 2)], queues: [preempting(5)] },
      'c -> u',
    ],
    [
      'takes no place of a job of the same priority',
      { running: [runs('a', 5)], waiting: [waits('u', 5)], queues: [preempting(1)] },
      '',
    ],
    [
      'takes no place of a job of the same priority, also beside one of a lower',
      {
        running: [runs('a', 0), runs('b', 5)],
        waiting: [waits('u', 5, 2)],
        queues: [preempting(2)],
      },
      '',
    ],
    [
      'ends none if the place of all of lower priority is not enough',
      {
        running: [runs('a', 0), runs('b', 9, 3)],
        waiting: [waits('u', 5, 2)],
        queues: [preempting(4)],
      },
      '',
    ],
    [
      'ends none in a queue that does not preempt',
      { running: full, waiting: [waits('u', 5)], queues: [preempting(4, { preempts: false })] },
      '',
    ],
    [
      'ends none of another queue',
      {
        running: full,
        waiting: [waits('u', 5, 1, { queue: 'night' })],
        queues: [preempting(4), preempting(1, { name: 'night' })],
        over: {
          admitted: [{ uid: 'n', name: 'n', queue: 'night', requests: amounts({ pods: 1 }) }],
        },
      },
      '',
    ],
    [
      'ends none while it backs off, or its queue is paused',
      { running: full, waiting: [waits('u', 5, 1, { backsOffForMs: 1 })], queues: [preempting(4)] },
      '',
    ],
    [
      'ends none if its last start timed out',
      {
        running: full,
        waiting: [waits('u', 5, 1, { hasTimedOut: true })],
        queues: [preempting(4)],
      },
      '',
    ],
    [
      'ends none if what it lacks is in use by others than jobs',
      {
        running: full,
        waiting: [waits('u', 5, 1, { charges: new Map([['all', amounts({ pods: 1 })]]) })],
        queues: [preempting(4)],
        over: {
          resourceQuotas: [
            {
              name: 'all',
              hard: amounts({ pods: 4 }),
              used: amounts({ pods: 4 }),
              promised: amounts({}),
              ofOthers: amounts({ pods: 4 }),
            },
          ],
        },
      },
      '',
    ],
    [
      'waits for jobs that end already',
      { running: full, ending: ['b'], waiting: [waits('u', 5)], queues: [preempting(4)] },
      '',
    ],
    [
      'ends none as long as it would have to wait for another one that ends already',
      { running: full, ending: ['b'], waiting: [waits('u', 5, 2)], queues: [preempting(4)] },
      '',
    ],
    [
      'leaves the room that is kept for those that go first',
      {
        running: [runs('a', 0, 2), runs('b', 9, 2)],
        waiting: [waits('k', 7, 3), waits('u', 5, 1)],
        queues: [preempting(4)],
      },
      '',
    ],
    [
      'with StrictFIFO ends none for one that another goes before',
      {
        running: [runs('a', 0, 2), runs('b', 9, 2)],
        waiting: [waits('k', 7, 3), waits('u', 5, 1)],
        queues: [preempting(4, { strategy: 'StrictFIFO' })],
      },
      '',
    ],
    [
      'several take the places of different ones',
      { running: full, waiting: [waits('u', 5), waits('v', 4)], queues: [preempting(4)] },
      'c -> u, a -> v',
    ],
  ])('%s', (_, scene, wanted) => {
    expect(ended(scene)).toBe(wanted);
  });

  it('names the jobs that end for it', () => {
    const scene = { running: full, waiting: [waits('u', 5, 2)], queues: [preempting(4)] };
    expect(why(scene, 'u')).toBe('MakingRoom: job a of lower priority ends to make room for it');
  });

  it('takes the place of jobs of its own user, who is at the limit', () => {
    const queue = preempting(9, { maxPerUser: amounts({ pods: 2 }) });
    const waiting = [waits('u', 5, 1, { user: 'alice', isPerUser: true })];
    const ofUsers = [{ queue: 'batch', user: 'alice', used: amounts({ pods: 2 }) }];
    const { world } = passOf({
      running: [runs('a', 0, 2)],
      waiting,
      queues: [queue],
      over: { ofUsers },
    });
    const holds = [
      demandFor(boundOfQueue('batch'), 'pods', 2n * ONE),
      demandFor('SwarmQueue batch, user alice', 'pods', 2n * ONE),
    ];
    const { preempted } = admit(world, () => [{ uid: 'a', holds, until: { ms: 0 } }]);
    expect([...preempted.keys()]).toEqual(['a']);
  });
});

describe('room that is being made', () => {
  const endingFor = new Map([['u', [{ uid: 'a', name: 'a' }]]]);
  const made: Scene = {
    running: [runs('a', 0, 2), runs('b', 9, 2)],
    ending: ['a'],
    waiting: [waits('h', 8, 2), waits('u', 5, 2), waits('s', 1)],
    queues: [preempting(4)],
    over: { endingFor },
  };

  it('belongs to the job for which others end, even if a job of higher priority arrives', () => {
    expect(started(made)).toBe('');
    expect(why(made, 'u')).toMatch(/^MakingRoom: /);
    const over = { endingFor: new Map([['u', []]]) };
    const after = { ...made, running: [runs('b', 9, 2)], ending: [], over };
    expect(started(after)).toBe('u');
  });

  it.each(['BestEffort', 'StrictFIFO'] as const)(
    'holds up no job that goes first: %s',
    (strategy) => {
      const queues = [preempting(5, { strategy })];
      const waiting = [waits('h', 8, 1), waits('u', 5, 2), waits('s', 1)];
      expect(started({ ...made, waiting, queues })).toBe('h');
    },
  );

  it('lets no job pass the first waiting job with StrictFIFO', () => {
    const queues = [preempting(5, { strategy: 'StrictFIFO' })];
    const waiting = [waits('h', 8, 4), waits('m', 7, 1), waits('u', 5, 2)];
    expect(why({ ...made, waiting, queues }, 'm')).toMatch(/^BehindHead: job h goes first/);
  });

  it('is used by no short job', () => {
    const waiting = [waits('u', 5, 3), waits('s', 1, 1, { deadlineSeconds: 1 })];
    const inUse: InUse[] = [
      { uid: 'a', holds: [], until: { ms: 600_000 } },
      { uid: 'b', holds: [], until: { ms: 600_000 } },
    ];
    const { world } = passOf({ ...made, waiting, queues: [preempting(5)] });
    expect(admit(world, () => inUse).admitted).toEqual([]);
  });

  it('is completed by more ending jobs if it turns out to be too small', () => {
    const running = [runs('b', 0, 2)];
    const waiting = [waits('u', 5, 3)];
    const over = { endingFor: new Map([['u', []]]) };
    expect(ended({ running, waiting, over, queues: [preempting(4)] })).toBe('b -> u');
  });

  it('leaves only the first job with an estimate if jobs may end for others', () => {
    const { world, inUse, pass } = passOf({
      ...made,
      running: [runs('b', 9, 2), runs('a', 0, 2)],
    });
    const known = inUse.map((it) => ({ ...it, until: { ms: it.uid === 'a' ? 9_000 : 60_000 } }));
    const starts = estimateStarts('batch', world, pass, known);
    expect(starts.get('u')).toEqual({ ms: 9_000 });
    expect(starts.get('h')).toEqual({
      unknown: 'jobs of higher priority may take the place of others that run',
    });
  });
});

describe('with jobs and quota unchanged', () => {
  const scenes = fc.record({
    pods: fc.integer({ min: 1, max: 6 }),
    strategy: fc.constantFrom('BestEffort' as const, 'StrictFIFO' as const),
    jobs: fc.array(fc.record({ size: fc.integer({ min: 1, max: 4 }), priority: fc.nat(3) }), {
      maxLength: 8,
    }),
    arrivals: fc.array(fc.nat(3), { maxLength: 8 }),
    lasts: fc.array(fc.nat(2), { minLength: 8, maxLength: 8 }),
  });

  it('preemptions come to an end, and each job for which others end starts', () => {
    fc.assert(
      fc.property(scenes, ({ pods, strategy, jobs, arrivals, lasts }) => {
        const queues = [preempting(pods, { strategy })];
        const all = jobs.map(({ size, priority }, at) =>
          waits(`j${at}`, priority, size, { createdMs: at }),
        );
        let running: readonly WaitingJob[] = [];
        /** By name: which job takes its place, and how many passes it still takes to end. */
        let ends = new Map<string, { readonly by: string; readonly left: number }>();
        let preemptions = 0;
        for (let turn = 0; turn < 200; turn += 1) {
          const isThere = (_: WaitingJob, at: number): boolean => (arrivals[at] ?? 0) <= turn;
          const waiting = all.filter(isThere).filter((it) => !running.includes(it));
          const over = [...ends].flatMap(([name, { left }]) => (left === 0 ? [name] : []));
          const made = new Set(over.map((name) => ends.get(name)?.by));
          const endingFor = new Map(
            [...Map.groupBy(ends, ([, { by }]) => by)].map(([by, list]) => [
              by,
              list.flatMap(([name]) => (over.includes(name) ? [] : [{ uid: name, name }])),
            ]),
          );
          running = running.filter(({ name }) => !over.includes(name));
          ends = new Map(
            [...ends].flatMap(([name, { by, left }]) =>
              left === 0 ? [] : [[name, { by, left: left - 1 }]],
            ),
          );
          const { pass } = passOf({
            running: running.map(({ name, priority, size, createdMs }) =>
              runs(name, priority, size, createdMs),
            ),
            ending: [...ends.keys()],
            ...{ waiting, queues, over: { endingFor } },
          });
          for (const by of made)
            if (![...ends.values()].some((it) => it.by === by))
              expect([...running, ...pass.admitted].map(({ name }) => name)).toContain(by);
          for (const [uid, by] of pass.preempted) {
            preemptions += 1;
            ends.set(uid, { by: by.name, left: lasts[Number(uid.slice(1))] ?? 0 });
          }
          running = [...running, ...pass.admitted];
          const used = running.reduce((sum, { size }) => sum + size, 0);
          expect(used).toBeLessThanOrEqual(pods);
          if (turn > 3 && ends.size === 0 && pass.admitted.length === 0) break;
          expect(turn).toBeLessThan(199);
        }
        expect(preemptions).toBeLessThanOrEqual(jobs.length * jobs.length);
      }),
      { numRuns: 300 },
    );
  });
});
