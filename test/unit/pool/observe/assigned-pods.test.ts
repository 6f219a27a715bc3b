// Is it known which pools name a pod, and which pods a change of an assignment concerns?
import { describe, expect, it } from '@jest/globals';
import type { Assignment } from '../../../../src/api/assignment.ts';
import { NamedWorkers } from '../../../../src/pool/observe/former-workers.ts';

const tv = { namespace: 'swarm', name: 'tv' };
const radio = { namespace: 'swarm', name: 'radio' };
const pod = (name: string, namespace = 'swarm') => ({ namespace, name });

const naming = (...names: readonly string[]): Assignment => ({
  workloads: new Map(
    names.map((name) => [
      name,
      name.startsWith('slot ') ? { slot: 0, jobs: [], version: 1 } : { jobs: [], version: 1 },
    ]),
  ),
  version: 1,
});

describe('named workers', () => {
  it('the named workers are those of the last assignment of each pool', () => {
    const named = new NamedWorkers();
    named.note(tv, naming('a-0', 'a-1'));
    named.note(radio, naming('a-1'));
    expect(named.poolsNaming(pod('a-1'))).toEqual(['swarm/tv', 'swarm/radio']);
    named.note(tv, naming('b-0'));
    expect(named.poolsNaming(pod('a-0'))).toEqual([]);
    expect(named.poolsNaming(pod('a-1'))).toEqual(['swarm/radio']);
  });

  it("the named workers are those of the pool's own namespace", () => {
    const named = new NamedWorkers();
    named.note(tv, naming('a-0'));
    expect(named.poolsNaming(pod('a-0', 'elsewhere'))).toEqual([]);
  });

  it('a noted assignment returns the pods that are newly named or no longer named', () => {
    const named = new NamedWorkers();
    expect(named.note(tv, naming('a-0', 'a-1'))).toEqual([pod('a-0'), pod('a-1')]);
    expect(named.note(tv, naming('a-1', 'a-2'))).toEqual([pod('a-0'), pod('a-2')]);
    expect(named.note(tv, undefined)).toEqual([pod('a-1'), pod('a-2')]);
    expect(named.knows(tv)).toBe(true);
    expect(named.forget(tv)).toEqual([]);
    expect(named.knows(tv)).toBe(false);
  });

  it('the named workers show whether another pool of the namespace names any', () => {
    const named = new NamedWorkers();
    named.note(tv, naming('a-0'));
    named.note({ ...radio, namespace: 'elsewhere' }, naming('a-0'));
    expect([named.hasOthersThan(tv), named.hasOthersThan(radio)]).toEqual([false, true]);
    named.note(radio, naming('b-0'));
    expect(named.hasOthersThan(tv)).toBe(true);
    named.note(radio, naming('slot 0'));
    expect(named.hasOthersThan(tv)).toBe(false);
    named.forget(tv);
    expect(named.hasOthersThan(radio)).toBe(false);
  });

  it('a slot without a pod names no worker', () => {
    expect(new NamedWorkers().note(tv, naming('slot 0'))).toEqual([]);
  });
});
