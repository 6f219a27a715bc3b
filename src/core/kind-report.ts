// What does the operator say about one of its kinds: does it work for it, and where not?

/**
 * Off: the operator decides nothing about objects of this kind. All other kinds run. On: it decides
 * about them in all namespaces but those that it cannot read.
 */
export type KindReport =
  | { readonly kind: string; readonly state: 'Syncing' }
  | {
      readonly kind: string;
      readonly state: 'On';
      /** Left out: it can read all. */
      readonly unreadable?: readonly UnreadableNamespace[];
    }
  | {
      readonly kind: string;
      readonly state: 'Off';
      readonly reason: 'NotInstalled' | 'Forbidden' | 'LeftOut';
      readonly message: string;
    };

/** The objects of the kind rest in this namespace. */
export type UnreadableNamespace = {
  readonly namespace: string;
  readonly reason: 'Forbidden' | 'Syncing';
  readonly message: string;
};

const MOST_NAMED = 10;

/** For readers that have limits, such as a Lease: the first unreadable namespaces, and a count. */
export function inShort(report: KindReport): object {
  if (report.state !== 'On' || report.unreadable === undefined) return report;
  const { unreadable } = report;
  const first = unreadable.slice(0, MOST_NAMED);
  return { ...report, unreadable: { count: unreadable.length, first } };
}
