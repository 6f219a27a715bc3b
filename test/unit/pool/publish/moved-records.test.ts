// With several shards, does a crash between two writes ever forget why a stream has moved?
import { describe, expect, it } from '@jest/globals';
import { placedIn } from '../../../../src/api/assignment.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, confirmed, settled } from '../../../support/pool-decisions.ts';
import {
  jobsOf,
  NOW,
  slicesOf,
  streamNames,
  withSpec,
  world,
} from '../../../support/pool-worlds.ts';

const AFTER = 900;
const SHARDS = 2;
const STREAMS = 12;

const sharded = settled(
  world({
    ...{ streams: STREAMS, workers: 4 },
    spec: { assignments: { shards: SHARDS }, streamPolicy: { moveAfterSeconds: AFTER } },
    mounts: Array.from({ length: SHARDS }, (_, index) => `tv-assignments-${index}`),
  }),
);

const workerOf = (at: PoolWorld, stream: string): string | undefined =>
  [...slicesOf(at)].find(([, slice]) => placedIn(slice).includes(stream))?.[0];

/** The worker that has it reports it as failing, and a leader has seen that for long enough. */
function failing(at: PoolWorld, stream: string): PoolWorld {
  const pod = at.pods.find(({ name }) => name === workerOf(at, stream));
  const answer = at.answers[pod?.uid ?? ''];
  if (pod === undefined || answer?.ok !== true) throw new Error(`${stream} has no worker`);
  const streams = { [stream]: { state: 'Restarting' as const, restarts: 9 } };
  return {
    ...at,
    answers: { ...at.answers, [pod.uid]: { ok: true, report: { ...answer.report, streams } } },
    ages: { ...at.ages, failingMs: { [pod.uid]: new Map([[stream, AFTER * 1000]]) } },
  };
}

/** What the next leader finds after each write of a ConfigMap; it has not seen the stream fail. */
function crashes(at: PoolWorld): readonly PoolWorld[] {
  const decision = decidePool(at, NOW);
  return decision.steps.flatMap((step, index) => {
    if (step.do !== 'patch') return [];
    const crashed = carriedOut(at, { ...decision, steps: decision.steps.slice(0, index + 1) });
    const { failingMs: _, movedMs: __, ...ages } = crashed.ages;
    return [{ ...crashed, ages }];
  });
}

const recorded = (at: PoolWorld, stream: string): string | undefined =>
  at.published.assignment?.movedFrom?.get(stream);

describe('a stream that moves because it failed, in a pool of two shards', () => {
  it.each(streamNames(STREAMS))(
    'the record of the worker that a failing stream left survives a crash between two writes: %s',
    (stream) => {
      const from = workerOf(sharded, stream);
      const found = crashes(failing(sharded, stream));
      expect(found.length).toBeGreaterThan(0);
      for (const at of found) {
        expect(recorded(at, stream)).toBe(from);
        const next = settled(confirmed(at));
        expect(recorded(next, stream)).toBe(from);
        expect(workerOf(next, stream)).not.toBe(from);
        expect(Object.values(jobsOf(next)).flat().sort()).toEqual([...streamNames(STREAMS)].sort());
      }
    },
  );

  it.each(streamNames(STREAMS))(
    'with Exclusive, the worker that a failing stream leaves is recorded with its release: %s',
    (stream) => {
      const exclusive = settled(withSpec(sharded, { handoff: { type: 'Exclusive' } }));
      const from = workerOf(exclusive, stream);
      for (const at of crashes(failing(exclusive, stream))) {
        expect(recorded(at, stream)).toBe(from);
        const given = crashes(confirmed(at));
        expect(given.map((it) => recorded(it, stream))).toEqual(given.map(() => from));
        const next = settled(confirmed(settled(confirmed(at))));
        expect(workerOf(next, stream)).not.toBe(from);
      }
    },
  );
});
