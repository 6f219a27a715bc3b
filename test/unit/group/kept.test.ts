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
  it('a time-out with Keep gives the new size to stages that have waited, too', () => {
    const at = pass(withSpec(atSize(2, 'Staged', 'Keep'), { replicas: 4 }), T + 3_000, 'db');
    expect(sizesOf(at)).toEqual({ db: 4, service: 4, web: 4 });
    expect(at.group.status?.replicas).toBe(4);
    expect(conditionOf(at, 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'TransitionTimedOut',
    });
  });

  it('a transition after a kept time-out still waits for members that were not ready', () => {
    const late = pass(withSpec(atSize(2, 'Together', 'Keep'), { replicas: 5 }), T + 3_000, 'db');
    const unready = withMember(late, 'db', ({ size }) => ({ size: { ...size, ready: 0 } }));
    const at = pass(withSpec(unready, { replicas: 4 }), 2_000, 'db');
    expect(at.group.status?.transition).toMatchObject({ state: 'Scaling', from: 2, to: 4 });
    const timedOut = pass(at, T, 'db');
    expect(outcomes(timedOut)[0]).toBe('2-4 TimedOut');
  });

  it('a kept size that is reached late is recorded as completed', () => {
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
