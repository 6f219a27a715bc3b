// Which place in its queue has a Job that replaces another one of its CronJob?
import { describe, expect, it } from '@jest/globals';
import type { BatchJob } from '../../../../src/api/batch-job.ts';
import { parseBatchJob } from '../../../../src/api/batch-job.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import type { QueueWorld } from '../../../../src/queue/world.ts';
import { plain } from '../../../support/labelled-jobs.ts';
import {
  admittedIn,
  atRest,
  carriedOut,
  NOW,
  queueOf,
  worldOf,
} from '../../../support/queue-worlds.ts';

const SECOND = 1_000;
const jobAt = (name: string, second: number, over: Partial<BatchJob> = {}): BatchJob =>
  plain({ name, uid: `run-${name}`, createdMs: NOW + second * SECOND, ...over });
const run = (second: number): BatchJob =>
  jobAt(`nightly-${second}`, second, { cronJob: { name: 'nightly', uid: 'uid-nightly' } });

/** In a queue without room: each of these rounds has these Jobs. */
function inRounds(...rounds: readonly (readonly BatchJob[])[]): QueueWorld {
  const first = atRest(worldOf({ queues: [queueOf({ pods: '0' })], runs: [jobAt('other', 0)] }));
  let world = first;
  for (const [index, runs] of rounds.entries()) {
    const monotonicMs = 10 * SECOND * index;
    const next = { ...world, runs, monotonicMs };
    world = { ...carriedOut(next, decideQueues(next, NOW)), runs, monotonicMs };
  }
  return world;
}

const orderIn = (world: QueueWorld): readonly string[] =>
  decideQueues(world, NOW).desired?.pass.order.map(({ name }) => name) ?? [];

const other = jobAt('other', 30);

describe('the Jobs of a CronJob that wait', () => {
  it('a Job that replaces a waiting Job takes over its place', () => {
    expect(orderIn(inRounds([run(0), other], [run(60), other]))).toEqual(['nightly-60', 'other']);
    expect(
      orderIn(inRounds([run(0), other], [other], [run(60), other], [run(120), other])),
    ).toEqual(['nightly-120', 'other']);
  });

  it('a Job beside a waiting Job has a place of its own', () =>
    expect(orderIn(inRounds([run(0), other], [run(0), run(60), other]))).toEqual([
      'nightly-0',
      'other',
      'nightly-60',
    ]));

  it('a free place passes to only one Job', () =>
    expect(orderIn(inRounds([run(0), other], [run(60), run(61), other]))).toEqual([
      'nightly-60',
      'other',
      'nightly-61',
    ]));

  it('the place of an admitted Job passes to no other Job', () => {
    const world = inRounds([run(0), other]);
    const open = atRest({ ...world, queues: [queueOf({ pods: '1' })] });
    expect(admittedIn(open)).toEqual(['nightly-0']);
    const gone = { ...open, queues: [queueOf({ pods: '0' })], runs: [run(60), other] };
    expect(orderIn(gone)).toEqual(['other', 'nightly-60']);
  });

  it('a free place is kept for a minute', () => {
    const none = (count: number) => Array.from({ length: count }, () => [other]);
    const order = (seconds: number) =>
      orderIn(inRounds([run(0), other], ...none(seconds / 10), [run(60), other]));
    expect(order(50)).toEqual(['nightly-60', 'other']);
    expect(order(60)).toEqual(['other', 'nightly-60']);
  });

  it('a Job that was queued again gets no earlier place', () => {
    const again = { ...run(60), queuedAgainMs: NOW + 70 * SECOND };
    const world = inRounds([run(0), other], [again, other]);
    expect(
      decideQueues(world, NOW + 80 * SECOND).desired?.pass.order.map(({ name }) => name),
    ).toEqual(['other', 'nightly-60']);
  });

  it('a Job names its CronJob', () => {
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: 'uid-nightly' };
    const metadata = { name: 'nightly-1', ownerReferences: [{ ...owner, controller: true }] };
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata };
    expect(parseBatchJob(job).cronJob).toMatchObject({ name: 'nightly', uid: 'uid-nightly' });
  });
});
