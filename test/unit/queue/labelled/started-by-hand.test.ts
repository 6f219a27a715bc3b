// What becomes of a Job that waits by its label, and that its user starts?
import { describe, expect, it } from '@jest/globals';
import type { BatchJob } from '../../../../src/api/batch-job.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import type { QueueWorld } from '../../../../src/queue/world.ts';
import { atRest, carriedOut, NOW, queueOf, runOf, worldOf } from '../../../support/queue-worlds.ts';

const suspendWriter = 'kubectl-patch';
const started = (over: Partial<BatchJob> = {}): BatchJob =>
  runOf('night', { swarmJobUid: undefined, grant: undefined, suspendWriter, ...over });
const waits = 'WaitingForQuota: needs 1 pod, 0 are free';

const decided = (job: BatchJob) => {
  const first = worldOf({ queues: [queueOf({ pods: '1' })], runs: [job] });
  const world: QueueWorld = carriedOut(first, decideQueues(first, NOW));
  const { steps } = decideQueues(world, NOW);
  const ofJob = steps.flatMap((step) =>
    step.do === 'patch' && step.kind.kind === 'Job' ? [step.body] : [],
  );
  const events = steps.flatMap((step) => (step.do === 'event' ? [step.event] : []));
  const [queue] = atRest(world).queues;
  return { ofJob, events, ready: queue?.status?.conditions?.find(({ type }) => type === 'Ready') };
};

describe('a Job that waits by its label and is started by hand', () => {
  it.each([
    [0, started({ waits }), '1'],
    [0, started({ grant: 3 }), '5'],
    [2, started({ waits, startedByHand: 2 }), '1'],
  ])(
    'a Job started by hand is suspended again, and an event names the writer: after %d times',
    (times, job, grant) => {
      const { ofJob, events } = decided(job);
      expect(ofJob).toMatchObject([
        {
          metadata: {
            annotations: {
              'k8slab.info/grant': grant,
              'k8slab.info/started-by-hand': String(times + 1),
            },
          },
          spec: { suspend: true },
        },
      ]);
      expect(events).toMatchObject([
        {
          type: 'Warning',
          reason: 'StartedByHand',
          message: `Suspended again: kubectl-patch started it while it waited in SwarmQueue batch (${times + 1} of 3 times)`,
        },
      ]);
    },
  );

  it('a Job started by hand more than three times is left alone, and its queue reports it', () => {
    const job = started({ waits, grant: 7, startedByHand: 3 });
    const { ofJob, events } = decided(job);
    expect(ofJob).toEqual([
      {
        metadata: {
          annotations: { 'k8slab.info/started-by-hand': '4', 'k8slab.info/waiting': null },
        },
      },
    ]);
    expect(events).toMatchObject([{ reason: 'LeftAlone' }]);
    const left = decided(started({ grant: 7, startedByHand: 4 }));
    expect(left.ofJob).toEqual([]);
    expect(left.ready).toMatchObject({
      status: 'True',
      reason: 'StartedByHand',
      message:
        'Jobs that waited were started beside the queue, again and again: night, by kubectl-patch',
    });
  });

  it('a Job that was never suspended is left alone', () => {
    expect(decided(started())).toMatchObject({ ofJob: [], ready: { reason: 'Admitting' } });
  });

  it('a start by the queue resets the count of starts by hand', () => {
    const rest = atRest(
      worldOf({
        queues: [queueOf({ pods: '1' })],
        runs: [started({ isSuspended: true, grant: 3, startedByHand: 2 })],
      }),
    );
    expect(rest.runs).toMatchObject([{ isSuspended: false, startedByHand: 0 }]);
  });
});
