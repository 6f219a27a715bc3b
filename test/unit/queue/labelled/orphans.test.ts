// What does a queue count of a Job that was deleted without its pods?
import { describe, expect, it } from '@jest/globals';
import {
  admittedIn,
  atRest,
  jobOf,
  podOf,
  queueOf,
  runOf,
  worldOf,
} from '../../../support/queue-worlds.ts';

const labelled = runOf('night', { swarmJobUid: undefined, grant: undefined, isSuspended: true });
const ofNight = { swarmJobUid: undefined, jobName: undefined, queue: undefined };
const orphan = podOf('night', { ...ofNight, orphanOf: 'night' });

const running = () => {
  const world = atRest(worldOf({ queues: [queueOf({ pods: '1' })], runs: [labelled] }));
  const [entry] = world.ledger?.entries ?? [];
  const run = { ...labelled, isSuspended: false, isResumed: true, grant: entry?.grant };
  return { ...world, runs: [run], pods: [podOf('night', ofNight)] };
};

describe('a Job that is deleted without its pods', () => {
  it.each([
    ['with its UID', orphan],
    ['without its UID', { ...orphan, jobUid: undefined }],
  ])('a Job deleted without its pods keeps its quota until they have ended: a pod %s', (_, pod) => {
    const world = { ...running(), runs: [], pods: [pod], jobs: [jobOf('next')] };
    const kept = atRest({ ...world, unseenMs: new Map() });
    expect(admittedIn(kept)).toEqual(['night']);
    expect(kept.queues[0]?.status?.usage).toEqual({ pods: '1' });
    expect(admittedIn(atRest({ ...kept, pods: [] }))).toEqual(['next']);
  });

  it('a pod of a deleted Job counts beside a new Job of the same name', () => {
    const again = { ...labelled, uid: 'run-again' };
    const world = { ...running(), runs: [again], pods: [orphan] };
    expect(admittedIn(atRest(world))).toEqual(['night']);
    expect(atRest(world).queues[0]?.status).toMatchObject({ pending: 1, usage: { pods: '1' } });
  });
});
