// What does a watcher do at present, and what makes it list again? Its states, and the transitions
// between them.

/** Why a watcher lists its objects. */
type Cause =
  /** The first list. */
  | 'begun'
  /** The server no longer has the changes since the last one that the watcher saw. */
  | 'expired'
  /** The server was away: etcd may have been restored, and may have passed the seen versions. */
  | 'away'
  /** etcd has an older version than the watcher saw. */
  | 'behind'
  /** The watch reported fewer changes than a list shows. */
  | 'missed'
  /** A caller of `refresh()` needs the present state. */
  | 'refresh'
  /** Another watcher or the Lease has shown that etcd was restored: a list of any age counts. */
  | 'restored';

/** A list that the watcher makes before its next watch. */
export type NeededList = {
  readonly because: Cause;
  /** Calls of `refresh()` that wait for it. */
  readonly waiting: readonly (() => void)[];
  /** The number of lists in a row that were refused, since they were older than seen changes. */
  readonly refused: number;
};

/** `next` is a list that a list under way does not replace, since that one began earlier. */
export type WatcherState = { readonly next: NeededList | undefined } & (
  | { readonly is: 'listing'; readonly list: NeededList }
  /**
   * A watch broke, and etcd may have been restored meanwhile: a watch from a version ahead of etcd
   * would stay silent. So the watcher asks how far etcd is.
   */
  | { readonly is: 'comparing' }
  | { readonly is: 'watching'; readonly interrupt: AbortController }
  /** After a failure, before the watcher lists or compares. */
  | { readonly is: 'waiting'; readonly ms: number }
);

export const needed = (because: Cause, waiting: NeededList['waiting'] = []): NeededList => ({
  ...{ because, waiting, refused: 0 },
});

const listing = (list: NeededList): WatcherState => ({ is: 'listing', list, next: undefined });
const comparing: WatcherState = { is: 'comparing', next: undefined };
const watching = (): WatcherState => ({
  ...{ is: 'watching', interrupt: new AbortController(), next: undefined },
});

export const begun = listing(needed('begun'));

export const needing = (state: WatcherState, list: NeededList): WatcherState => ({
  ...state,
  next: joined(state.next, list),
});

/** The list that is needed, or else this. */
const followed = ({ next }: WatcherState, otherwise: WatcherState): WatcherState =>
  next === undefined ? otherwise : listing(next);

export const listed = (state: WatcherState): WatcherState => followed(state, watching());

/** The list was older than what is known, and does not count. */
export const refused = (state: WatcherState): WatcherState =>
  state.is === 'listing'
    ? { ...state, list: { ...state.list, refused: state.list.refused + 1 } }
    : state;

export const compared = (state: WatcherState, isBehind: boolean): WatcherState =>
  followed(isBehind ? needing(state, needed('behind')) : state, watching());

/** `isEarly`: before its time, as when the server shuts down. */
export const ended = (state: WatcherState, isEarly: boolean): WatcherState =>
  followed(state, isEarly ? comparing : watching());

/** A list that fails is still needed. */
export function failed(state: WatcherState, ms: number, because?: Cause): WatcherState {
  const own = state.is === 'listing' ? state.list : undefined;
  const other = because === undefined ? undefined : needed(because);
  return { is: 'waiting', ms, next: joined(joined(own, state.next), other) };
}

export const waited = (state: WatcherState): WatcherState => followed(state, comparing);

/** etcd was restored, and no list has followed yet. */
export const isToldOfRestore = (state: WatcherState): boolean =>
  state.next?.because === 'restored' ||
  (state.is === 'listing' && state.list.because === 'restored');

/** One list for both. */
function joined(a: NeededList | undefined, b: NeededList | undefined): NeededList | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    because: b.because === 'restored' ? b.because : a.because,
    waiting: [...a.waiting, ...b.waiting],
    refused: Math.max(a.refused, b.refused),
  };
}
