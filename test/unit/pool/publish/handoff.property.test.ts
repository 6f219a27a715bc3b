// With Exclusive, does a stream ever run at two workers, in whatever order things happen?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { digestOf, readAssigned } from '../../../../src/api/assignment.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut } from '../../../support/pool-decisions.ts';
import {
  conditionOf,
  nothingPublished,
  scaled,
  slicesOf,
  streamNames,
  withSpec,
  withStreams,
} from '../../../support/pool-worlds.ts';
import { tries } from '../../../support/tries.ts';
import { decide, exclusive } from './exclusive.ts';

/**
 * A worker as it keeps the contract: it knows what its files say, late, and starts only what its
 * own annotation names.
 */
type Worker = {
  readonly uid: string;
  file: PoolWorld;
  assigned: string | undefined;
  running: Set<string>;
  version: number;
};

describe('handoff Exclusive over any history', () => {
  const action = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('decide' as const),
        steps: fc.integer({ min: 0, max: 8 }),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('file' as const), worker: fc.nat(5) }) },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant('annotation' as const), worker: fc.nat(5) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('work' as const),
        worker: fc.nat(5),
        part: fc.boolean(),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('answer' as const), worker: fc.nat(5) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('silence' as const), worker: fc.nat(5) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('recreate' as const), worker: fc.nat(5) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('scale' as const),
        to: fc.integer({ min: 1, max: 4 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('streams' as const),
        from: fc.nat(4),
        count: fc.integer({ min: 0, max: 8 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('forget answers' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('restart container' as const), worker: fc.nat(5) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('lose ConfigMap' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('restore ConfigMap' as const), back: fc.nat(6) }),
    },
  );

  it('no stream ever runs at two workers, and in the end each runs at one', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        let at = withSpec(exclusive(6, 3), { removal: { allowEmpty: true } });
        let made = 0;
        const earlier: PoolWorld[] = [];
        const workers = new Map<string, Worker>();
        const sync = (): void => {
          const live = new Set(at.pods.map(({ uid }) => uid));
          for (const [uid] of workers) if (!live.has(uid)) workers.delete(uid);
          for (const { uid } of at.pods) {
            // A new pod's file may be as old as the oldest that there was.
            if (!workers.has(uid))
              workers.set(uid, {
                uid,
                file: exclusive(),
                assigned: undefined,
                running: new Set(),
                version: 0,
              });
          }
        };
        const pick = (index: number) => at.pods[index % Math.max(1, at.pods.length)];
        const work = (name: string, worker: Worker, isPart: boolean): void => {
          const slice = slicesOf(worker.file).get(name);
          if (slice === undefined) return;
          const told = readAssigned(worker.assigned);
          const isVouched =
            told?.uid === worker.uid &&
            told.version === slice.version &&
            told.digest === digestOf(slice);
          for (const stream of [...worker.running])
            if (!slice.jobs.includes(stream)) worker.running.delete(stream);
          if (!isVouched) return;
          for (const stream of isPart ? slice.jobs.slice(0, 1) : slice.jobs)
            worker.running.add(stream);
          if (!isPart) worker.version = slice.version;
        };
        const check = (): void => {
          const all = [...workers.values()].flatMap(({ running }) => [...running]);
          expect(all.length).toBe(new Set(all).size);
        };
        sync();
        for (const one of actions) {
          const pod = 'worker' in one ? pick(one.worker) : undefined;
          const worker = pod === undefined ? undefined : workers.get(pod.uid);
          if (one.do === 'decide') {
            const decision = decide(at);
            at = carriedOut(at, { ...decision, steps: decision.steps.slice(0, one.steps) });
          }
          if (one.do === 'file' && worker !== undefined) worker.file = at;
          if (one.do === 'annotation' && worker !== undefined && pod !== undefined)
            worker.assigned = pod.assigned;
          if (one.do === 'work' && worker !== undefined && pod !== undefined)
            work(pod.name, worker, one.part);
          if (one.do === 'answer' && worker !== undefined && pod !== undefined) {
            const slice = slicesOf(worker.file).get(pod.name);
            const isStopped =
              slice !== undefined &&
              [...worker.running].every((stream) => slice.jobs.includes(stream));
            const version = Math.max(worker.version, isStopped ? slice.version : 0);
            at = {
              ...at,
              answers: {
                ...at.answers,
                [pod.uid]: {
                  ok: true,
                  report: { version, jobs: [...worker.running], podUid: pod.uid },
                },
              },
            };
          }
          if (one.do === 'silence' && pod !== undefined)
            at = { ...at, answers: { ...at.answers, [pod.uid]: { ok: false, reason: 'x' } } };
          if (one.do === 'recreate' && pod !== undefined) {
            made += 1;
            const uid = `${pod.name}-made-${made}`;
            at = {
              ...at,
              pods: at.pods.map((it) => (it === pod ? { ...it, uid, assigned: undefined } : it)),
            };
          }
          if (one.do === 'scale') at = scaled(at, one.to);
          if (one.do === 'streams')
            at = withStreams(at, streamNames(one.from + one.count).slice(one.from));
          if (one.do === 'forget answers') at = { ...at, answers: {} };
          if (one.do === 'restart container' && worker !== undefined) {
            worker.running.clear();
            worker.version = 0;
          }
          if (one.do === 'lose ConfigMap') at = { ...at, published: nothingPublished };
          if (one.do === 'restore ConfigMap')
            at = { ...at, published: earlier.at(-one.back)?.published ?? nothingPublished };
          if (earlier.at(-1)?.published !== at.published) earlier.push(at);
          sync();
          check();
        }
        for (let round = 0; round < 30; round += 1) {
          const later = { ...at, ages: { ...at.ages, publishedMs: 10_000 } };
          const decision = decide(later);
          // All reports are the same as before, and so is every further round.
          if (round > 0 && decision.steps.length === 0) break;
          at = carriedOut(later, decision);
          for (const pod of at.pods) {
            const worker = workers.get(pod.uid);
            if (worker === undefined) continue;
            worker.file = at;
            worker.assigned = pod.assigned;
            work(pod.name, worker, false);
            at = {
              ...at,
              answers: {
                ...at.answers,
                [pod.uid]: {
                  ok: true,
                  report: { version: worker.version, jobs: [...worker.running], podUid: pod.uid },
                },
              },
            };
            check();
          }
        }
        const running = [...workers.values()]
          .flatMap(({ running: streams }) => [...streams])
          .sort();
        const wanted = at.pool.spec.ok
          ? (at.pool.spec.value.streams ?? []).map(({ name }) => name).sort()
          : [];
        expect(running).toEqual(wanted);
        expect(conditionOf(at, 'Converged')?.status).toBe('True');
      }),
      { numRuns: tries(170) },
    );
  });
});
