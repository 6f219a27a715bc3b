// What becomes of a size that timed out and is kept?
import { describe, expect, it } from '@jest/globals';
import {
  conditionOf,
  next,
  ready,
  sizesOf,
  withMember,
  withSpec,
} from '../../support/group-worlds.ts';
import { atSize, outcomes, pass, T } from '../../support/staged-group.ts';

describe('with Keep, a time-out', () => {
  it('gives the stages that have waited the new size, too', () => {
    const at = pass(withSpec(atSize(2, 'Staged', 'Keep'), { replicas: 4 }), T + 3_000, 'db');
    expect(sizesOf(at)).toEqual({ db: 4, service: 4, web: 4 });
    expect(at.group.status?.replicas).toBe(4);
    expect(conditionOf(at, 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'TransitionTimedOut',
    });
  });

  it('is no rest: the next size waits for who was not ready', () => {
    const late = pass(withSpec(atSize(2, 'Together', 'Keep'), { replicas: 5 }), T + 3_000, 'db');
    const unready = withMember(late, 'db', ({ size }) => ({ size: { ...size, ready: 0 } }));
    const at = pass(withSpec(unready, { replicas: 4 }), 2_000, 'db');
    expect(at.group.status?.transition).toMatchObject({ state: 'Scaling', from: 2, to: 4 });
    const timedOut = pass(at, T, 'db');
    expect(outcomes(timedOut)[0]).toBe('2-4 TimedOut');
  });

  it('that is over late is recorded as reached', () => {
    const late = pass(withSpec(atSize(2, 'Together', 'Keep'), { replicas: 4 }), T + 3_000, 'db');
    expect(late.group.status?.transition?.state).toBe('TimedOut');
    const done = next(ready(late));
    expect(done.group.status?.transition?.state).toBe('Completed');
    expect(outcomes(done)[0]).toBe('2-4 Completed');
    expect(conditionOf(done, 'Ready')?.status).toBe('True');
    // A rollout at rest.
    const restarted = next(
      withMember(done, 'web', ({ size }) => ({ size: { ...size, ready: 1 } })),
      60_000,
    );
    expect(conditionOf(restarted, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'MembersUnready',
    });
    expect(conditionOf(restarted, 'Reconciling')?.status).toBe('True');
    expect(conditionOf(restarted, 'Stalled')?.status).toBe('False');
  });
});
