// What does a watcher do next, whatever it does now and whatever is needed meanwhile?
import { describe, expect, it } from '@jest/globals';
import {
  begun,
  compared,
  ended,
  failed,
  isToldOfRestore,
  listed,
  type NeededList,
  needed,
  needing,
  refused,
  type WatcherState,
  waited,
} from '../../../../src/runtime/watch/watcher-state.ts';

const watching = listed(begun);
const comparing = ended(watching, true);
const refresh = needed('refresh');
const restored = needed('restored');

/** What it does, and for a list why. */
const said = (state: WatcherState): string =>
  state.is === 'listing' ? `listing: ${state.list.because}` : state.is;

describe('a watcher', () => {
  it.each<[string, WatcherState, string]>([
    ['begins', begun, 'listing: begun'],
    ['has listed', listed(begun), 'watching'],
    [
      'has listed, and is asked for another list meanwhile',
      listed(needing(begun, refresh)),
      'listing: refresh',
    ],
    ['ends a watch in time', ended(watching, false), 'watching'],
    ['ends a watch early', ended(watching, true), 'comparing'],
    ['ends a watch for a list', ended(needing(watching, refresh), true), 'listing: refresh'],
    ['finds etcd where it was', compared(comparing, false), 'watching'],
    ['finds etcd behind', compared(comparing, true), 'listing: behind'],
    [
      'is asked for a list while it compares',
      compared(needing(comparing, refresh), false),
      'listing: refresh',
    ],
    ['fails to list', waited(failed(begun, 100)), 'listing: begun'],
    ['fails to watch', waited(failed(watching, 100)), 'comparing'],
    ['fails to compare', waited(failed(comparing, 100)), 'comparing'],
    [
      'watches from a forgotten version',
      waited(failed(watching, 0, 'expired')),
      'listing: expired',
    ],
    [
      'is asked for a list while it waits',
      waited(needing(failed(watching, 100), refresh)),
      'listing: refresh',
    ],
    [
      'is told of a restored etcd, too',
      ended(needing(needing(watching, refresh), restored), true),
      'listing: restored',
    ],
    [
      'fails to list after a restore',
      waited(failed(ended(needing(watching, restored), true), 1, 'away')),
      'listing: restored',
    ],
  ])('a watcher that %s goes on with the right step', (_, state, next) => {
    expect(said(state)).toBe(next);
  });

  const listOf = (state: WatcherState): NeededList | undefined =>
    state.is === 'listing' ? state.list : undefined;

  it('a watcher that fails to list keeps those who wait, and counts the refused answers', () => {
    const calls = [(): void => undefined, (): void => undefined];
    const [first, second] = calls.map((call) => needed('refresh', [call]));
    if (first === undefined || second === undefined) throw new Error('there are two');
    const under = ended(needing(watching, first), false);
    const again = waited(failed(refused(refused(needing(under, second))), 1_000));
    expect(listOf(again)).toEqual({ because: 'refresh', waiting: calls, refused: 2 });
  });

  it('a watcher knows that etcd was restored until a list has followed', () => {
    const told = needing(watching, restored);
    const states = [watching, told, ended(told, true), failed(ended(told, true), 1)];
    expect(states.map(isToldOfRestore)).toEqual([false, true, true, true]);
    expect(isToldOfRestore(listed(ended(told, true)))).toBe(false);
    expect(isToldOfRestore(listed(needing(ended(told, true), restored)))).toBe(true);
  });
});
