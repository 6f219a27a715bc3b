// How is a cell run, and how are many run at a time?
import { eventually } from '../support/processes.ts';
import type { Arena } from './cell.ts';
import { Cell } from './cell.ts';
import { type CellRow, namespaceOf } from './cells.ts';
import { checkCell } from './checks.ts';
import { base, type State, states } from './states.ts';

/** The number of concurrent cells: more would only slow each other down. */
const TOGETHER = 4;
const STRIKE_SECONDS = 120;
const LOG_CHARACTERS = 4_000;

async function play(arena: Arena, row: CellRow): Promise<void> {
  const state: State = states[row.state];
  const cell = new Cell(arena, namespaceOf(row), row.handoff);
  try {
    await cell.createNamespace();
    await cell.watch();
    for (const options of row.fault.replicas ?? [{}]) await cell.addReplica(options);
    if (state.isFromNothing !== true) {
      await cell.create({
        streams: base,
        workers: state.workers,
        ...(state.spec !== undefined && { spec: state.spec }),
      });
      await cell.pool.converged(base, state.workers, 60);
    }
    const before = await cell.podStates();
    const goal = await within(
      STRIKE_SECONDS,
      `${namespaceOf(row)}: the fault is over`,
      row.fault.inject(cell, () => state.act(cell)),
    );
    await checkCell(cell, goal, before);
  } catch (error) {
    const logs = cell.replicas
      .map((replica) => replica.logs().slice(-LOG_CHARACTERS))
      .join('\n---\n');
    throw new Error(
      `${error instanceof Error ? error.message : String(error)}\n\nthe operators:\n${logs}`,
    );
  } finally {
    await cell.close();
  }
}

/**
 * For each cell, when it has ended, its failure, if any. Cells that need the cluster for themselves
 * come last, one by one.
 */
export function runCells(
  arena: Promise<Arena>,
  rows: readonly CellRow[],
): ReadonlyMap<string, Promise<Error | undefined>> {
  const outcomes = new Map(rows.map(({ id }) => [id, Promise.withResolvers<Error | undefined>()]));
  const left = rows.filter(({ isAlone }) => !isAlone);
  const run = async (row: CellRow): Promise<void> => {
    const outcome = await play(await arena, row).then(
      () => undefined,
      (error: Error) => error,
    );
    outcomes.get(row.id)?.resolve(outcome);
  };
  const lane = async (): Promise<void> => {
    for (let row = left.shift(); row !== undefined; row = left.shift()) await run(row);
  };
  const runAll = async (): Promise<void> => {
    await Promise.all(Array.from({ length: TOGETHER }, lane));
    for (const row of rows.filter(({ isAlone }) => isAlone)) await run(row);
  };
  void runAll();
  return new Map([...outcomes].map(([id, { promise }]) => [id, promise]));
}

/** By the clock of all other waits. */
async function within<T>(seconds: number, what: string, work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  work.then(over, over);
  await eventually(what, () => isOver, seconds);
  return work;
}
