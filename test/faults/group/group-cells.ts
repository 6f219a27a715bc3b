// Which faults are tried in which transitions of a group on a real API server, and why these?
import { cells, slug } from '../cells.ts';
import { clockFast } from './clock-fast.ts';
import type { GroupCell } from './group-cell.ts';
import type { Move } from './group-checks.ts';
import {
  apiServerKilled,
  apiServerKilledInRollback,
  frozenWithScaleOf,
  type GroupFault,
  killedAfterScales,
  leaderKilledAfterScale,
  type MakeGroupFault,
} from './group-faults.ts';
import type { Order } from './members.ts';
import { sourceRestored } from './source-restored.ts';

export type GroupCellRow = {
  readonly id: string;
  /** Its number among the faults of the simulation; F22, of sources of metrics, is here alone. */
  readonly number: string;
  readonly title: string;
  readonly fault: GroupFault | MakeGroupFault;
  readonly order: Order;
  /** A user asks for the first; the others come by the fault. */
  readonly moves: readonly [Move, ...Move[]];
  readonly why: string;
  /** It cannot run where there is none. */
  readonly needsPrometheus: boolean;
  /** It stops the whole control plane: no other cell can run beside it. */
  readonly isAlone: boolean;
};

const up: Move = { from: 1, to: 3, outcome: 'Completed' };
const down: Move = { from: 3, to: 1, outcome: 'Completed' };
/** The last stage has an image that does not exist. */
const back: Move = { from: 1, to: 3, outcome: 'RolledBack' };

/** When the other leader has come to the end of it, a user wants another size. */
const thenTo =
  ({ to: first, outcome }: Move, { to }: Move) =>
  async ({ group, scale }: GroupCell): Promise<void> => {
    const ended = (size: number, state: string): Promise<unknown> =>
      group.until(
        `has ended its way to ${size}`,
        ({ transition }) => transition?.to === size && transition.state === state,
      );
    await ended(first, outcome);
    await scale(to);
    await ended(to, 'Completed');
  };

const less: Move = { from: 3, to: 2, outcome: 'Completed' };
const other: Move = { from: 1, to: 2, outcome: 'Completed' };

type Line = readonly [
  number: string,
  title: string,
  fault: GroupFault | MakeGroupFault,
  order: Order,
  moves: GroupCellRow['moves'],
  why: string,
];

const lines: readonly Line[] = [
  [
    'F2',
    'killed after its 1st scale, and after its 2nd',
    killedAfterScales([1, 2]),
    'Staged',
    [up],
    'between two stages: only the replicas of the members show how far the transition is',
  ],
  [
    'F2',
    'killed after its 1st scale, and after its 2nd',
    killedAfterScales([1, 2]),
    'Staged',
    [down],
    'between two stages: the stage that was scaled down must not be scaled up again',
  ],
  [
    'F2',
    'killed after the 1st of three scales',
    killedAfterScales([1], 'is lost'),
    'Together',
    [back],
    'no status has the earlier replicas yet, and one member already has other replicas',
  ],
  [
    'F16',
    'leader killed after its 1st scale back',
    leaderKilledAfterScale(4),
    'Staged',
    [back],
    'the standby must continue the rollback, not retry the size',
  ],
  [
    'F16',
    'leader frozen with a scale on its way',
    frozenWithScaleOf('app', 1, thenTo(up, less)),
    'Staged',
    [up, less],
    'its scale arrives when another leader has changed the size: only the resource version protects',
  ],
  [
    'F16',
    'leader frozen with a scale back on its way',
    frozenWithScaleOf('app', 2, thenTo(back, other)),
    'Staged',
    [back, other],
    'its scale back arrives when the group has been scaled up again',
  ],
  [
    'F15',
    'API server killed',
    apiServerKilled,
    'Staged',
    [up],
    'all watches end, and the next stage waits for their events',
  ],
  [
    'F15',
    'API server killed',
    apiServerKilledInRollback(back.to),
    'Staged',
    [back],
    'the operator reads its own status again, and must continue the rollback',
  ],
  [
    'F20',
    'clock an hour fast, operator killed, clock right again',
    clockFast(up),
    'Staged',
    [up, down],
    'by that clock a later schedule is due: once, also for the next operator, and never again',
  ],
  [
    'F22',
    'Prometheus killed, and restored from an older day',
    sourceRestored(up),
    'Staged',
    [up, down],
    'its samples are low, and a day old: only new samples may scale down, and only after the delay',
  ],
];

export const groupCells: readonly GroupCellRow[] = lines.map(
  ([number, title, fault, order, moves, why], index) => ({
    id: `${cells.length + index + 1}`,
    number,
    title,
    fault,
    order,
    moves,
    why,
    needsPrometheus: number === 'F22',
    isAlone: number === 'F15',
  }),
);

export const isBroken = ({ moves }: GroupCellRow): boolean =>
  moves.some(({ outcome }) => outcome === 'RolledBack');

const moveText = ({ from, to, outcome }: Move): string =>
  outcome === 'Completed' ? `${from} -> ${to}` : `${from} -> ${to} -> ${from}`;

const movesText = ({ moves }: GroupCellRow): string => moves.map(moveText).join(', then ');

export const groupNamespaceOf = ({ id, number, order }: GroupCellRow): string =>
  `c${id}-${slug(number)}-${slug(order)}`;

export const groupTitleOf = (row: GroupCellRow): string =>
  `${row.id} ${row.number} ${row.title} × group ${movesText(row)} (${row.order})`;

/** The second table in docs/reliability.md. */
export const tableOfGroupCells = (): string =>
  [
    '| | fault | sizes | order | why here |',
    '| --- | --- | --- | --- | --- |',
    ...groupCells.map(
      (row) =>
        `| ${row.id} | ${row.number} ${row.title} | ${movesText(row)} | ${row.order} | ${row.why} |`,
    ),
  ].join('\n');
