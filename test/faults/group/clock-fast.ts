// What does a schedule do while the clock of the operator is an hour fast, and when it is right
// again?
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { clockOfFile } from '../faults/operators.ts';
import { untilQuiet } from '../quiet.ts';
import type { Move } from './group-checks.ts';
import type { GroupFault, MakeGroupFault } from './group-faults.ts';

const HALF_AN_HOUR_MS = 1_800_000;

/**
 * The next schedule is due in half an hour, so it is in force by a clock that is an hour fast. The
 * operator is killed meanwhile: the next one must not take it for due once more.
 */
export const clockFast =
  ({ from, to }: Move): MakeGroupFault =>
  async ({ folder }): Promise<GroupFault> => {
    const file = path.join(folder, 'clock');
    const setClock = (hours: number): void => {
      // The operator never reads half of it.
      writeFileSync(`${file}.new`, String(hours));
      renameSync(`${file}.new`, file);
    };
    setClock(0);
    const now = Date.now();
    const schedules = [
      { name: 'next', schedule: dailyAt(now + HALF_AN_HOUR_MS), replicas: to },
      { name: 'last', schedule: dailyAt(now - HALF_AN_HOUR_MS), replicas: from },
    ];
    return {
      replicas: [{ environment: clockOfFile(file) }],
      policy: { type: 'Schedule', periodSeconds: 5, maxReplicas: to, schedules },
      inject: async (cell) => {
        setClock(1);
        await cell.untilCompleted(to);
        await untilQuiet(cell);
        const before = cell.writes();
        await cell.replica.kill();
        await cell.replica.startAgain();
        await untilQuiet(cell);
        const more = cell.writes().slice(before.length);
        if (more.length > 0)
          throw new Error(`${cell.namespace}: the next operator has written ${more.join(', ')}`);
        setClock(0);
      },
    };
  };

/** The minute of each day in which this time is. */
function dailyAt(ms: number): string {
  const date = new Date(ms);
  return `${date.getUTCMinutes()} ${date.getUTCHours()} * * *`;
}
