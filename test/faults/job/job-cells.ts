// Which faults are tried while jobs are admitted and started, and why these?
import { slug } from '../cells.ts';
import { finiteCells } from '../finite/finite-cells.ts';
import {
  admission,
  creation,
  frozenAt,
  frozenWithRelease,
  frozenWithStart,
  type JobFault,
  killedAt,
  startOrRelease,
} from './job-faults.ts';

export type JobCellRow = {
  readonly id: string;
  readonly number: string;
  readonly title: string;
  readonly fault: JobFault;
  /** The number of the attempt in which the first job succeeds. */
  readonly attempts: number;
  readonly why: string;
  readonly isAlone: boolean;
};

type Line = readonly [
  number: string,
  title: string,
  fault: JobFault,
  attempts: number,
  why: string,
];

const lines: readonly Line[] = [
  [
    'F16',
    'leader frozen with an admission on its way',
    frozenAt(admission),
    1,
    'the next leader has admitted jobs meanwhile: with both, the quota would be exceeded',
  ],
  [
    'F16',
    'leader frozen with the creation of a batch Job on its way',
    frozenAt(creation),
    1,
    'the next leader has made it',
  ],
  [
    'F16',
    'leader frozen with a start on its way',
    frozenWithStart,
    2,
    'the job was suspended meanwhile, and another one has its quota',
  ],
  [
    'F16',
    'leader frozen with a release on its way',
    frozenWithRelease,
    2,
    'the job was resumed meanwhile, and runs again',
  ],
  [
    'F1',
    'killed with the admission on its way, which never arrives',
    killedAt(admission, 'is lost'),
    1,
    'a ledger without entries is all that the next operator finds',
  ],
  [
    'F2',
    'killed when a job is admitted, before the answer',
    killedAt(admission, 'arrives'),
    1,
    'the ledger names a job of which nothing was made',
  ],
  [
    'F2',
    'killed when the batch Job is made, before the answer',
    killedAt(creation, 'arrives'),
    1,
    'it is suspended, and the next operator starts it',
  ],
  [
    'F2',
    'killed when the batch Job is started, before the answer',
    killedAt(startOrRelease, 'arrives'),
    1,
    'its pods run, and status does not say so',
  ],
];

export const jobCells: readonly JobCellRow[] = lines.map(
  ([number, title, fault, attempts, why], index) => ({
    id: `${Number(finiteCells.at(-1)?.id) + index + 1}`,
    ...{ number, title, fault, attempts, why },
    isAlone: false,
  }),
);

export const jobNamespaceOf = ({ id, number }: JobCellRow): string => `c${id}-${slug(number)}-jobs`;

export const jobTitleOf = ({ id, number, title }: JobCellRow): string =>
  `${id} ${number} ${title} × jobs`;

/** The fourth table in docs/reliability.md. */
export const tableOfJobCells = (): string =>
  [
    '| | fault | why here |',
    '| --- | --- | --- |',
    ...jobCells.map(({ id, number, title, why }) => `| ${id} | ${number} ${title} | ${why} |`),
  ].join('\n');
