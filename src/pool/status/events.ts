// Which events follow from changes in the status, and which messages do streams get that have no
// worker, or that keep theirs in spite of an error?
import { kinds } from '../../api/kinds.ts';
import type { SwarmPoolStatus } from '../../api/validate.ts';
import { ConditionNews, conditionIn, isTrue } from '../../core/conditions.ts';
import type { EventText, Step } from '../../core/decision.ts';
import { ownEventStep } from '../../core/own-status.ts';
import { listed, plural } from '../../core/text.ts';
import type { KeptStream } from '../assign/keep.ts';
import type { DesiredState } from '../desired-state.ts';
import type { EventReason } from '../reasons.ts';
import type { PoolWorld } from '../world.ts';
import type { FailingStream } from './stream-health.ts';

type OfPool = Pick<PoolWorld, 'pool'>;

export const eventStep = ({ pool }: OfPool, event: EventText): Step =>
  ownEventStep(kinds.SwarmPool, pool.meta, event);

export function statusEvents(
  before: SwarmPoolStatus | undefined,
  after: SwarmPoolStatus,
): readonly EventText[] {
  const news = new ConditionNews(before?.conditions, after.conditions);
  const isNow = (reason: EventReason, type = 'Reconciling'): boolean =>
    news.changedTo(type, reason);
  const event = (
    type: EventText['type'],
    action: string,
    condition: string,
    reason?: EventReason,
  ): EventText => news.event(type, action, condition, reason);
  const rows: readonly (EventText | false)[] = [
    news.became('Converged') && event('Normal', 'Verify', 'Converged', 'Converged'),
    news.became('Complete') && event('Normal', 'Verify', 'Complete', 'Completed'),
    (news.became('Stalled') || isNow('LargeRemoval', 'Stalled')) &&
      event('Warning', 'Decide', 'Stalled'),
    news.became('ProbeUnreachable') &&
      event('Warning', 'Verify', 'ProbeUnreachable', 'ProbeUnreachable'),
    isNow('WriteRefused') && event('Warning', 'Write', 'Reconciling', 'WriteRefused'),
    isNow('NotMounted', 'Mounted') &&
      conditionIn(after.conditions, 'Mounted')?.status === 'False' &&
      event('Warning', 'Verify', 'Mounted'),
    isNow('PodsNotReady') && event('Warning', 'Verify', 'Reconciling'),
    isNow('TargetNotFound') && event('Warning', 'Decide', 'Reconciling'),
    isNow('StreamsNotFound') && event('Warning', 'Decide', 'Reconciling'),
    isNow('WorkersStuck') && event('Warning', 'Refresh', 'Reconciling', 'WorkersStuck'),
  ];
  return [
    ...rows.filter((row) => row !== false),
    ...causeEvents(before?.unassigned, after.unassigned, withoutWorker),
    ...causeEvents(before?.kept, after.kept, summaryOf),
    ...failureEvents(before, after),
  ];
}

/** The number of streams that a sentence names. */
const NAMED = 3;

function failureEvents(
  before: SwarmPoolStatus | undefined,
  after: SwarmPoolStatus,
): readonly EventText[] {
  const known = new Set(before?.failing?.map(({ name }) => name));
  const begun = (after.failing ?? []).filter(({ name }) => !known.has(name));
  const total = after.streams?.failing ?? 0;
  const [first] = begun;
  if (first !== undefined) {
    const names = begun.map(({ name, worker }) => `${name} at ${worker}`);
    const message = `${listed(names, NAMED)} ${begun.length === 1 ? 'is' : 'are'} failing${whyOf(first, begun.length === 1)}`;
    return [{ type: 'Warning', action: 'Verify', reason: 'StreamsFailing', message }];
  }
  const isOver = isTrue(after.conditions, 'StreamsHealthy') && known.size > 0 && total === 0;
  const message = `${listed([...known])} ${known.size === 1 ? 'is' : 'are'} no longer failing`;
  return isOver ? [{ type: 'Normal', action: 'Verify', reason: 'StreamsRecovered', message }] : [];
}

function whyOf({ name, message }: FailingStream, isOnly: boolean): string {
  if (message === undefined) return '';
  return isOnly ? `: ${message}` : `; ${name}: ${message}`;
}

type Named = readonly { readonly name: string }[];
type Unassigned = NonNullable<SwarmPoolStatus['unassigned']>;
type Kept = NonNullable<SwarmPoolStatus['kept']>;

/** One event for each cause: while it lasts, another number of streams causes no new event. */
function causeEvents<T extends { readonly reason: string }>(
  before: readonly T[] = [],
  after: readonly T[] = [],
  textOf: (streams: readonly T[]) => string,
): readonly EventText[] {
  const known = new Set(before.map(({ reason }) => reason));
  const begun = after.filter(({ reason }) => !known.has(reason));
  return [...Map.groupBy(begun, ({ reason }) => reason)].map(([reason, streams]) => ({
    ...{ type: 'Warning', action: 'Assign', reason },
    message: textOf(streams),
  }));
}

const namesOf = (streams: Named, max?: number): string =>
  listed(
    streams.map(({ name }) => name),
    max,
  );

const withoutWorker = (streams: Unassigned): string =>
  `${plural(streams.length, 'stream')} without a worker (${namesOf(streams, NAMED)}): ${streams[0]?.message}`;

/** The first stream of each reason explains it in a sentence. */
export function unassignedText(unassigned: DesiredState['unassigned']): string {
  const total = `${plural(unassigned.length, 'stream')} without a worker`;
  const groups = [...Map.groupBy(unassigned, ({ reason }) => reason).values()];
  if (groups.length === 1) return `${total} (${namesOf(unassigned)}): ${unassigned[0]?.message}`;
  const parts = groups.map((streams) => `${namesOf(streams, NAMED)} (${streams[0]?.message})`);
  return `${total}: ${parts.join(', ')}`;
}

/** The number of entries that are shown. */
const SHOWN = 20;

export const shownKept = (kept: readonly KeptStream[]): Kept =>
  kept.slice(0, SHOWN).map((it) => {
    const { name, worker, reason } = it;
    return { name, worker, reason, message: keptText(it) };
  });

/** The invalid value, and the value in use. */
export const keptText = ({
  message,
  worker,
  weight,
}: Pick<KeptStream, 'message' | 'worker' | 'weight'>): string =>
  `${message}; until this is fixed it stays at ${worker} with weight ${weight}`;

/** The first stream of each reason explains it in a sentence. */
export const keptSummary = (kept: readonly KeptStream[]): string =>
  [...Map.groupBy(kept, ({ reason }) => reason).values()].map(summaryOf).join('; ');

function summaryOf(streams: readonly (Kept[number] | KeptStream)[]): string {
  const [first] = streams;
  const why = first === undefined ? '' : 'weight' in first ? keptText(first) : first.message;
  const where = streams.length === 1 ? 'its worker' : 'their workers';
  return `${plural(streams.length, 'stream')} kept at ${where} in spite of a mistake (${namesOf(streams, NAMED)}): ${why}`;
}
