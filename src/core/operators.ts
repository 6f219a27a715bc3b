// Which operators do Leases show, and which of them leads in place of this one?
import { asString, dig, isName, type KubeObject, keyOf } from '../api/objects.ts';
import { oneLine } from '../api/text.ts';
import {
  ANNOTATION_KINDS,
  ANNOTATION_NAMESPACES,
  ANNOTATION_RUNS_AS,
  ANNOTATION_YIELDS,
  LABEL_MANAGED_BY,
  MANAGER,
} from './labels.ts';
import { listed } from './text.ts';

/** The namespace of the Lease and the ledgers of an operator that runs outside of a cluster. */
export const HOME_NAMESPACE = MANAGER;
/** The default of --lease-name. It identifies Leases of older operators, which have no label. */
export const LEASE_NAME = MANAGER;

const ALL = '*';
/** The longest text of a Lease that is read: any user who may write Leases can write any text. */
const LONGEST_TEXT = 200;
const MOST_NAMESPACES = 1_000;
const MOST_SHOWN = 20;
/** Large enough for the clocks of two machines to differ. */
const RENEWED_WITHIN_MS = 30_000;
/** The API server refuses a longer name. */
const LONGEST_NAME = 253;

/** An operator as its Lease describes it. Any user who may write Leases can forge one. */
export type LeasedOperator = {
  /** Namespace and name of the Lease. */
  readonly lease: string;
  /** Empty: no replica holds the Lease. */
  readonly holder: string;
  /** Empty: the operator watches all namespaces. */
  readonly namespaces: readonly string[];
  /** The pod or process; older operators do not write it. */
  readonly runsAs: string | undefined;
  /** The operator stops leading if it sees another Lease, as this operator does. */
  readonly yields: boolean;
};

export type LeaseFacts = Pick<LeasedOperator, 'namespaces' | 'runsAs' | 'yields'>;

export const leaseLabels = { [LABEL_MANAGED_BY]: MANAGER };

export const leaseAnnotations = ({ namespaces, runsAs, yields }: LeaseFacts) => ({
  [ANNOTATION_NAMESPACES]: namespaces.length === 0 ? ALL : namespaces.join(','),
  [ANNOTATION_RUNS_AS]: runsAs ?? '',
  [ANNOTATION_YIELDS]: String(yields),
});

/** Undefined: this is not the Lease of an operator. */
export function leasedOperator(lease: KubeObject): LeasedOperator | undefined {
  const { namespace = '', name, labels = {}, annotations = {} } = lease.metadata;
  const isOurs =
    labels[LABEL_MANAGED_BY] === MANAGER ||
    name === LEASE_NAME ||
    annotations[ANNOTATION_KINDS] !== undefined;
  if (!isOurs) return undefined;
  const runsAs = oneLine(annotations[ANNOTATION_RUNS_AS] ?? '', LONGEST_TEXT);
  return {
    lease: keyOf({ namespace, name }),
    holder: oneLine(asString(dig(lease, 'spec', 'holderIdentity')) ?? '', LONGEST_TEXT),
    namespaces: namespacesIn(annotations[ANNOTATION_NAMESPACES]),
    runsAs: runsAs === '' ? undefined : runsAs,
    yields: annotations[ANNOTATION_YIELDS] === 'true',
  };
}

/**
 * For a program that reads the Lease only once, and so trusts the clocks of both machines. A killed
 * operator leaves its Lease behind.
 */
export function isRenewedAt(lease: KubeObject, now: number): boolean {
  const holder = asString(dig(lease, 'spec', 'holderIdentity')) ?? '';
  const renewed = Date.parse(asString(dig(lease, 'spec', 'renewTime')) ?? '');
  return holder !== '' && now - renewed < RENEWED_WITHIN_MS;
}

/** Older operators do not write the namespaces: like an invalid text, that counts as all. */
function namespacesIn(text = ALL): readonly string[] {
  const names = text.split(',', MOST_NAMESPACES).map((name) => name.trim());
  return names.every(isName) ? names : [];
}

export const overlap = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === 0 || other.length === 0 || one.some((name) => other.includes(name));

/**
 * `claimed`: this operator holds its Lease and has not begun to act. Until it leads, it waits for
 * every other operator. Once it leads, it goes on when an operator that yields claims a Lease: that
 * operator sees the Lease of this one, and waits.
 */
export type LeaseStage = 'waiting' | 'claimed' | 'leading';

type Own = Pick<LeasedOperator, 'lease' | 'namespaces'>;

/** The first running operator that must lead in place of this one. */
export function leaderElsewhere(
  own: Own,
  running: readonly LeasedOperator[],
  stage: LeaseStage,
): LeasedOperator | undefined {
  return running
    .filter(({ lease, holder }) => lease !== own.lease && holder !== '')
    .filter(({ namespaces }) => overlap(own.namespaces, namespaces))
    .filter(({ yields }) => stage !== 'leading' || !yields)
    .toSorted((a, b) => (a.lease < b.lease ? -1 : 1))[0];
}

/**
 * Operators outside of a cluster share a namespace for their Leases. Two that watch different
 * namespaces may both lead, so the Lease of each set of namespaces has its own name.
 */
export function leaseNameFor(namespaces: readonly string[]): string {
  const sorted = [...new Set(namespaces)].sort();
  return [LEASE_NAME, ...sorted]
    .join('.')
    .slice(0, LONGEST_NAME)
    .replace(/[-.]+$/, '');
}

export const namespacesText = (namespaces: readonly string[]): string =>
  namespaces.length === 0 ? 'all' : listed(namespaces, MOST_SHOWN);

/** The location of the leader, for the log and for health. */
export function leaderText({ lease, holder, namespaces, runsAs }: LeasedOperator): string {
  const watched = oneLine(namespacesText(namespaces), LONGEST_TEXT);
  const where = runsAs === undefined ? '' : `, ${runsAs}`;
  return `${holder} (Lease ${lease}${where}, namespaces: ${watched})`;
}
