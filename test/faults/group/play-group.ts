// How is a cell of a group run?
import { Figures } from '../figures.ts';
import type { Arena } from '../operated-namespace.ts';
import { playIn } from '../play.ts';
import { GroupCell } from './group-cell.ts';
import { type GroupCellRow, groupNamespaceOf, isBroken } from './group-cells.ts';
import { checkGroupCell, untilAtGoal } from './group-checks.ts';
import { LAST } from './members.ts';

/** No other transition may end by itself, whatever the machine is busy with. */
const NEVER_SECONDS = 1_000;
/** In it a pod becomes Ready; one that has no image does not. */
const SOON_SECONDS = 15;
const STAGES = 3;
/** A time-out, its rollback, and another leader. */
const FAULT_SECONDS = 180;
const CONVERGED_SECONDS = 30;

/** Writes by the operators until all is quiet, and different statuses of the group. */
export const groupFigures = new Figures('writes', 'statuses');

export function playGroup(arena: Arena, row: GroupCellRow): Promise<void> {
  const { order, moves } = row;
  const [{ from: start, to }] = moves;
  const timeoutSeconds = isBroken(row) ? SOON_SECONDS : NEVER_SECONDS;
  const cell = new GroupCell(arena, groupNamespaceOf(row), { size: start, order, timeoutSeconds });
  // A rollback takes at most a time-out for each stage, after that of the transition itself.
  const seconds = isBroken(row) ? (1 + STAGES) * SOON_SECONDS : CONVERGED_SECONDS;
  return playIn(cell, FAULT_SECONDS, async (within) => {
    await cell.createNamespace();
    const fault = typeof row.fault === 'function' ? await row.fault(cell) : row.fault;
    for (const options of fault.replicas ?? [{}]) await cell.addReplica(options);
    await cell.create(fault.policy);
    if (isBroken(row)) await breakLast(cell);
    const goal = { start, moves, seconds };
    const askedAt = performance.now();
    await within(fault.inject(cell, () => cell.scale(to)));
    const overAt = performance.now();
    await untilAtGoal(cell, goal);
    const settledAt = performance.now();
    await checkGroupCell(cell, goal);
    const counts = [cell.writes().length, cell.record.groups.length] as const;
    groupFigures.note(row.id, overAt - askedAt, settledAt - overAt, ...counts);
  });
}

/** From now on no new pod of the last stage becomes Ready. The one that it has stays. */
async function breakLast({ group }: GroupCell): Promise<void> {
  const path = '/spec/template/spec/containers/0/image';
  const patch = JSON.stringify([{ op: 'replace', path, value: 'none' }]);
  await group.kubectl('patch', `deployment/${LAST}`, '--type=json', `-p=${patch}`);
}
