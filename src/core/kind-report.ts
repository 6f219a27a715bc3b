// Does the operator work for a kind, and in which namespaces can it not?

/**
 * Off: the operator decides nothing about objects of this kind, and all other kinds run. On: it
 * decides about objects in all namespaces that it can read.
 */
export type KindReport =
  | { readonly kind: string; readonly state: 'Syncing' }
  | {
      readonly kind: string;
      readonly state: 'On';
      /** Omitted: the operator can read all namespaces. */
      readonly unreadable?: readonly UnreadableNamespace[];
    }
  | {
      readonly kind: string;
      readonly state: 'Off';
      readonly reason: 'NotInstalled' | 'Forbidden' | 'LeftOut';
      readonly message: string;
    };

/** A namespace in which the operator does not act on objects of the kind. */
export type UnreadableNamespace = {
  readonly namespace: string;
  readonly reason: 'Forbidden' | 'Syncing';
  readonly message: string;
};

const MOST_NAMED = 10;

/** For readers with limits, such as a Lease: the first unreadable namespaces, and their number. */
export function inShort(report: KindReport): object {
  if (report.state !== 'On' || report.unreadable === undefined) return report;
  const { unreadable } = report;
  const first = unreadable.slice(0, MOST_NAMED);
  return { ...report, unreadable: { count: unreadable.length, first } };
}
