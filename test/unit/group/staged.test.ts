// Which stage is scaled next, with order Staged?
import { describe, expect, it } from '@jest/globals';
import {
  groupWorld,
  later,
  next,
  ready,
  scalesOf,
  settled,
  sizesOf,
  stateOf,
  withSeen,
  withSpec,
} from '../../support/group-worlds.ts';
import { stages } from '../../support/staged-group.ts';

describe('a staged transition', () => {
  const spec = {
    transition: { order: 'Staged', timeoutSeconds: 60, onTimeout: 'Keep', retryAfterSeconds: 300 },
  };
  const group = () => settled(groupWorld({ members: stages, spec }));

  it('a staged transition scales up by stage, each ready before the next', () => {
    const first = next(withSpec(group(), { replicas: 2 }));
    expect(sizesOf(first)).toEqual({ db: 2, service: 1, web: 1 });
    expect(first.group.status?.transition?.stage).toBe(0);
    expect(stateOf(first, 'web')).toBe('Waiting');
    expect(scalesOf(later(first, 5_000))).toEqual({});
    const second = next(ready(first));
    expect(sizesOf(second)).toEqual({ db: 2, service: 2, web: 1 });
    const third = next(ready(second));
    expect(sizesOf(third)).toEqual({ db: 2, service: 2, web: 2 });
  });

  it('a staged transition scales down in reverse', () => {
    const up = settled(withSpec(group(), { replicas: 3 }));
    const first = next(withSpec(up, { replicas: 1 }));
    expect(sizesOf(first)).toEqual({ db: 3, service: 3, web: 1 });
    const second = next(ready(first));
    expect(sizesOf(second)).toEqual({ db: 3, service: 1, web: 1 });
    expect(sizesOf(next(ready(second)))).toEqual({ db: 1, service: 1, web: 1 });
  });

  it('a stage does not wait for one with more replicas than a new, smaller size needs', () => {
    const up = next(withSpec(group(), { replicas: 5 }));
    const mid = next(ready(up));
    expect(sizesOf(mid)).toEqual({ db: 5, service: 5, web: 1 });
    const turned = next(withSpec(mid, { replicas: 3 }));
    expect(sizesOf(turned)).toEqual({ db: 5, service: 3, web: 3 });
    expect(scalesOf(later(ready(turned, 'web'), 0))).toEqual({});
    expect(sizesOf(settled(turned))).toEqual({ db: 3, service: 3, web: 3 });
  });

  it('a staged transition does not wait for a member that is missing', () => {
    const at = withSeen(group(), 'db', () => ({ found: undefined }));
    const first = next(withSpec(at, { replicas: 2 }));
    expect(sizesOf(first)).toEqual({ db: undefined, service: 2, web: 1 });
    expect(stateOf(first, 'db')).toBe('Missing');
  });
});
