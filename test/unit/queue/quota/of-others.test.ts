// When does the operator take what a ResourceQuota counts for that of others than jobs?
import { describe, expect, it } from '@jest/globals';
import { lastedInMs, ofOthersAfter, withOthers } from '../../../../src/queue/quota/of-others.ts';
import type { OfOthers } from '../../../../src/queue/world.ts';

type Seen = {
  readonly atMs: number;
  readonly used: number;
  /** Of what is used or promised. */
  readonly ofJobs: number;
  readonly promised?: number;
};

const pods = (count: number) => new Map([['pods', BigInt(count)]]);

const heldAfter = (seen: readonly Seen[]): ReadonlyMap<string, OfOthers> =>
  seen.reduce<ReadonlyMap<string, OfOthers>>(
    (known, { atMs, used, ofJobs, promised = 0 }) =>
      ofOthersAfter(
        known,
        [
          {
            name: 'all',
            hard: pods(9),
            used: pods(used),
            promised: pods(promised),
            ofJobs: pods(ofJobs),
            ofPods: pods(0),
          },
        ],
        atMs,
      ),
    new Map(),
  );

const ofOthers = (...seen: readonly Seen[]): bigint | undefined =>
  heldAfter(seen).get('all/pods')?.amount;

describe('usage of a ResourceQuota by others than jobs', () => {
  it('a larger usage counts when it has lasted for three seconds', () => {
    const first = { atMs: 0, used: 2, ofJobs: 0 };
    expect(ofOthers(first, { ...first, atMs: 2_999 })).toBe(0n);
    expect(ofOthers(first, { ...first, atMs: 3_000 })).toBe(2n);
  });

  it('pods of an ended job that still count are not counted as those of others', () => {
    const runs = { atMs: 0, used: 3, ofJobs: 3 };
    const ended = { atMs: 5_000, used: 3, ofJobs: 0 };
    const counted = { atMs: 6_000, used: 1, ofJobs: 0 };
    expect(ofOthers(runs, ended)).toBe(0n);
    expect(ofOthers(runs, ended, counted, { ...counted, atMs: 7_999 })).toBe(0n);
    expect(ofOthers(runs, ended, counted, { ...counted, atMs: 8_000 })).toBe(1n);
  });

  it('the smallest usage seen meanwhile counts, and a larger one has to last', () => {
    const seen = [1, 2, 5].map((used, index) => ({ atMs: 1_500 * index, used, ofJobs: 0 }));
    expect(ofOthers(...seen)).toBe(1n);
    expect(ofOthers(...seen, { atMs: 6_000, used: 5, ofJobs: 0 })).toBe(5n);
  });

  it('a smaller usage counts when it has lasted for three seconds, and is never negative', () => {
    const lasted = [0, 3_000].map((atMs) => ({ atMs, used: 2, ofJobs: 0 }));
    const less = [4_000, 6_999].map((atMs) => ({ atMs, used: 1, ofJobs: 0 }));
    expect(ofOthers(...lasted, ...less)).toBe(2n);
    expect(ofOthers(...lasted, ...less, { atMs: 7_000, used: 1, ofJobs: 0 })).toBe(1n);
    const none = [4_000, 7_000].map((atMs) => ({ atMs, used: 1, ofJobs: 4 }));
    expect(ofOthers(...lasted, ...none)).toBe(0n);
  });

  it('the largest usage seen meanwhile counts, and a smaller one has to last', () => {
    const lasted = [0, 3_000].map((atMs) => ({ atMs, used: 5, ofJobs: 0 }));
    const less = [2, 3, 1].map((used, at) => ({ atMs: 4_000 + 1_500 * at, used, ofJobs: 0 }));
    expect(ofOthers(...lasted, ...less)).toBe(3n);
    expect(ofOthers(...lasted, ...less, { atMs: 10_000, used: 1, ofJobs: 0 })).toBe(1n);
  });

  it('usage of living pods and of others counts even if the ResourceQuota shows less', () => {
    const taken = { name: 'all', hard: pods(9), promised: pods(0), ofJobs: pods(3) };
    const known = new Map([['all/pods', { amount: 2n }]]);
    const usedOf = (used: number) =>
      withOthers({ ...taken, used: pods(used), ofPods: pods(3) }, known).used.get('pods');
    expect([2, 6].map(usedOf)).toEqual([5n, 6n]);
  });

  it('promised pods may or may not be in use already', () => {
    const lasted = [0, 3_000].map((atMs) => ({ atMs, used: 2, ofJobs: 0 }));
    const promised = { atMs: 3_001, used: 2, ofJobs: 1, promised: 1 };
    expect(ofOthers(...lasted, promised)).toBe(2n);
    const counted = { ...promised, used: 3 };
    expect(ofOthers(...lasted, counted, { ...counted, atMs: 7_000 })).toBe(2n);
  });

  it('the operator decides again when a change of usage has lasted', () => {
    const seen = heldAfter([{ atMs: 0, used: 2, ofJobs: 0 }]);
    expect(lastedInMs(seen, 1_000)).toBe(2_000);
    expect(lastedInMs(heldAfter([{ atMs: 0, used: 2, ofJobs: 2 }]), 1_000)).toBeUndefined();
  });
});
