// Which size does a policy decide, when does it decide again, and what does status say of it?
import { describe, expect, it } from '@jest/globals';
import { decideGroup } from '../../../src/group/decide.ts';
import { drawnSize } from '../../../src/group/policy/propose.ts';
import { type GroupWorld, nothingRemembered } from '../../../src/group/world.ts';
import {
  carriedOut,
  conditionOf,
  groupWorld,
  NOW,
  ready,
  seenAt,
  sizesOf,
  withSpec,
} from '../../support/group-worlds.ts';

const members = { a: {} };

/** Decides and carries out every second; all members get ready at once. */
function later(start: GroupWorld, seconds: number): GroupWorld {
  let at = start;
  for (let second = 0; second < seconds; second += 1) {
    const now = seenAt(at, at.monotonicMs + 1_000);
    at = ready(carriedOut(now, decideGroup(now, NOW + now.monotonicMs)));
  }
  return at;
}

const statusOf = ({ group }: GroupWorld) => group.status;

const decidedAt = (at: GroupWorld, ms: number) => decideGroup(seenAt(at, ms), NOW + ms);

describe('policy Random', () => {
  const policy = { type: 'Random', maxReplicas: 10, periodSeconds: 60, random: { seed: 42 } };
  const random = groupWorld({ members, spec: { replicas: undefined, policy } });
  const size = (number: number): number => drawnSize(42, number, 1, 10);

  it('policy Random takes another size each period, and follows the seed', () => {
    let at = later(random, 10);
    expect(statusOf(at)).toMatchObject({
      proposal: {
        replicas: size(0),
        reason: 'Drawn',
        message: 'random number 0 of seed 42, from 1 to 10',
      },
      drawn: { seed: 42, number: 0 },
    });
    for (const number of [1, 2, 3]) {
      at = later(at, 61);
      expect(statusOf(at)).toMatchObject({
        proposal: { replicas: size(number) },
        drawn: { seed: 42, number },
      });
      expect(sizesOf(at)).toEqual({ a: size(number) });
    }
    expect(statusOf(at)?.transition).toMatchObject({ reason: 'Drawn', state: 'Completed' });
  });

  it('policy Random decides again exactly when its period ends', () => {
    const rest = later(random, 10);
    expect(decidedAt(rest, 11_000)).toMatchObject({ steps: [], requeueAfterMs: 51_000 });
  });

  it('policy Random continues with its number under a new leader', () => {
    const at = later(random, 70);
    expect(statusOf(at)?.drawn?.number).toBe(1);
    const taken = later({ ...at, remembered: nothingRemembered, monotonicMs: 0 }, 50);
    expect(statusOf(taken)?.drawn?.number).toBe(1);
    expect(statusOf(later(taken, 20))).toMatchObject({
      proposal: { replicas: size(2) },
      drawn: { number: 2 },
    });
  });

  it('policy Random continues with its number after an invalid edit', () => {
    const at = later(random, 70);
    const wrong = later(withSpec(at, { policy: { ...policy, periodSeconds: 1 } }), 2);
    expect(conditionOf(wrong, 'Stalled')).toMatchObject({ status: 'True', reason: 'InvalidSpec' });
    expect(statusOf(wrong)?.drawn?.number).toBe(1);
  });

  it('policy Random begins at number 0 with another seed, or after another policy', () => {
    const at = later(random, 70);
    const other = later(withSpec(at, { policy: { ...policy, random: { seed: 43 } } }), 2);
    expect(statusOf(other)?.drawn).toEqual({ seed: 43, number: 0 });
    const manual = later(withSpec(at, { replicas: 2, policy: { type: 'Manual' } }), 2);
    expect(statusOf(manual)?.drawn).toBeUndefined();
  });

  it('policy Random shows its size while the group is paused, and scales nothing', () => {
    const at = later(withSpec(later(random, 10), { paused: true }), 130);
    expect(statusOf(at)?.drawn?.number).toBe(2);
    expect(sizesOf(at)).toEqual({ a: size(0) });
  });

  it('policy Random never takes over the size of a member', () => {
    const world = groupWorld({
      members: { a: { replicas: 20 } },
      spec: { replicas: undefined, policy },
    });
    expect(decidedAt(world, 0).steps.filter((it) => it.do === 'scale')).toMatchObject([
      { kind: { kind: 'Deployment' }, replicas: size(0) },
    ]);
  });
});

describe('policy Schedule', () => {
  const policy = {
    type: 'Schedule',
    maxReplicas: 10,
    schedules: [
      { name: 'day', schedule: '0 8 * * *', timeZone: 'Europe/Paris', replicas: 6 },
      { name: 'night', schedule: '0 20 * * *', timeZone: 'Europe/Paris', replicas: 2 },
      { name: 'new-year', schedule: '1 0 1 1 *', replicas: 4 },
    ],
  };
  const scheduled = groupWorld({ members, spec: { replicas: undefined, policy } });

  it('policy Schedule has the size that was due last, also from before the group existed', () => {
    // The year begins at NOW: yesterday's night counts.
    const at = later(scheduled, 10);
    expect(sizesOf(at)).toEqual({ a: 2 });
    expect(statusOf(at)?.proposal).toEqual({
      replicas: 2,
      reason: 'Scheduled',
      message: 'schedule night (0 20 * * *, Europe/Paris) was due last',
    });
  });

  it('policy Schedule decides again exactly when the next schedule is due', () => {
    const rest = later(scheduled, 10);
    expect(decidedAt(rest, 11_000)).toMatchObject({ steps: [], requeueAfterMs: 49_000 });
    const due = later(rest, 50);
    expect(sizesOf(due)).toEqual({ a: 4 });
    expect(statusOf(due)?.transition).toMatchObject({
      reason: 'Scheduled',
      to: 4,
      requestTime: '2026-01-01T00:01:00Z',
    });
  });

  it("policy Schedule looks once in a period, since the machine's clock may be set", () => {
    const schedules = [
      { name: 'old', schedule: '0 0 31 12 *', replicas: 2 },
      { name: 'noon', schedule: '0 12 * * *', replicas: 4 },
    ];
    const spec = { policy: { ...policy, schedules, periodSeconds: 30 } };
    const at = later(withSpec(scheduled, spec), 9);
    expect(decidedAt(at, 10_000).requeueAfterMs).toBe(30_000);
    const steps = (now: number) => decideGroup(seenAt(at, 40_000), now).steps;
    expect(steps(NOW + 40_000)).toEqual([]);
    const early = NOW - 24 * 3_600_000;
    expect(steps(early)).toContainEqual(expect.objectContaining({ do: 'scale', replicas: 2 }));
  });

  it('policy Schedule writes nothing when the same schedule is due again', () => {
    const schedules = [{ name: 'always', schedule: '* * * * *', replicas: 3 }];
    const at = later(withSpec(scheduled, { policy: { ...policy, schedules } }), 10);
    for (let minute = 1; minute < 5; minute += 1)
      expect(decidedAt(at, minute * 60_000).steps).toEqual([]);
  });

  it('policy Schedule takes the last in the list of two that are due at once', () => {
    const schedules = [
      { name: 'a', schedule: '0 0 1 1 *', replicas: 3 },
      { name: 'b', schedule: '0 0 * * *', replicas: 5 },
      { name: 'c', schedule: '0 0 * * *', timeZone: 'Asia/Kathmandu', replicas: 1 },
    ];
    expect(sizesOf(later(withSpec(scheduled, { policy: { ...policy, schedules } }), 2))).toEqual({
      a: 5,
    });
  });

  it('policy Schedule computes a line again only when it was due, or the clock was set back', () => {
    const tableAt = (ms: number, before = nothingRemembered.timetable) =>
      decideGroup(
        { ...scheduled, remembered: { ...nothingRemembered, timetable: before } },
        NOW + ms,
      ).remembered.timetable;
    const kept = (before: ReturnType<typeof tableAt>, after: ReturnType<typeof tableAt>) =>
      [...after].filter(([line, due]) => due === before.get(line)).map(([line]) => line);
    const lines = ['Europe/Paris 0 8 * * *', 'Europe/Paris 0 20 * * *', 'UTC 1 0 1 1 *'];
    const first = tableAt(0);
    expect(kept(first, tableAt(59_999, first))).toEqual(lines);
    expect(kept(first, tableAt(60_000, first))).toEqual(lines.slice(0, 2));
    const back = -6 * 3_600_000;
    expect(kept(first, tableAt(back, first))).toEqual(['Europe/Paris 0 8 * * *', 'UTC 1 0 1 1 *']);
    expect(tableAt(back, first)).toEqual(tableAt(back));
  });

  it.each([
    [
      '0 25 * * *',
      'UTC',
      'spec.policy.schedules[0].schedule: "0 25 * * *" has "25" as hour; allowed are 0-23, and *',
    ],
    ['0 0 31 2 *', 'UTC', '"0 0 31 2 *" never matches'],
    [
      '0 8 * * *',
      'Mars/Olympus',
      'spec.policy.schedules[0].timeZone: "Mars/Olympus" is not a time zone; allowed are names such as Europe/Paris',
    ],
  ])('a group refuses the schedule %s in %s with a condition', (schedule, timeZone, message) => {
    const schedules = [{ name: 'day', schedule, timeZone, replicas: 1 }];
    const at = later(withSpec(scheduled, { policy: { ...policy, schedules } }), 2);
    expect(conditionOf(at, 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'InvalidSpec',
      message: expect.stringContaining(message),
    });
  });
});

describe('schedules beside another policy', () => {
  const schedules = [
    { name: 'night', schedule: '0 20 * * *', maxReplicas: 2 },
    { name: 'morning', schedule: '1 0 1 1 *', minReplicas: 5 },
  ];

  it('schedules move the bounds of policy Manual', () => {
    const at = later(groupWorld({ members, spec: { replicas: 4, policy: { schedules } } }), 10);
    expect(sizesOf(at)).toEqual({ a: 2 });
    expect(conditionOf(at, 'Limited')).toMatchObject({
      status: 'True',
      reason: 'AtMaximum',
      message: 'the size would be 4; spec.policy.schedules[night].maxReplicas is 2',
    });
    const morning = later(at, 60);
    expect(sizesOf(morning)).toEqual({ a: 5 });
    expect(statusOf(morning)?.transition).toMatchObject({
      reason: 'SizeChanged',
      requestTime: '2026-01-01T00:01:00Z',
    });
  });

  it('schedules move the bounds of policy Random', () => {
    const policy = { type: 'Random', maxReplicas: 100, random: { seed: 1 }, schedules };
    const at = later(groupWorld({ members, spec: { replicas: undefined, policy } }), 10);
    expect(statusOf(at)?.proposal?.message).toBe('random number 0 of seed 1, from 1 to 2');
  });
});

describe('a bound that is moved by hand', () => {
  it('a transition after an edit of a bound is measured from the edit, not from the size that it limited', () => {
    const policy = { maxReplicas: 2 };
    const at = later(groupWorld({ members, spec: { replicas: 9, policy } }), 60);
    const moved = later(withSpec(at, { policy: { maxReplicas: 4 } }), 1);
    expect(statusOf(moved)?.transition).toMatchObject({
      to: 4,
      requestTime: '2026-01-01T00:01:01Z',
    });
  });
});
