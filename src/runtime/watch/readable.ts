// In which namespaces can everything be read that a kind needs? One that cannot be read stops no
// other.
import type { Kind } from '../../api/kinds.ts';
import { hasCode, type KubeError } from '../client/errors.ts';

/** One list and watch, and whether it works. */
export type WatchState = {
  readonly kind: Kind;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** Listed once. */
  readonly isSynced: boolean;
  /** Why the objects cannot be read, as long as that is so. */
  readonly denial: KubeError | undefined;
};

/** Objects of this kind cannot be read here; without a denial, they have not been listed yet. */
export type Unreadable = {
  readonly namespace: string;
  readonly kind: Kind;
  readonly denial: KubeError | undefined;
};

/** `denied`: nothing of the kind can be reconciled anywhere; `denial` says why. */
export type Readable =
  | { readonly state: 'syncing' }
  | { readonly state: 'synced'; readonly unreadable: readonly Unreadable[] }
  | { readonly state: 'denied'; readonly kind: Kind; readonly denial: KubeError };

type NeededWatches = {
  /** Of the whole cluster, or of a namespace that all others need, such as that of the ledgers. */
  readonly shared: readonly WatchState[];
  /** Of one namespace each. */
  readonly own: readonly WatchState[];
};

export function readableFrom({ shared, own }: NeededWatches): Readable {
  for (const { kind, denial } of [...shared, ...own.filter(isOfMissingKind)])
    if (denial !== undefined) return { state: 'denied', kind, denial };
  if (shared.length + own.length === 0 || !shared.every(isRead)) return { state: 'syncing' };
  const unreadable = unreadableIn(own);
  const namespaces = new Set(own.map(({ namespace }) => namespace));
  if (own.length === 0 || unreadable.length < namespaces.size)
    return { state: 'synced', unreadable };
  // No namespace is left.
  const [first] = unreadable;
  const isEachDenied = unreadable.every(({ denial }) => denial !== undefined);
  return first?.denial !== undefined && isEachDenied
    ? { state: 'denied', kind: first.kind, denial: first.denial }
    : { state: 'syncing' };
}

/** Of each namespace the first kind that is denied, or else the first that has not been listed. */
function unreadableIn(own: readonly WatchState[]): readonly Unreadable[] {
  const byNamespace = new Map<string, Unreadable>();
  for (const watch of own) {
    const { namespace = '', kind, denial } = watch;
    const known = byNamespace.get(namespace);
    if (isRead(watch) || known?.denial !== undefined) continue;
    if (known === undefined || denial !== undefined)
      byNamespace.set(namespace, { namespace, kind, denial });
  }
  return [...byNamespace.values()];
}

const isRead = ({ isSynced, denial }: WatchState): boolean => isSynced && denial === undefined;

/** Its CRD is not installed, so that no namespace has it. */
const isOfMissingKind = ({ denial }: WatchState): boolean => hasCode(denial, 'NotFound');
