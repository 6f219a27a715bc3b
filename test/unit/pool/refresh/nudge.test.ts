import { describe, expect, it } from '@jest/globals';
import type { ProbeAnswer, WorkerReport } from '../../../../src/api/report.ts';
import { decidePool } from '../../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { carriedOut, confirmed, settled } from '../../../support/pool-decisions.ts';
import {
  assignedTo,
  conditionOf,
  NOW,
  stepsOf,
  withPod,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

const decide = (at: PoolWorld) => decidePool(at, NOW);

describe('a nudge', () => {
  const outstanding = (): PoolWorld => {
    const at = withStreams(settled(world({ streams: 4 })), 5);
    return carriedOut(at, decide(at));
  };

  it.each([
    [1, 999, undefined],
    [1, 1_000, 2],
    [2, 1_999, undefined],
    [2, 2_000, 3],
    [3, 4_000, 4],
  ])('nudge number %i is repeated after its pause, not before (%i ms)', (attempt, ageMs, want) => {
    const start = outstanding();
    const told = JSON.stringify({ ...assignedTo(start, 0), attempt });
    const at = {
      ...withPod(start, 0, { assigned: told }),
      ages: {
        ...start.ages,
        annotatedMs: { 'uid-0': ageMs },
        answersMs: ageMs,
        untoldMs: 0,
        statusMs: 60_000,
      },
    };
    expect(assignedTo(carriedOut(at, decide(at)), 0)?.attempt).toBe(want ?? attempt);
  });

  it.each([
    ['waits while others confirm', 1, 3_000, 999, undefined],
    ['comes when they have been quiet for its pause', 1, 3_000, 1_000, 2],
    ['waits no longer than four times its pause for them', 1, 4_000, 0, 2],
    ['waits its own pause, however quiet they are', 2, 1_999, 60_000, undefined],
  ])('a nudge that is to be repeated %s', (_, attempt, toldMs, answersMs, want) => {
    const start = outstanding();
    const told = JSON.stringify({ ...assignedTo(start, 0), attempt });
    const at = {
      ...withPod(start, 0, { assigned: told }),
      ages: { ...start.ages, annotatedMs: { 'uid-0': toldMs }, answersMs },
    };
    expect(assignedTo(carriedOut(at, decide(at)), 0)?.attempt).toBe(want ?? attempt);
  });

  it('a terminating pod gets no nudge', () => {
    const at = withStreams(settled(world({ streams: 4 })), 5);
    const next = carriedOut(at, decide(at));
    const ending = withPod(at, 0, { isTerminating: true });
    const told = assignedTo(carriedOut(ending, decide(ending)), 0);
    expect(assignedTo(next, 0)?.version).toBe(2);
    expect(told?.version).toBe(1);
  });

  it('a nudge is not repeated for a worker that was not probed since', () => {
    const start = outstanding();
    const late = {
      ...start,
      ages: {
        ...start.ages,
        annotatedMs: { 'uid-0': 60_000 },
        answersMs: 60_000,
        untoldMs: 0,
        statusMs: 60_000,
      },
    };
    const unprobed = { ...late, unprobed: new Set(['uid-0']) };
    expect(assignedTo(carriedOut(late, decide(late)), 0)?.attempt).toBe(2);
    expect(assignedTo(carriedOut(unprobed, decide(unprobed)), 0)?.attempt).toBe(1);
    expect(decide(unprobed).requeueAfterMs).toBe(500);
  });

  it('a nudge is not repeated for a worker that has read the slice and needs time', () => {
    const start = outstanding();
    const late = {
      ...start,
      ages: {
        ...start.ages,
        annotatedMs: { 'uid-0': 60_000 },
        answersMs: 60_000,
        untoldMs: 0,
        statusMs: 60_000,
      },
    };
    const reading = (read: number): PoolWorld => {
      const report = { version: 1, read, jobs: ['s0'], podUid: 'uid-0' };
      return { ...late, answers: { ...late.answers, 'uid-0': { ok: true, report } } };
    };
    const attempts = [2, 1].map(
      (read) => assignedTo(carriedOut(reading(read), decide(reading(read))), 0)?.attempt,
    );
    expect(attempts).toEqual([1, 2]);
  });

  it('a new pod gets no nudge before it was probed: it may have started with the newest file', () => {
    const at = settled(world());
    const fresh = withPod(at, 1, { uid: 'fresh', assigned: undefined });
    expect(stepsOf(decide(fresh))).toEqual(['status']);
    const old = {
      ...fresh,
      answers: { ...fresh.answers, fresh: { ok: true, report: { version: 0, jobs: [] } } as const },
    };
    expect(stepsOf(decide(old))).toEqual(['status', 'annotate']);
  });

  it('a nudge that names another pod does not count: a successor gets its own', () => {
    const at = settled(world());
    const heir = withPod(at, 1, { uid: 'heir' });
    const old = {
      ...heir,
      answers: { ...heir.answers, heir: { ok: true, report: { version: 0, jobs: [] } } as const },
    };
    expect(assignedTo(old, 1)).toMatchObject({ uid: 'uid-1', version: 1 });
    expect(assignedTo(carriedOut(old, decide(old)), 1)).toMatchObject({
      uid: 'heir',
      version: 1,
      attempt: 1,
    });
  });

  it('a worker that does not answer at all gets at most four nudges', () => {
    const start = outstanding();
    const told = JSON.stringify({ ...assignedTo(start, 0), attempt: 4 });
    const silent = {
      ...withPod(start, 0, { assigned: told }),
      answers: { 'uid-0': { ok: false, reason: 'connection refused' } as const },
    };
    expect(
      stepsOf(
        decide({
          ...silent,
          ages: {
            ...silent.ages,
            annotatedMs: { 'uid-0': 3_600_000 },
            answersMs: 3_600_000,
            statusLagMs: 0,
            statusMs: 60_000,
          },
        }),
      ),
    ).not.toContain('annotate');
  });
});

describe('a worker', () => {
  const late = (at: PoolWorld, ms: number): PoolWorld => ({
    ...at,
    ages: {
      publishedMs: ms,
      annotatedMs: {},
      sliceMs: { 'uid-0': ms, 'uid-1': ms },
      unconfirmedMs: { 'uid-0': ms, 'uid-1': ms },
      answersMs: ms,
      statusLagMs: 0,
      statusMs: 60_000,
    },
  });

  it('a worker that reports an old version for too long is Stuck, with what it reports', () => {
    const start = withStreams(settled(world({ streams: 4 })), 5);
    const at = late(carriedOut(start, decide(start)), 60_000);
    expect(conditionOf(carriedOut(at, decide(at)), 'Converged')).toMatchObject({
      reason: 'WorkersStuck',
      message:
        'worker-0 Stuck (version 2 is not confirmed after 60 s: it reports version 1 (notified 1 time))',
    });
  });

  it('a silent worker is described as confirmed only if it had confirmed', () => {
    const at = late(settled(world()), 60_000);
    const { 'uid-0': before } = at.answers;
    if (before?.ok !== true) throw new Error('it has not answered');
    const messageWith = (last: WorkerReport | undefined): string | undefined => {
      const answer: ProbeAnswer = {
        ok: false,
        reason: 'connect ECONNREFUSED',
        ...(last !== undefined && { last }),
      };
      const silent = { ...at, answers: { ...at.answers, 'uid-0': answer } };
      return conditionOf(carriedOut(silent, decide(silent)), 'Converged')?.message;
    };
    const confirmedOnce =
      'worker-0 Stuck (it confirmed version 1, but no longer answers: connect ECONNREFUSED)';
    const notConfirmed =
      'worker-0 Stuck (version 1 is not confirmed after 60 s: connect ECONNREFUSED)';
    expect(messageWith(before.report)).toBe(confirmedOnce);
    expect(messageWith({ ...before.report, version: 0 })).toBe(notConfirmed);
    expect(messageWith({ ...before.report, jobs: ['other'] })).toBe(notConfirmed);
    expect(messageWith({ ...before.report, podUid: 'somebody' })).toBe(notConfirmed);
    expect(messageWith(undefined)).toBe(notConfirmed);
  });

  it('a worker that does not answer is named in ProbeUnreachable', () => {
    const start = carriedOut(world(), decide(world()));
    const at = late(
      {
        ...confirmed(start, [1]),
        answers: {
          ...confirmed(start, [1]).answers,
          'uid-0': { ok: false, reason: 'connect ECONNREFUSED' },
        },
      },
      6_000,
    );
    expect(conditionOf(carriedOut(at, decide(at)), 'ProbeUnreachable')).toMatchObject({
      status: 'True',
      message:
        'worker-0: connect ECONNREFUSED; check spec.probe.httpGet and the NetworkPolicies of the workers',
    });
  });

  it('a worker does not converge by the answer of another pod', () => {
    const at = settled(world());
    const answer = {
      ok: true,
      report: { version: 1, jobs: ['s0', 's1'], podUid: 'somebody' },
    } as const;
    expect(
      decide({ ...at, answers: { ...at.answers, 'uid-0': answer } }).probes[0]?.isOutstanding,
    ).toBe(true);
  });

  it('a worker that runs other streams than it was assigned has not converged', () => {
    const at = settled(world());
    const answer = { ok: true, report: { version: 1, jobs: ['s0'] } } as const;
    expect(
      decide({ ...at, answers: { ...at.answers, 'uid-0': answer } }).probes[0]?.isOutstanding,
    ).toBe(true);
  });
});
