// How is the status of an object of ours written? Whole, only when it differs, and with its events.
import { apiVersionOf, type Kind } from '../api/kinds.ts';
import type { OwnMeta } from '../api/own-object.ts';
import { type EventText, type Step, versionedRefOf } from './decision.ts';
import { isSameJson } from './json.ts';

type Own<Status> = { readonly meta: OwnMeta; readonly status: Status | undefined };

/** One write at most. `eventsOf`: what has become true; told after the write succeeded. */
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

export function ownEventStep(
  kind: Kind,
  { name, namespace, uid }: OwnMeta,
  event: EventText,
): Step {
  const apiVersion = apiVersionOf(kind);
  return { do: 'event', regarding: { apiVersion, kind: kind.kind, name, namespace, uid }, event };
}
