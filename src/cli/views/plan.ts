// How is a plan shown at a glance?
import type { MovePlan, Share } from '../../api/introspection.ts';
import { listed, plural } from '../../core/text.ts';
import type { PoolPlan } from '../../pool/plan/plan.ts';
import { moreLines, unassignedLines } from '../arguments/terminal.ts';
import { type Cell, type Line, right, type Table, tableLines } from '../render.ts';
import { bar } from './bar.ts';

const SHOWN = 20;

export function planLines(plan: PoolPlan, width: number, isWide: boolean): readonly Line[] {
  const { namespace, pool, streams, moves, unassigned, notes } = plan;
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
          enoughText(plan),
        ]),
  ];
}

/** What no number of workers helps. */
const HOPELESS: ReadonlySet<string> = new Set([
  'TooHeavy',
  'PinnedWorkerCordoned',
  'PinnedWorkerTaken',
  'PinnedWorkerFull',
]);

function enoughText({ required, unassigned }: PoolPlan): string {
  const hopeless = unassigned.filter(({ reason }) => HOPELESS.has(reason));
  const enough = `${plural(required, 'worker')} would be enough for`;
  if (hopeless.length === 0) return `${enough} all.`;
  return hopeless.length === unassigned.length
    ? 'More workers would not help.'
    : `${enough} all but ${listed(hopeless.map(({ name }) => name))}.`;
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

const movesTable = (moves: readonly MovePlan[]): Table => ({
  columns: ['STREAM', 'FROM', 'TO', 'WHY'],
  rows: moves.map(({ stream, from, to, why }) => [{ text: stream, style: 'news' }, from, to, why]),
});

const more = (count: number): readonly Line[] =>
  moreLines(count, `${count} more (-o wide shows all)`);
