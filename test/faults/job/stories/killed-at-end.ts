// The operator is killed at the end of a job, around the write that gives its entry back. The next
// job starts all the same.
import type { JobCell } from '../job-cell.ts';
import { type JobFault, ledgerWrite, one, whileKilled } from '../job-faults.ts';

export const killedAtRelease: JobFault = {
  replicas: one,
  quota: 2,
  inject: async (cell) => {
    await cell.submit('first');
    await cell.until('first', 'Running');
    await cell.submit('second');
    await cell.until('second', 'Waiting', 'WaitingForQuota: needs 2 pods');
    await whileKilled(cell, ledgerWrite, 'is lost', () => cell.finish('first'));
    await cell.until('second', 'Running');
    await cell.submit('third');
    await cell.until('third', 'Waiting');
    await whileKilled(cell, ledgerWrite, 'arrives', () => cell.finish('second'));
  },
  settle: async (cell: JobCell) => {
    await cell.until('third', 'Running');
    await cell.finish('third');
    for (const name of ['first', 'second', 'third']) await cell.mustHave(name, 1, 0);
  },
};
