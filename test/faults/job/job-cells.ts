// Which faults are tried while jobs are admitted and started, and why these?
import { slug } from '../cells.ts';
import { finiteCells } from '../finite/finite-cells.ts';
import {
  creation,
  frozenAt,
  frozenWithRelease,
  frozenWithStart,
  type JobFault,
  killedAt,
  ledgerWrite,
  startOrRelease,
} from './job-faults.ts';
import { byHand } from './stories/by-hand.ts';
import { killedAtRelease } from './stories/killed-at-end.ts';
import { ledgerEdited } from './stories/ledger-edited.ts';
import { lostNode } from './stories/lost-node.ts';
import { deletedWithoutOperator } from './stories/no-operator.ts';
import { preempted } from './stories/preempted.ts';
import { smallResourceQuota } from './stories/resource-quota.ts';

export type JobCellRow = {
  readonly id: string;
  readonly number: string;
  readonly title: string;
  readonly fault: JobFault;
  readonly why: string;
  readonly isAlone: boolean;
};

type Line = readonly [number: string, title: string, fault: JobFault, why: string];

const lines: readonly Line[] = [
  [
    'F16',
    'leader frozen with an admission on its way',
    frozenAt(ledgerWrite),
    'the next leader has admitted jobs meanwhile: with both, the quota would be exceeded',
  ],
  [
    'F16',
    'leader frozen with the creation of a batch Job on its way',
    frozenAt(creation),
    'the next leader has made it',
  ],
  [
    'F16',
    'leader frozen with a start on its way',
    frozenWithStart,
    'the job was suspended meanwhile, and another one has its quota',
  ],
  [
    'F16',
    'leader frozen with a release on its way',
    frozenWithRelease,
    'the job was resumed meanwhile, and runs again',
  ],
  [
    'F1',
    'killed with the admission on its way, which never arrives',
    killedAt(ledgerWrite, 'is lost'),
    'a ledger without entries is all that the next operator finds',
  ],
  [
    'F2',
    'killed when a job is admitted, before the answer',
    killedAt(ledgerWrite, 'arrives'),
    'the ledger names a job of which nothing was made',
  ],
  [
    'F2',
    'killed when the batch Job is made, before the answer',
    killedAt(creation, 'arrives'),
    'it is suspended, and the next operator starts it',
  ],
  [
    'F2',
    'killed when the batch Job is started, before the answer',
    killedAt(startOrRelease, 'arrives'),
    'its pods run, and status does not say so',
  ],
  [
    'F1, F2',
    'killed around the release of the quota, which is lost or arrives',
    killedAtRelease,
    'the job has ended, and its entry holds the quota until the next operator has looked',
  ],
  [
    'F13',
    'a ResourceQuota smaller than the queue',
    smallResourceQuota,
    'the real quota counts pods as they are created, and tells its sums later',
  ],
  [
    'F18',
    'a node lost in mid-run, which comes back, and which does not',
    lostNode,
    'its pod may still run: Kubernetes deletes it, and no kubelet says that it has ended',
  ],
  [
    'F18',
    'pods evicted and preempted',
    preempted,
    'they live for as long as their grace period, and end with a code of their own',
  ],
  [
    'F17',
    'ledger deleted, edited, and restored from an earlier text',
    ledgerEdited,
    'a job runs of which it says nothing',
  ],
  [
    'F17',
    'batch Jobs, pods and statuses changed by hand, job and queue created anew',
    byHand,
    'the Job controller acts on each change before the operator sees it',
  ],
  [
    'F17',
    'job deleted while no operator runs',
    deletedWithoutOperator,
    'the garbage collector alone takes away what it has made',
  ],
];

export const jobCells: readonly JobCellRow[] = lines.map(([number, title, fault, why], index) => ({
  id: `${Number(finiteCells.at(-1)?.id) + index + 1}`,
  ...{ number, title, fault, why },
  isAlone: false,
}));

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
