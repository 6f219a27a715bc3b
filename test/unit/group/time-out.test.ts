// What becomes of a size that is not reached in time?
import { describe, expect, it } from '@jest/globals';
import type { GroupWorld } from '../../../src/group/world.ts';
import {
  conditionOf,
  groupWorld,
  later,
  next,
  ready,
  scalesOf,
  settled,
  sizesOf,
  withSpec,
} from '../../support/group-worlds.ts';
import { stages } from '../../support/staged-group.ts';

const rollback = {
  transition: { timeoutSeconds: 10, onTimeout: 'Rollback', retryAfterSeconds: 60 },
};

describe('a time-out', () => {
  const spec = (onTimeout: string, order = 'Together') => ({
    transition: { order, timeoutSeconds: 10, onTimeout, retryAfterSeconds: 60 },
  });
  const begun = (onTimeout: string, order?: string) =>
    next(
      withSpec(settled(groupWorld({ members: stages, spec: spec(onTimeout, order) })), {
        replicas: 3,
      }),
      0,
    );

  it('a time-out with Keep leaves the members as they are, and says so', () => {
    const at = next(next(ready(begun('Keep'), 'db'), 100), 10_000);
    expect(at.group.status?.transition?.state).toBe('TimedOut');
    const told = next(at);
    expect(sizesOf(told)).toEqual({ db: 3, service: 3, web: 3 });
    expect(conditionOf(told, 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'TransitionTimedOut',
      message:
        'size 3 was not reached within 10 s: Deployment/service Unready (its controller has not observed its new size yet), Deployment/web Unready (its controller has not observed its new size yet)',
    });
    expect(conditionOf(settled(ready(told)), 'Ready')?.status).toBe('True');
  });

  it('a time-out with Rollback gives each member the replicas that it had', () => {
    const timedOut = next(next(begun('Rollback'), 100), 10_000);
    expect(timedOut.group.status?.transition?.state).toBe('RollingBack');
    const back = next(timedOut, 0);
    expect(sizesOf(back)).toEqual({ db: 1, service: 1, web: 1 });
    const done = next(ready(back));
    expect(done.group.status).toMatchObject({
      transition: { state: 'RolledBack', from: 1, to: 3 },
      history: [{ outcome: 'RolledBack', to: 3 }],
    });
    const rest = next(done);
    expect(scalesOf(later(rest, 59_000))).toEqual({});
    expect(conditionOf(rest, 'Reconciling')).toMatchObject({
      status: 'True',
      reason: 'BackingOff',
    });
  });

  it('a time-out with Rollback gives members back replicas that fit no size of the group', () => {
    const members = { a: { replicas: 1 }, b: { replicas: 4 } };
    const created = groupWorld({ members, spec: { ...rollback, replicas: 3 } });
    const late = next(next(next(created, 0), 0), 10_000);
    expect(sizesOf(next(late))).toEqual({ a: 1, b: 4 });
  });

  it('a group tries a failed size again after a while, doubled each time, and another size at once', () => {
    const failed = (at: GroupWorld) => next(ready(next(next(next(at, 100), 10_000), 0)));
    const once = next(failed(begun('Rollback')));
    expect(scalesOf(later(next(withSpec(once, { replicas: 2 })), 0))).toEqual({});
    expect(sizesOf(next(withSpec(once, { replicas: 2 })))).toMatchObject({ db: 2 });
    expect(scalesOf(later(once, 59_000))).toEqual({});
    const again = next(later(once, 0), 60_000);
    expect(sizesOf(again)).toMatchObject({ db: 3 });
    expect(again.group.status?.transition).toMatchObject({ reason: 'Retried', from: 1, to: 3 });
    const twice = next(failed(again));
    expect(scalesOf(later(twice, 119_000))).toEqual({});
    expect(scalesOf(later(twice, 120_000))).toMatchObject({ db: 3 });
  });
});
