// Which jobs of a namespace may run? The ledger: one ConfigMap for each namespace, in the
// operator's own namespace, so that users cannot change it. Queues write it, jobs read it.
import { fingerprint } from './fingerprint.ts';
import { grantAt } from './grants.ts';
import { apiVersionOf, kinds } from './kinds.ts';
import { asList, asNumber, asRecord, asString, dig, type KubeObject, type Ref } from './objects.ts';
import type { ConfigMap, Identity } from './observed.ts';

/** A job that was admitted and still holds quota. */
export type LedgerEntry = {
  readonly uid: string;
  readonly name: string;
  readonly queue: string;
  readonly size: number;
  /** The requests of all its pods, as quantities. */
  readonly requests: Readonly<Record<string, string>>;
  /** The batch Job that carries this number may be started. */
  readonly grant: number;
  readonly time: string;
  /** The user who submitted it. Omitted: it names none. */
  readonly user?: string;
  /** The job ends, and waits again, so that a job of higher priority can start. */
  readonly preempted?: Preempted;
};

/**
 * `uid` and `name` identify the job that takes its place. `uid` is empty once that job is admitted.
 */
export type Preempted = {
  readonly uid: string;
  readonly name: string;
  readonly priority: number;
  readonly time: string;
};

export type LedgerContents = {
  /** The epoch of the leader that last wrote the ledger, in the term in which it did. */
  readonly epoch: string;
  /** Above every grant that was ever given in this namespace. */
  readonly nextGrant: number;
  readonly entries: readonly LedgerEntry[];
};

export type QueueLedger = LedgerContents & {
  readonly at: Identity;
  readonly bytes: number;
  /** Another writer than the operator has edited it: its digest does not match its text. */
  readonly isEdited: boolean;
};

const PREFIX = 'swarm-ledger-';
const CONTENTS = 'ledger.json';
const DIGEST = 'digest';

export const ledgerName = (namespace: string): string => `${PREFIX}${namespace}`;

/** Undefined: a ConfigMap of this name is no ledger. */
export const namespaceOfLedger = (name: string): string | undefined =>
  name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined;

/** The clock of another leader may have been ahead by this much. */
const CLOCKS_DIFFER_MS = 86_400_000;

/**
 * False for a number that no ledger can have given yet: a user who may write batch Jobs may write
 * any number on one.
 */
export const isPossible = (grant: number, now: number): boolean =>
  grant <= grantAt(now + CLOCKS_DIFFER_MS);

/** This number was given later: an earlier text of the ledger was restored. */
export const isOlderThan = (
  { nextGrant }: Pick<LedgerContents, 'nextGrant'>,
  grant: number | undefined,
  now: number,
): boolean => grant !== undefined && grant >= nextGrant && isPossible(grant, now);

export const ledgerData = (contents: LedgerContents): Readonly<Record<string, string>> => {
  const text = ledgerText(contents);
  return { [CONTENTS]: text, [DIGEST]: fingerprint(text) };
};

/** One line for each entry, for people who read it. */
const ledgerText = ({ epoch, nextGrant, entries }: LedgerContents): string => {
  const lines = entries.map((entry) => `\n${entryText(entry)}`).join(',');
  return `{"epoch":${JSON.stringify(epoch)},"nextGrant":${nextGrant},"entries":[${lines}]}\n`;
};

const entryText = (entry: LedgerEntry): string => JSON.stringify(entry);

/** The bytes that the entry adds to the ledger, with its line break and comma. */
export const entryBytes = (entry: LedgerEntry): number => Buffer.byteLength(entryText(entry)) + 2;

export const ledgerObject = (
  { name, namespace = '' }: Ref,
  labels: Readonly<Record<string, string>>,
  contents: LedgerContents,
): KubeObject => ({
  apiVersion: apiVersionOf(kinds.ConfigMap),
  kind: kinds.ConfigMap.kind,
  metadata: { name, namespace, labels },
  data: ledgerData(contents),
});

/** An unreadable ledger counts as edited: it is written anew from existing objects. */
export function parseLedger({ data, ...at }: ConfigMap): QueueLedger {
  const text = data[CONTENTS] ?? '';
  const contents = jsonIn(text);
  const { name, namespace, uid, resourceVersion } = at;
  return {
    at: { name, namespace, uid, resourceVersion },
    epoch: asString(dig(contents, 'epoch')) ?? '',
    nextGrant: asNumber(dig(contents, 'nextGrant')) ?? 0,
    entries: asList(dig(contents, 'entries')).flatMap(parseEntry),
    bytes: Buffer.byteLength(text),
    isEdited: data[DIGEST] !== fingerprint(text),
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseEntry(value: unknown): readonly LedgerEntry[] {
  const [uid, name, queue, time, user] = ['uid', 'name', 'queue', 'time', 'user'].map((it) =>
    asString(dig(value, it)),
  );
  const [size, grant] = ['size', 'grant'].map((it) => asNumber(dig(value, it)));
  if (uid === undefined || name === undefined || queue === undefined) return [];
  if (time === undefined || size === undefined || grant === undefined) return [];
  const requests = Object.fromEntries(
    Object.entries(asRecord(dig(value, 'requests')) ?? {}).flatMap(([resource, amount]) =>
      typeof amount === 'string' ? [[resource, amount]] : [],
    ),
  );
  const preempted = preemptedIn(dig(value, 'preempted'));
  const more = { ...(user !== undefined && { user }), ...(preempted && { preempted }) };
  return [{ uid, name, queue, size, requests, grant, time, ...more }];
}

function preemptedIn(value: unknown): Preempted | undefined {
  const [uid, name, time] = ['uid', 'name', 'time'].map((it) => asString(dig(value, it)));
  const priority = asNumber(dig(value, 'priority'));
  if (uid === undefined || name === undefined || time === undefined) return undefined;
  return priority === undefined ? undefined : { uid, name, priority, time };
}
