// How is a plan shown at a glance?
import type { MovePlan, Share } from '../../api/introspection.ts';
import { listed, plural } from '../../core/text.ts';
import type { Enough } from '../../pool/plan/enough.ts';
import type { PoolPlan } from '../../pool/plan/plan.ts';
import { moreLines, unassignedLines } from '../arguments/terminal.ts';
import { type Cell, type Line, right, type Table, tableLines } from '../render.ts';
import { bar } from './bar.ts';

const SHOWN = 20;
const SHOWN_WITH_ONE = 10;

/** `enough`: undefined where that is unknown, or no stream is without a worker. */
export function planLines(
  plan: PoolPlan,
  enough: Enough | undefined,
  width: number,
  isWide: boolean,
): readonly Line[] {
  const { namespace, pool, streams, moves, notes } = plan;
  const unassigned = withLastingReasons(plan.unassigned, enough);
  const [shown, refused] = isWide
    ? [moves, unassigned]
    : [moves.slice(0, SHOWN), unassigned.slice(0, SHOWN)];
  return [
    [
      { text: `SwarmPool ${namespace}/${pool}`, style: 'strong' },
      { text: `: ${plural(streams, 'stream')}, ${headline(plan)}` },
    ],
    ...notes.map((note): Line => [{ text: `note: ${note}`, style: 'busy' }]),
    '',
    ...tableLines(workersTable(plan), width),
    ...(shown.length === 0 ? [] : ['', ...tableLines(movesTable(shown), width)]),
    ...more(moves.length - shown.length),
    ...(unassigned.length === 0
      ? []
      : [
          ...unassignedLines(refused, width),
          ...more(unassigned.length - refused.length),
          ...(enough === undefined ? [] : [enoughText(enough)]),
        ]),
  ];
}

/** A worker that is missing now may be one that could not have the stream either. */
function withLastingReasons(
  unassigned: PoolPlan['unassigned'],
  enough: Enough | undefined,
): PoolPlan['unassigned'] {
  const lasting = new Map(enough?.hopeless.map((stream) => [stream.name, stream]));
  return unassigned.map((stream) => {
    const other = lasting.get(stream.name);
    return other === undefined || other.reason === stream.reason ? stream : other;
  });
}

function enoughText({ workers, hopeless }: Enough): string {
  const names = listed(hopeless.map(({ name }) => name));
  if (workers === undefined) return `No number of workers would be enough for ${names}.`;
  const enough = `${plural(workers, 'worker')} would be enough for all streams`;
  return hopeless.length === 0
    ? `${enough}.`
    : `${enough} except ${names}; for those, no number of workers is enough.`;
}

function headline({ moves, changes, stay, unassigned, isComplete }: PoolPlan): string {
  const passed = moves.filter(({ from, to }) => from !== undefined && to !== undefined).length;
  const fresh = moves.filter(({ from }) => from === undefined).length;
  const left = moves.filter(({ to }) => to === undefined).length;
  if (changes.length === 0) return 'nothing would change';
  const parts = [
    `${passed} would move`,
    ...(fresh > 0 ? [`${fresh} would start`] : []),
    ...(left > 0 ? [`${left} would end`] : []),
    `${stay} stay`,
    ...(unassigned.length > 0 ? [`${unassigned.length} without a worker`] : []),
  ];
  return `${parts.join(', ')} (in ${plural(changes.length, 'change')}${isComplete ? '' : ', more would follow'})`;
}

function workersTable({ workers, capacity }: PoolPlan): Table {
  const all = workers.flatMap(({ before, after }) => [before, after]);
  const isWeighed = all.some((share) => (share?.load ?? 0) > 0);
  const most = Math.max(1, ...all.map((share) => share?.streams ?? 0));
  const gauge = (share: Share | undefined): Cell =>
    share === undefined ? '' : isWeighed ? bar(share.load, capacity) : bar(share.streams, most);
  const columnsOf = (title: string): Table['columns'] => [
    right(title),
    ...(isWeighed ? [right('LOAD')] : []),
    '',
  ];
  const cellsOf = (share: Share | undefined): readonly Cell[] => [
    share?.streams,
    ...(isWeighed ? [share?.load] : []),
    gauge(share),
  ];
  return {
    columns: ['WORKER', ...columnsOf('NOW'), ...columnsOf('THEN')],
    rows: workers.map(({ name, before, after }) => [name, ...cellsOf(before), ...cellsOf(after)]),
  };
}

/** Moves of other streams that a move of one stream causes. */
export function otherMovesLines(moves: readonly MovePlan[], width: number): readonly Line[] {
  if (moves.length === 0) return [];
  const shown = moves.slice(0, SHOWN_WITH_ONE);
  return [
    `${plural(moves.length, 'other stream')} ${moves.length === 1 ? 'moves' : 'move'} with it:`,
    ...tableLines(movesTable(shown), width),
    ...moreLines(moves.length - shown.length, `${moves.length - shown.length} more`),
  ];
}

const movesTable = (moves: readonly MovePlan[]): Table => ({
  columns: ['STREAM', 'FROM', 'TO', 'WHY'],
  rows: moves.map(({ stream, from, to, why }) => [{ text: stream, style: 'news' }, from, to, why]),
});

const more = (count: number): readonly Line[] =>
  moreLines(count, `${count} more (-o wide shows all)`);
