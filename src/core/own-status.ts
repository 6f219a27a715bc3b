// How are the status and the events of our objects written? A status is written whole, and only if
// it differs.
import { apiVersionOf, type Kind } from '../api/kinds.ts';
import type { ExactRef } from '../api/objects.ts';
import type { OwnMeta } from '../api/own-object.ts';
import { type Decision, type EventText, type Step, versionedRefOf } from './decision.ts';
import { isSameJson } from './json.ts';

type Own<Status> = { readonly meta: OwnMeta; readonly status: Status | undefined };

/**
 * `eventsOf` returns the events of the change. Events follow the write: they are sent only if it
 * succeeds.
 */
export function ownStatusSteps<Status extends object>(
  kind: Kind,
  { meta, status: before }: Own<Status>,
  status: Status,
  eventsOf: (before: Status | undefined, after: Status) => readonly EventText[] = () => [],
): readonly Step[] {
  if (isSameJson(before, status)) return [];
  return [
    { do: 'status', kind, ref: versionedRefOf(meta), status },
    ...eventsOf(before, status).map((event) => ownEventStep(kind, meta, event)),
  ];
}

/** The time between two status writes that change only progress. */
const PACE_MS = 2_000;

/** Conditions and decisions are written at once; all fields outside `newsIn` are progress. */
export const paceInMs = <Status>(
  before: Status | undefined,
  after: Status,
  newsIn: (status: Status | undefined) => readonly unknown[],
  statusAgeMs: number,
): number => (isSameJson(newsIn(before), newsIn(after)) ? PACE_MS - statusAgeMs : 0);

/** The status that should be written, and when it may be. */
export type DueStatus<Status> = { readonly says: Status; readonly dueInMs: () => number };

export const atOnce = <Status>(says: Status): DueStatus<Status> => ({ says, dueInMs: () => 0 });

/** The other steps of a decision, and its next time without regard to status. */
export type AroundStatus = {
  readonly before?: readonly Step[];
  readonly after?: readonly Step[];
  readonly requeueAfterMs?: number | undefined;
};

/** `steps` are the steps that write status. An infinite wait ends when something else changes. */
export function withStatus(
  steps: readonly Step[],
  dueInMs: () => number,
  { before = [], after = [], requeueAfterMs = Number.POSITIVE_INFINITY }: AroundStatus,
): Decision {
  const waitMs = steps.length === 0 ? 0 : dueInMs();
  const isDue = waitMs <= 0;
  const nextInMs = isDue ? requeueAfterMs : Math.min(requeueAfterMs, Math.max(1, waitMs));
  return {
    steps: [...before, ...(isDue ? steps : []), ...after],
    ...(nextInMs < Number.POSITIVE_INFINITY && { requeueAfterMs: nextInMs }),
  };
}

export function ownEventStep(
  kind: Kind,
  { name, namespace, uid }: Required<ExactRef>,
  event: EventText,
): Step {
  const apiVersion = apiVersionOf(kind);
  return { do: 'event', regarding: { apiVersion, kind: kind.kind, name, namespace, uid }, event };
}
