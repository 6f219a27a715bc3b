// When does a labelled batch Job of which no pod runs give its quota to others?
import { describe, expect, it } from '@jest/globals';
import type { BatchJob } from '../../../../src/api/batch-job.ts';
import type { JobPod } from '../../../../src/api/job-pod.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import type { QueueWorld } from '../../../../src/queue/world.ts';
import { plain } from '../../../support/labelled-jobs.ts';
import {
  admittedIn,
  atRest,
  carriedOut,
  NOW,
  podOf,
  queueOf,
  worldOf,
} from '../../../support/queue-worlds.ts';

const limited = queueOf({ pods: '1' }, { jobDefaults: { startTimeoutSeconds: 60 } });
const ofNight: Partial<JobPod> = { jobUid: 'run-night', swarmJobUid: undefined };
const pulling = podOf('night', { ...ofNight, hasBegun: false, trouble: 'ImagePullBackOff' });

/** The Job night was started now, and has no pod that runs; the Job day waits. */
function started(over: Partial<BatchJob> = {}, queue = limited): QueueWorld {
  const runs = [plain(), plain({ name: 'day', uid: 'run-day', createdMs: NOW + 1_000 })];
  const world = atRest(worldOf({ queues: [queue], runs }));
  expect(admittedIn(world)).toEqual(['night']);
  const seen = world.runs.map((run) =>
    run.name === 'night' ? { ...run, active: 1, ready: 0, startedMs: NOW, ...over } : run,
  );
  return { ...world, runs: seen, pods: [pulling] };
}

const written = (world: QueueWorld, seconds: number): readonly object[] =>
  decideQueues(world, NOW + seconds * 1_000).steps.flatMap((step) =>
    step.do === 'patch' && step.ref.uid === 'run-night' ? [step.body] : [],
  );

const suspended = {
  metadata: {
    annotations: {
      'k8slab.info/grant': '3',
      'k8slab.info/queued-again': '2026-01-01T00:01:01Z',
    },
  },
  spec: { suspend: true },
};

describe('a labelled Job in a queue with jobDefaults.startTimeoutSeconds', () => {
  it('a labelled Job is suspended and queued again when none of its pods runs in time', () => {
    expect(written(started(), 60)).toEqual([]);
    expect(written(started(), 61)).toEqual([suspended]);
  });

  it('a warning names the trouble of its pods', () => {
    const { steps } = decideQueues(started(), NOW + 61_000);
    expect(steps.flatMap((step) => (step.do === 'event' ? [step.event] : []))).toEqual([
      {
        ...{ type: 'Warning', reason: 'StartTimedOut', action: 'Suspend' },
        message:
          'Suspended, and queued again behind the others of its priority: none of its pods ran within 60 s: ImagePullBackOff',
      },
    ]);
  });

  it('the operator decides again when the start timeout is over', () =>
    expect(decideQueues(started(), NOW + 10_000).requeueAfterMs).toBe(51_000));

  it('the next Job of the queue gets the quota once the pods have ended', () => {
    const now = NOW + 61_000;
    const world = started();
    const taken = carriedOut(world, decideQueues(world, now));
    const others = carriedOut(taken, decideQueues(taken, now));
    expect(admittedIn(others)).not.toContain('day');
    const ended = others.runs.map((run) => (run.name === 'night' ? { ...run, active: 0 } : run));
    expect(admittedIn(atRest({ ...others, runs: ended, pods: [] }, now))).toEqual(['day']);
  });

  const stays: readonly (readonly [string, QueueWorld])[] = [
    ['one of its pods runs', { ...started(), pods: [podOf('night', ofNight)] }],
    ['one of its pods is ready', started({ ready: 1 })],
    ['one of its pods has ended', started({ endedPods: 1 })],
    ['its queue sets no limit', started({}, queueOf({ pods: '1' }))],
    ['its controller has started it later', started({ startedMs: NOW + 3_000_000 })],
  ];
  it.each(stays)('a labelled Job stays admitted if %s', (_, world) =>
    expect(written(world, 3_000)).toEqual([]),
  );

  it('a labelled Job whose pods never run is started less and less often', () => {
    const starts: number[] = [];
    let world = started();
    for (let seconds = 1; seconds <= 3_600; seconds += 1) {
      const now = NOW + seconds * 1_000;
      const [before] = world.runs;
      world = carriedOut(world, decideQueues({ ...world, monotonicMs: now - NOW }, now));
      const runs = world.runs.slice(0, 1).map((run) => ({
        ...run,
        active: run.isSuspended ? 0 : 1,
        ...(run.isSuspended ? { suspendedMs: run.suspendedMs ?? now } : { suspendedMs: undefined }),
      }));
      if (before?.isSuspended === true && runs[0]?.isSuspended === false) starts.push(seconds);
      world = { ...world, runs, pods: [] };
    }
    const pauses = starts.map((second, index) => second - (starts[index - 1] ?? 0));
    // A minute until it is late, and a pause, doubled from the sixth time on up to ten minutes.
    expect(pauses).toEqual([72, 71, 71, 71, 72, 82, 102, 142, 222, 382, 662, 662, 662]);
  });
});
