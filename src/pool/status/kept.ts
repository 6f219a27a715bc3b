// What is said of streams that keep their worker in spite of a mistake?
import type { SwarmPoolStatus } from '../../api/validate.ts';
import type { EventText } from '../../core/decision.ts';
import { listed, plural } from '../../core/text.ts';
import type { KeptStream } from '../assign/keep.ts';

/** The first entries are shown. */
const SHOWN = 20;
/** Of them, those that a sentence names. */
const NAMED = 3;

type ShownKept = NonNullable<SwarmPoolStatus['kept']>;

export const shownKept = (kept: readonly KeptStream[]): ShownKept =>
  kept.slice(0, SHOWN).map((it) => {
    const { name, worker, reason } = it;
    return { name, worker, reason, message: keptText(it) };
  });

/** Which value is wrong, and what the stream has instead. */
export const keptText = ({
  message,
  worker,
  weight,
}: Pick<KeptStream, 'message' | 'worker' | 'weight'>): string =>
  `${message}; until this is fixed it stays at ${worker} with weight ${weight}`;

/** The first of each reason says why in a sentence. */
export const keptSummary = (kept: readonly KeptStream[]): string =>
  [...Map.groupBy(kept, ({ reason }) => reason).values()].map(summaryOf).join('; ');

function summaryOf(streams: readonly (ShownKept[number] | KeptStream)[]): string {
  const [first] = streams;
  const why = first === undefined ? '' : 'weight' in first ? keptText(first) : first.message;
  const names = listed(
    streams.map(({ name }) => name),
    NAMED,
  );
  const where = streams.length === 1 ? 'its worker' : 'their workers';
  return `${plural(streams.length, 'stream')} kept at ${where} in spite of a mistake (${names}): ${why}`;
}

/** Told once: while a cause lasts, more streams or fewer are no other event. */
export function keptEvents(
  before: SwarmPoolStatus | undefined,
  after: SwarmPoolStatus,
): readonly EventText[] {
  const known = new Set(before?.kept?.map(({ reason }) => reason));
  const begun = (after.kept ?? []).filter(({ reason }) => !known.has(reason));
  return [...Map.groupBy(begun, ({ reason }) => reason)].map(([reason, streams]) => {
    const message = summaryOf(streams);
    return { type: 'Warning', action: 'Assign', reason, message };
  });
}
