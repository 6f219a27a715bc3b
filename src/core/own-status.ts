// How are status and events of our objects written? Status whole, and only when it differs.
import { apiVersionOf, type Kind } from '../api/kinds.ts';
import type { OwnMeta } from '../api/own-object.ts';
import { type EventText, type Step, versionedRefOf } from './decision.ts';
import { isSameJson } from './json.ts';

type Own<Status> = { readonly meta: OwnMeta; readonly status: Status | undefined };

/** `eventsOf`: what has become true. Events follow the write: they are sent only if it succeeds. */
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

/** Between two status writes that show only progress. */
const PACE_MS = 2_000;

/** Conditions and decisions are written at once; whatever `newsIn` leaves out is progress. */
export const paceInMs = <Status>(
  before: Status | undefined,
  after: Status,
  newsIn: (status: Status | undefined) => readonly unknown[],
  statusAgeMs: number,
): number => (isSameJson(newsIn(before), newsIn(after)) ? PACE_MS - statusAgeMs : 0);

/** Undefined: not by time alone. */
export type StatusNow = { readonly steps: readonly Step[]; readonly nextInMs: number | undefined };

export function whenDue(steps: readonly Step[], dueInMs: () => number): StatusNow {
  const waitMs = steps.length === 0 ? 0 : dueInMs();
  if (waitMs <= 0) return { steps, nextInMs: undefined };
  return { steps: [], nextInMs: waitMs === Number.POSITIVE_INFINITY ? undefined : waitMs };
}

export function ownEventStep(
  kind: Kind,
  { name, namespace, uid }: OwnMeta,
  event: EventText,
): Step {
  const apiVersion = apiVersionOf(kind);
  return { do: 'event', regarding: { apiVersion, kind: kind.kind, name, namespace, uid }, event };
}
