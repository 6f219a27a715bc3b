// Which faults are tried while work ends (streamPolicy.completion Once) on a real API server, and
// why these?
import { slug } from '../cells.ts';
import { writes } from '../faults/fault.ts';
import { crashAfter, crashBefore, killedLeader } from '../faults/operators.ts';
import { groupCells } from '../group/group-cells.ts';
import { type FiniteFault, whileTheyEnd } from './finite-fault.ts';
import { restoredFromBefore } from './restored.ts';

export type FiniteCellRow = {
  readonly id: string;
  /** Its number among the twenty-one faults. */
  readonly number: string;
  readonly title: string;
  readonly fault: FiniteFault;
  readonly why: string;
  readonly isAlone: boolean;
};

type Line = readonly [number: string, title: string, fault: FiniteFault, why: string];

const records = writes('configmaps');

const lines: readonly Line[] = [
  [
    'F1',
    'killed with the record on its way, which never arrives',
    whileTheyEnd(crashBefore(1, records)),
    'only the workers know which streams are completed, and the next operator must learn it from them',
  ],
  [
    'F2',
    'killed when the record is written, before the answer',
    whileTheyEnd(crashAfter(1, records)),
    'the record exists, and status does not have it; the next operator must nudge the workers',
  ],
  [
    'F16',
    'leader killed when the record is written',
    whileTheyEnd(killedLeader()),
    'the standby has probed no worker, and must trust the record that it finds',
  ],
  [
    'F21',
    'etcd restored from before one was recorded, and while another one ends',
    restoredFromBefore,
    'record and status are outdated: completions that a worker still reports are kept, others run again',
  ],
];

export const finiteCells: readonly FiniteCellRow[] = lines.map(
  ([number, title, fault, why], index) => ({
    id: `${Number(groupCells.at(-1)?.id) + index + 1}`,
    number,
    title,
    fault,
    why,
    isAlone: number === 'F21',
  }),
);

export const finiteNamespaceOf = ({ id, number }: FiniteCellRow): string =>
  `c${id}-${slug(number)}-work-ends`;

export const finiteTitleOf = ({ id, number, title }: FiniteCellRow): string =>
  `${id} ${number} ${title} × work that ends`;

/** The third table in docs/reliability.md. */
export const tableOfFiniteCells = (): string =>
  [
    '| | fault | run again | why here |',
    '| --- | --- | --- | --- |',
    ...finiteCells.map(
      ({ id, number, title, fault, why }) =>
        `| ${id} | ${number} ${title} | ${fault.again.length} of ${fault.done.length} | ${why} |`,
    ),
  ].join('\n');
