// Is there one leader, soon, and never two?
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import { sleep } from '../../../src/runtime/clock.ts';
import { type Candidate, holder, leaderOf, leaseRef, setUp } from './candidates.ts';

const HOUR = 3_600_000;

const what = ({ terms }: Candidate): readonly string[] => terms.map((term) => term.what);

describe('leadership', () => {
  it('leadership of a new lease begins at once', async () => {
    const { clock, leaders } = setUp([0]);
    await clock.advance(0);
    expect(leaders()).toEqual(['c0']);
  });

  it('leadership stays where it is, for one request a renewal', async () => {
    const { clock, candidates, leaders } = setUp([0, 0]);
    const { leader, other } = await leaderOf(clock, candidates);
    await clock.advance(10 * 60_000);
    expect(leaders()).toEqual([leader.identity]);
    expect(what(leader)).toEqual(['started']);
    expect(what(other)).toEqual([]);
    expect(leader.api.calls.length).toBeLessThan((10 * 60) / 1.5 + 5);
    expect(leader.troubles).toEqual([]);
  });

  it('leadership stays where it is when the connection goes silent', async () => {
    const { clock, candidates } = setUp([0, 0]);
    const { leader, other } = await leaderOf(clock, candidates);
    await clock.advance(20_000);
    leader.network = 'silent';
    await clock.advance(20_000);
    expect([leader.isLeading, what(leader), what(other)]).toEqual([true, ['started'], []]);
  });

  it('the leader writes its own data on the Lease, beside what others wrote there', async () => {
    const { clock, store, candidates } = setUp([0]);
    await clock.advance(0);
    const annotations = { 'other.example': 'x' };
    store.merge(kinds.Lease, leaseRef, { metadata: { annotations } });
    await clock.advance(10_000);
    expect(store.get(kinds.Lease, leaseRef).metadata.annotations).toEqual({
      ...annotations,
      said: candidates[0]?.identity,
    });
  });

  it('leadership is handed over within 3 s when the leader is asked to end', async () => {
    const { clock, candidates } = setUp([0, 0]);
    const { leader, other } = await leaderOf(clock, candidates);
    await clock.advance(20_000);
    leader.stop();
    expect(await clock.until('the other leads', () => other.isLeading)).toBeLessThanOrEqual(3_000);
    await leader.done;
    expect(what(leader)).toEqual(['started', 'stopped']);
  });

  it('leadership is not given back before the leader has finished its current work', async () => {
    const { clock, store, candidates } = setUp([0, 0]);
    const { leader } = await leaderOf(clock, candidates);
    const work = Promise.withResolvers<void>();
    leader.stopping = () => work.promise;
    leader.stop();
    await clock.advance(1_000);
    expect(holder(store)).toBe(leader.identity);
    work.resolve();
    await clock.advance(0);
    expect(holder(store)).toBe('');
  });

  it('leadership is taken over within 10 s when the leader is killed, at whatever moment', async () => {
    for (const moment of [0, 100, 700, 1_499, 1_500, 1_501]) {
      const { clock, candidates } = setUp([0, HOUR]);
      const { leader, other } = await leaderOf(clock, candidates);
      await clock.advance(20_000 + moment);
      leader.kill();
      expect(await clock.until('the other leads', () => other.isLeading)).toBeLessThanOrEqual(
        10_000,
      );
    }
  });

  it('leadership survives one lost request', async () => {
    for (const network of ['deaf', 'answers lost'] as const) {
      const { clock, candidates } = setUp([0, 0]);
      const { leader, other } = await leaderOf(clock, candidates);
      await clock.advance(10_000);
      const { length } = leader.api.calls;
      await clock.until('it renews', () => leader.api.calls.length > length);
      leader.network = network;
      await clock.advance(2_000);
      leader.network = 'fine';
      await clock.advance(30_000);
      expect(what(leader)).toEqual(['started']);
      expect(what(other)).toEqual([]);
    }
  });

  it('the leadership of a frozen leader is over before it writes anything', async () => {
    const { clock, candidates } = setUp([0, 0]);
    const { leader, other } = await leaderOf(clock, candidates);
    await clock.advance(10_000);
    leader.process.freeze();
    await clock.until('the other leads', () => other.isLeading);
    // Before the timer of its deadline has run: a write may be what it goes on with first.
    expect(leader.isLeading).toBe(false);
    leader.process.thaw();
    expect(leader.isLeading).toBe(false);
    await clock.advance(1_000);
    expect(what(leader)).toEqual(['started', 'stopped']);
    expect(other.isLeading).toBe(true);
  });

  it('the leadership of a single frozen leader ends, and begins again', async () => {
    const { clock, candidates } = setUp([0]);
    await clock.advance(10_000);
    const [only] = candidates;
    only?.process.freeze();
    await clock.advance(60_000);
    only?.process.thaw();
    expect(only?.isLeading).toBe(false);
    await clock.advance(2_000);
    expect(only && what(only)).toEqual(['started', 'stopped', 'started']);
  });

  it('leadership ends at its deadline, also while a renewal hangs', async () => {
    const { clock, candidates } = setUp([0]);
    const [only] = candidates;
    await clock.advance(10_000);
    if (only === undefined) return;
    only.network = 'deaf';
    await clock.until('the leader has noticed', () => what(only).includes('stopped'), 6_000, 10);
    expect(only.isLeading).toBe(false);
  });

  it('leadership does not begin again before the work of the last term has ended', async () => {
    const { clock, candidates } = setUp([0]);
    const [only] = candidates;
    await clock.advance(1_000);
    if (only === undefined) return;
    const work = Promise.withResolvers<void>();
    only.stopping = () => work.promise;
    only.network = 'refused';
    await clock.advance(10_000);
    only.network = 'fine';
    await clock.advance(10_000);
    expect([what(only), only.isLeading]).toEqual([['started', 'stopped'], false]);
    work.resolve();
    await clock.advance(1_000);
    expect([what(only), only.isLeading]).toEqual([['started', 'stopped', 'started'], true]);
  });

  it('a slow renewal after the deadline begins no new term before the work of the last one has ended', async () => {
    for (const refusedMs of [4_500, 4_900, 5_300, 5_700]) {
      const { clock, candidates } = setUp([0]);
      const [only] = candidates;
      await clock.advance(100);
      if (only === undefined) return;
      only.stopping = () => sleep(only.process, 3_000);
      only.network = 'refused';
      await clock.advance(refusedMs);
      only.network = 'slow';
      await clock.advance(20_000);
      expect([only.mistakes, only.isLeading]).toEqual([[], true]);
    }
  });

  it('leadership goes on when a user deletes the lease', async () => {
    const { clock, store, candidates } = setUp([0, 0]);
    const { leader, other } = await leaderOf(clock, candidates);
    await clock.advance(10_000);
    store.remove(kinds.Lease, leaseRef);
    await clock.advance(20_000);
    expect(what(leader)).toEqual(['started']);
    expect(what(other)).toEqual([]);
    expect(holder(store)).toBe(leader.identity);
  });

  it.each([
    ['bumped', (): number => 1_000],
    ['not bumped', (): undefined => undefined],
  ])(
    'leadership stays where it is when etcd is restored (%s), whatever holder the restored Lease names',
    async (_, bump) => {
      for (const then of ['nobody yet', 'given back', 'another'] as const) {
        const { clock, store, candidates } = setUp([0, 0, 0]);
        const snapshots = { 'nobody yet': store.version, 'given back': 0, another: 0 };
        const { leader: first } = await leaderOf(clock, candidates);
        first.stop();
        await clock.until('it is given back', () => holder(store) === '', 10_000, 1);
        snapshots['given back'] = store.version;
        const { leader: second, other: third } = await leaderOf(
          clock,
          candidates.filter((it) => it !== first),
        );
        await clock.advance(10_000);
        snapshots.another = store.version;
        second.process.freeze();
        await clock.until('the third leads', () => third.isLeading);
        second.process.thaw();
        await clock.advance(10_000);
        store.restore(snapshots[then], bump());
        await clock.advance(30_000);
        expect([then, what(second), what(third), holder(store)]).toEqual([
          then,
          ['started', 'stopped'],
          ['started'],
          third.identity,
        ]);
      }
    },
  );

  it('leadership ends when the lease names another holder', async () => {
    const { clock, store, candidates } = setUp([0]);
    await clock.advance(10_000);
    store.merge(kinds.Lease, leaseRef, { spec: { holderIdentity: 'someone' } });
    await clock.advance(3_000);
    expect(candidates[0] && what(candidates[0])).toEqual(['started', 'stopped']);
    await clock.advance(10_000);
    expect(candidates[0]?.isLeading).toBe(true);
  });

  it('leadership that was won by a write whose response was lost is given back too', async () => {
    const { clock, store, candidates } = setUp([0]);
    const [only] = candidates;
    if (only === undefined) return;
    only.api.faults = {
      ...only.api.faults,
      after: ({ verb }) => (verb === 'create' ? new Promise(() => undefined) : Promise.resolve()),
    };
    await clock.advance(100);
    expect([holder(store), only.isLeading]).toEqual(['c0', false]);
    only.stop();
    await clock.advance(5_000);
    expect(holder(store)).toBe('');
  });

  it('the Lease is written with microseconds, and counts the leaders', async () => {
    const { clock, store, candidates } = setUp([0, 0]);
    const { leader } = await leaderOf(clock, candidates);
    leader.kill();
    await clock.advance(10_000);
    expect(store.get(kinds.Lease, leaseRef)['spec']).toMatchObject({
      leaseDurationSeconds: 8,
      leaseTransitions: 1,
      renewTime: expect.stringMatching(/^2026-01-01T00:00:\d\d\.\d{6}Z$/),
    });
  });
});
