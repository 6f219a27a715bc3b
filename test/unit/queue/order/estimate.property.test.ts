// Does each job start by the estimated time, in any queue, whatever the others do until then?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { WaitingJob } from '../../../../src/queue/world.ts';
import { amounts, jobOf, queueOf } from '../../../support/namespace-worlds.ts';
import { estimatesOf, lateIn, playOf, type Scene } from '../../../support/queue-play.ts';

const deadline = fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined, freq: 12 });
const strategy = fc.constantFrom('BestEffort' as const, 'StrictFIFO' as const);
const demand = fc.record({ cpu: fc.nat(3), gpu: fc.nat(2), deadlineSeconds: deadline });
const someSeconds = fc.nat(4).map((seconds) => seconds * 1000);

/** Two queues, which may share a ResourceQuota. */
const scenes = fc
  .record({
    strategies: fc.tuple(strategy, strategy),
    quotas: fc.tuple(
      fc.record({ cpu: fc.integer({ min: 2, max: 6 }), gpu: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ cpu: fc.integer({ min: 2, max: 6 }), gpu: fc.integer({ min: 1, max: 3 }) }),
    ),
    startsInMs: someSeconds,
    shared: fc.option(fc.integer({ min: 2, max: 8 }), { nil: undefined }),
    inUse: fc.array(fc.record({ at: fc.nat(1), of: demand }), { maxLength: 5 }),
    jobs: fc.array(
      fc.record({
        at: fc.nat(1),
        of: demand,
        priority: fc.nat(2),
        endsInMs: someSeconds,
        pause: fc.option(fc.integer({ min: 1, max: 9 }), { nil: 0, freq: 5 }),
      }),
      { maxLength: 8 },
    ),
  })
  .map(({ strategies, quotas, startsInMs, shared, inUse, jobs }): Scene => {
    const names = ['batch', 'night'] as const;
    const nameOf = (at: number): string => names[at] ?? '';
    return {
      startsInMs,
      queues: names.map((name, at) =>
        queueOf(quotas[at] ?? {}, { name, strategy: strategies[at] ?? 'BestEffort' }),
      ),
      inUse: inUse.map(({ at, of: { deadlineSeconds, ...requests } }, index) => ({
        ...{ name: `r${index}`, queue: nameOf(at), requests, deadlineSeconds },
      })),
      waiting: jobs.map(
        ({ at, of: { deadlineSeconds, ...perPod }, priority, endsInMs, pause }, index) =>
          jobOf(`j${index}`, 1, perPod, {
            queue: nameOf(at),
            createdMs: index,
            priority,
            endsInMs,
            deadlineSeconds,
            backsOffForMs: pause * 1000,
            charges: new Map(shared === undefined ? [] : [['all', amounts({ cpu: perPod.cpu })]]),
          }),
      ),
      ...(shared !== undefined && { resourceQuota: { name: 'all', hard: shared, used: 1 } }),
    };
  });

describe('a play of a queue', () => {
  it('each job starts by the estimated time when all jobs use their whole deadlines', () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        expect(lateIn(scene, () => 1)).toEqual([]);
      }),
      { numRuns: 250 },
    );
  });

  it('each job starts by the estimated time however early others end', () => {
    fc.assert(
      fc.property(
        scenes,
        fc.array(fc.nat(10), { minLength: 13, maxLength: 13 }),
        (scene, parts) => {
          expect(lateIn(scene, (at) => (parts[at] ?? 10) / 10)).toEqual([]);
        },
      ),
      { numRuns: 250 },
    );
  });

  it('the estimate is no later than the play, for StrictFIFO and for the first of BestEffort', () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const [queue] = scene.queues;
        const alone = {
          ...scene,
          queues: queue === undefined ? [] : [queue],
          inUse: scene.inUse.filter((it) => it.queue === 'batch'),
          waiting: scene.waiting.filter((it) => it.queue === 'batch' && it.backsOffForMs === 0),
        };
        const played = playOf(alone, () => 1);
        const { starts, pass } = estimatesOf(alone);
        const waiting = pass.order.filter(({ uid }) => starts.has(uid));
        const exact = queue?.strategy === 'StrictFIFO' ? waiting : waiting.slice(0, 1);
        for (const { uid } of exact) {
          const until = starts.get(uid);
          const ms = until !== undefined && 'ms' in until ? until.ms : undefined;
          expect(ms).toBe(played.get(uid));
        }
      }),
      { numRuns: 250 },
    );
  });

  it('the first of two jobs with the same requests is estimated to start no later', () => {
    const pairOf = (waiting: readonly WaitingJob[]) => {
      const isLike = (a: WaitingJob, b: WaitingJob): boolean =>
        a.queue === b.queue &&
        a.deadlineSeconds === b.deadlineSeconds &&
        ['cpu', 'gpu'].every((it) => a.perPod.get(it) === b.perPod.get(it));
      return waiting.flatMap((a, at) =>
        waiting.slice(at + 1).flatMap((b) => (isLike(a, b) ? [[a, b] as const] : [])),
      );
    };
    const msOf = (
      starts: ReturnType<typeof estimatesOf>['starts'],
      { uid }: WaitingJob,
    ): number => {
      const until = starts.get(uid);
      return until !== undefined && 'ms' in until ? until.ms : Infinity;
    };
    fc.assert(
      fc.property(scenes, (scene) => {
        const waiting = scene.waiting.map((job) => ({ ...job, backsOffForMs: 0 }));
        const { starts, pass } = estimatesOf({ ...scene, waiting });
        for (const [a, b] of pairOf(pass.order.filter(({ uid }) => starts.has(uid))))
          expect(msOf(starts, a)).toBeLessThanOrEqual(msOf(starts, b));
      }),
      { numRuns: 250 },
    );
  });
});
