// How long may a Job run that joined a queue by its label?
import { describe, expect, it } from '@jest/globals';
import type { BatchJob } from '../../../../src/api/batch-job.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import { atRest, NOW, queueOf, runOf, worldOf } from '../../../support/queue-worlds.ts';

const queues = [queueOf({ pods: '1' }, { maxActiveDeadlineSeconds: 60 })];

/** It was admitted and started, and then its user has written this. */
const stepsFor = (over: Partial<BatchJob>) => {
  const job = runOf('night', {
    ...{ swarmJobUid: undefined, grant: undefined, isSuspended: true, deadlineSeconds: 60 },
  });
  const world = atRest(worldOf({ queues, runs: [job] }));
  const [run] = world.runs;
  expect(run?.isSuspended).toBe(false);
  const runs = world.runs.map((it) => ({ ...it, ...over }));
  return decideQueues({ ...world, runs }, NOW).steps.flatMap((step): readonly unknown[] => {
    if (step.do === 'event') return [step.event.message];
    return step.do === 'patch' && step.kind.kind === 'Job' ? [step.body] : [];
  });
};

describe('deadlines of labelled Jobs', () => {
  it.each([undefined, 61])(
    'a running labelled Job whose deadline becomes %s gets the longest deadline that its queue allows',
    (deadlineSeconds) =>
      expect(stepsFor({ deadlineSeconds })).toEqual([
        { metadata: { annotations: {} }, spec: { activeDeadlineSeconds: 60 } },
        'activeDeadlineSeconds is 60 now: SwarmQueue batch allows no more',
      ]),
  );

  it('a labelled Job keeps a deadline that its queue allows', () =>
    expect(stepsFor({ deadlineSeconds: 30 })).toEqual([]));
});
