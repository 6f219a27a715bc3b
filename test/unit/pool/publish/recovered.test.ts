// What does the operator say of a publication that it made again from what workers report?
import { describe, expect, it } from '@jest/globals';
import { decidePool } from '../../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, settled } from '../../../support/pool-decisions.ts';
import {
  jobsOf,
  NOW,
  streamNames,
  withShards,
  withSpec,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

const decide = (at: PoolWorld): ReturnType<typeof decidePool> =>
  decidePool({ ...at, ages: { ...at.ages, publishedMs: 10_000 } }, NOW);

const publishedEvent = (at: PoolWorld): string | undefined =>
  decide(at)
    .steps.flatMap((step) => (step.do === 'event' ? [step.event] : []))
    .find(({ reason }) => reason === 'Published')?.message;

const shards = { assignments: { shards: 2 } };
const mounts = ['tv-assignments-0', 'tv-assignments-1'];
const calm = settled(world({ streams: 6, workers: 2 }));
const sharded = settled(world({ streams: 6, workers: 2, spec: shards, mounts }));
const lost = (at: PoolWorld): PoolWorld => withShards(at, []);

function silent(at: PoolWorld): PoolWorld {
  const { 'uid-0': _, ...answers } = at.answers;
  return { ...at, answers };
}

describe('a deleted ConfigMap', () => {
  it.each([
    [
      'streams that workers report are kept, not new',
      lost(calm),
      'version 2: 0 streams moved, 0 new, 0 gone, 6 kept as workers report them (AssignmentLost)',
    ],
    [
      'a stream that came meanwhile is new',
      withStreams(lost(calm), 7),
      'version 2: 0 streams moved, 1 new, 0 gone, 6 kept as workers report them (AssignmentLost)',
    ],
    [
      'a stream that left the list meanwhile is not counted',
      withStreams(lost(calm), 5),
      'version 2: 0 streams moved, 0 new, 0 gone, 5 kept as workers report them (AssignmentLost)',
    ],
    [
      'streams that no worker reports are new',
      silent(lost(calm)),
      'version 2: 0 streams moved, 3 new, 0 gone, 3 kept as workers report them (AssignmentLost)',
    ],
    [
      'a stream that leaves a cordoned worker has moved',
      withSpec(lost(calm), {
        workers: { selector: { matchLabels: { app: 'worker' } }, cordoned: [1] },
      }),
      'version 2: 3 streams moved, 0 new, 0 gone, 3 kept as workers report them (AssignmentLost)',
    ],
    [
      'only a lost shard is recovered',
      withShards(sharded, sharded.published.shards.slice(0, 1)),
      'version 2: 0 streams moved, 0 new, 0 gone, 3 kept as workers report them (WorkersChanged)',
    ],
    [
      'Exclusive counts the same',
      lost(settled(world({ streams: 6, workers: 2, spec: { handoff: { type: 'Exclusive' } } }))),
      'version 2: 0 streams moved, 0 new, 0 gone, 6 kept as workers report them (AssignmentLost)',
    ],
  ])('after the ConfigMap was deleted, %s', (_, at, message) => {
    expect(publishedEvent(at)).toBe(message);
  });

  it('a worker that reports streams outside the list adds to no count', () => {
    const jobs = [...(jobsOf(calm)['worker-0'] ?? []), ...streamNames(9, 'lie')];
    const liar = { ok: true, report: { version: 1, jobs, podUid: 'uid-0' } } as const;
    const at = { ...lost(calm), answers: { ...calm.answers, 'uid-0': liar } };
    expect(publishedEvent(at)).toContain('0 new, 0 gone, 6 kept');
  });

  it('a paused pool plans no move after its ConfigMap was deleted', () => {
    const at = withSpec(lost(calm), { paused: true });
    expect(carriedOut(at, decide(at)).pool.status?.plan).toEqual({ total: 0, moves: [] });
  });

  it('the event of another change counts no kept streams', () => {
    expect(publishedEvent(withStreams(calm, 7))).toBe(
      'version 2: 0 streams moved, 1 new, 0 gone (StreamsChanged)',
    );
  });
});
