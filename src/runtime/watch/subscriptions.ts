// What must be watched for all listeners? One list and one watch for each kind of object.
import type { Kind } from '../../api/kinds.ts';
import { isRecord, type KubeObject } from '../../api/objects.ts';
import type { Change, Slim } from '../client/api.ts';

export type Subscription = Slim & {
  readonly kind: Kind;
  /** A namespace that is watched besides those of the settings. */
  readonly alsoIn?: string;
  /** What subscribes works also where these objects cannot be read. */
  readonly isOptional?: true;
  readonly onChange: (change: Change) => void;
  /** All objects of a list have been told: of others that `slim` has seen, nothing will be. */
  readonly onListed?: () => void;
};

export type Watched = Slim & {
  readonly kind: Kind;
  readonly alsoIn: readonly string[];
  /** In the order in which they subscribed. */
  readonly listeners: readonly Subscription['onChange'][];
  readonly onListed: () => void;
};

export const nameOfKind = ({ plural, group }: Kind): string => `${plural}.${group}`;

export function watchedFor(subscriptions: readonly Subscription[]): readonly Watched[] {
  const groups = new Map<string, Subscription[]>();
  // Kinds that share a cache pass the same subscription, so the cache gets each change once.
  for (const subscription of new Set(subscriptions)) {
    const name = nameOfKind(subscription.kind);
    groups.set(name, [...(groups.get(name) ?? []), subscription]);
  }
  return [...groups.values()].map((group) => ({
    kind: kindFor(group.map(({ kind }) => kind)),
    alsoIn: group.flatMap(({ alsoIn }) => alsoIn ?? []),
    slim: slimFor(group.map(({ slim }) => slim)),
    listeners: group.map(({ onChange }) => onChange),
    onListed: () => {
      for (const { onListed } of group) onListed?.();
    },
  }));
}

/** Whole objects, as soon as one listener needs more than their metadata. */
function kindFor(kinds: readonly Kind[]): Kind {
  const [first] = kinds;
  if (first === undefined) throw new Error('there is no listener');
  return kinds.find(({ metadataOnly }) => metadataOnly !== true) ?? first;
}

/** Keeps every part of an object that some listener keeps. */
function slimFor(slims: readonly Slim['slim'][]): Slim['slim'] {
  const distinct = [...new Set(slims)];
  const [only] = distinct;
  if (distinct.length === 1) return only;
  if (distinct.some((slim) => slim === undefined)) return undefined;
  return (object) =>
    union(
      object,
      distinct.map((slim) => slim?.(object) ?? object),
    ) as KubeObject;
}

/** The union of the parts. A list that listeners cut differently is kept whole. */
function union(whole: unknown, parts: readonly unknown[]): unknown {
  const present = parts.filter((part) => part !== undefined);
  if (present.length < 2) return present[0];
  if (present.some((part) => part === whole)) return whole;
  if (Array.isArray(whole)) {
    const lists = present.filter((part) => Array.isArray(part));
    if (lists.some(({ length }) => length !== whole.length)) return whole;
    return whole.map((item, at) => union(item, columnOf(lists, at)));
  }
  const records = present.filter(isRecord);
  if (!isRecord(whole) || records.length < present.length) return present[0];
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  return Object.fromEntries(
    [...names].map((name) => [name, union(whole[name], columnOf(records, name))]),
  );
}

const columnOf = <K extends string | number>(
  rows: readonly Readonly<Record<K, unknown>>[],
  at: K,
): readonly unknown[] => rows.map((row) => row[at]);
