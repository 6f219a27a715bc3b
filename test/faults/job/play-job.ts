// How is a cell of jobs run, and what must hold?
import { Figures } from '../figures.ts';
import type { Arena } from '../operated-namespace.ts';
import { playIn } from '../play.ts';
import { untilQuiet } from '../quiet.ts';
import { JobCell } from './job-cell.ts';
import { type JobCellRow, jobNamespaceOf } from './job-cells.ts';

const FAULT_SECONDS = 180;

/** Writes by the operators until both jobs have ended. */
export const jobFigures = new Figures('writes');

export function playJob(arena: Arena, row: JobCellRow): Promise<void> {
  const cell = new JobCell(arena, jobNamespaceOf(row));
  return playIn(cell, FAULT_SECONDS, async (within) => {
    await cell.createNamespace();
    for (const options of row.fault.replicas) await cell.addReplica(options);
    await cell.createQueue();
    const askedAt = performance.now();
    await within(row.fault.inject(cell));
    const overAt = performance.now();
    await cell.submit('second');
    await cell.until('first', 'Running');
    await cell.finish('first');
    await cell.until('second', 'Running');
    await cell.finish('second');
    const settledAt = performance.now();
    jobFigures.note(row.id, overAt - askedAt, settledAt - overAt, cell.writes().length);
    await untilQuiet(cell);
    await check(cell, row);
  });
}

async function check(cell: JobCell, { attempts }: JobCellRow): Promise<void> {
  const started = await cell.attemptOf('first');
  const entries = (await cell.ledger())?.entries ?? [];
  const problems = [
    ...(await cell.witnessed()),
    ...(started === attempts ? [] : [`job first succeeded in attempt ${started}, not ${attempts}`]),
    ...entries.map(({ name }) => `${name} has ended, and is still in the ledger`),
  ];
  if (problems.length > 0) throw new Error(`${cell.namespace}:\n  ${problems.join('\n  ')}`);
}
