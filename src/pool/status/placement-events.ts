// Which causes have begun to leave streams without a worker? One warning for each.
import type { SwarmPoolStatus } from '../../api/validate.ts';
import type { EventText } from '../../core/decision.ts';
import { listed, plural } from '../../core/text.ts';

const NAMED = 3;

/** Told once: while a cause lasts, more streams or fewer are no other event. */
export function placementEvents(
  before: SwarmPoolStatus | undefined,
  after: SwarmPoolStatus,
): readonly EventText[] {
  const known = new Set(before?.unassigned?.map(({ reason }) => reason));
  const begun = (after.unassigned ?? []).filter(({ reason }) => !known.has(reason));
  return [...Map.groupBy(begun, ({ reason }) => reason)].map(([reason, streams]) => {
    const names = listed(
      streams.map(({ name }) => name),
      NAMED,
    );
    const what = `${plural(streams.length, 'stream')} without a worker (${names})`;
    const message = `${what}: ${streams[0]?.message}`;
    return { type: 'Warning', action: 'Assign', reason, message };
  });
}
