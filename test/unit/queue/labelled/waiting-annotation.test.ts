// What does a batch Job with the label of a queue say while it waits?
import { describe, expect, it } from '@jest/globals';
import { decideQueues } from '../../../../src/queue/decide.ts';
import type { QueueWorld } from '../../../../src/queue/world.ts';
import { plain, startedWith, starts } from '../../../support/labelled-jobs.ts';
import { atRest, carriedOut, NOW, queueOf, worldOf } from '../../../support/queue-worlds.ts';

const quota = queueOf({ pods: '4', cpu: '4' });

describe('the annotation k8slab.info/waiting of a batch Job', () => {
  const never = 'needs 6 cpu, the whole quota of SwarmQueue batch is 4 cpu';
  const waits = (text: string | null) => ({
    metadata: { annotations: { 'k8slab.info/waiting': text } },
  });
  /** After the ledger is made. */
  const ready = (over: Partial<QueueWorld>): QueueWorld => {
    const world = worldOf({ queues: [quota], ...over });
    return carriedOut(world, decideQueues(world, NOW));
  };
  const eventsIn = (world: QueueWorld) =>
    decideQueues(world, NOW).steps.flatMap((step) => (step.do === 'event' ? [step] : []));

  it('the reason for which a queued batch Job waits is written as an annotation and an event', () => {
    const world = ready({ runs: [plain({ parallelism: 3 })] });
    expect(starts(world)).toEqual([waits(`TooLargeEver: ${never}`)]);
    expect(eventsIn(world)).toMatchObject([
      {
        regarding: { kind: 'Job', name: 'night', uid: 'run-night' },
        event: { type: 'Warning', reason: 'TooLargeEver', message: `Waiting: ${never}` },
      },
    ]);
  });

  it('a batch Job whose queue does not exist has that reason', () => {
    const world = ready({ queues: [], runs: [plain({ queue: 'bath' })] });
    expect(starts(world)).toEqual([waits('QueueNotFound: there is no SwarmQueue bath')]);
  });

  it('an annotation with the current reason is not written again', () => {
    const world = ready({ runs: [plain({ parallelism: 3, waits: `TooLargeEver: ${never}` })] });
    expect(starts(world)).toEqual([]);
    expect(eventsIn(world)).toEqual([]);
  });

  it('a new message with the same reason changes the annotation without an event', () => {
    const world = ready({ runs: [plain({ parallelism: 3, waits: 'TooLargeEver: needs 9' })] });
    expect(starts(world)).toEqual([waits(`TooLargeEver: ${never}`)]);
    expect(eventsIn(world)).toEqual([]);
  });

  it('the start of a batch Job removes its annotation', () => {
    const world = ready({ runs: [plain({ waits: 'WaitingForQuota: needs 2 cpu' })] });
    expect(starts(world)).toEqual([{ data: expect.anything() }]);
    expect(starts(carriedOut(world, decideQueues(world, NOW)))).toEqual([
      {
        metadata: {
          annotations: { ...startedWith(1).metadata.annotations, 'k8slab.info/waiting': null },
        },
        spec: { suspend: false, podReplacementPolicy: 'Failed' },
      },
    ]);
  });

  it('a batch Job that Kueue has taken over loses the annotation, and nothing else is written', () => {
    const ours = { queue: undefined, hasQueueLabel: true };
    const runs = [plain({ ...ours, waits: 'WaitingForQuota: x' })];
    const world = worldOf({ queues: [quota], runs });
    expect(starts(world)).toEqual([waits(null)]);
    expect(starts(carriedOut(world, decideQueues(world, NOW)))).toEqual([]);
  });

  it('a batch Job that Kueue has taken over loses the annotation even without a queue', () => {
    const before = ready({ queues: [], runs: [plain()] });
    const taken = plain({ queue: undefined, hasQueueLabel: true, waits: 'QueueNotFound: x' });
    const world = { ...before, runs: [taken] };
    expect(starts(world)).toEqual([waits(null)]);
    const rest = atRest(world);
    expect(rest.ledger).toBeUndefined();
    expect(rest.runs).toMatchObject([{ waits: undefined }]);
  });

  it('a batch Job without the label keeps the annotation: the operator may not write to it', () => {
    const left = plain({ queue: undefined, waits: 'WaitingForQuota: x' });
    expect(starts(ready({ runs: [left] }))).toEqual([]);
  });

  it('a batch Job that its user has started loses the annotation', () => {
    const run = plain({ isSuspended: false, waits: 'WaitingForQuota: x' });
    for (const startedByHand of [0, 3, 4])
      expect(starts(ready({ runs: [{ ...run, startedByHand }] }))).toMatchObject([waits(null)]);
  });
});
