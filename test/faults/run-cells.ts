// How are many cells run at a time?

import { Cell } from './cell.ts';
import { type CellRow, cells, namespaceOf, titleOf } from './cells.ts';
import { checkCell } from './checks.ts';
import { finiteCells, finiteTitleOf } from './finite/finite-cells.ts';
import { playFinite } from './finite/play-finite.ts';
import { groupCells, groupTitleOf } from './group/group-cells.ts';
import { playGroup } from './group/play-group.ts';
import { jobCells, jobTitleOf } from './job/job-cells.ts';
import { playJob } from './job/play-job.ts';
import type { Arena } from './operated-namespace.ts';
import { playIn } from './play.ts';
import { base, type State, states } from './states.ts';

/** The number of concurrent cells: more would only slow each other down. */
const TOGETHER = 4;
const FAULT_SECONDS = 120;

type Runnable = {
  readonly id: string;
  readonly title: string;
  /** It cannot run where there is none. */
  readonly needsPrometheus?: boolean;
  readonly isAlone: boolean;
  readonly play: (arena: Arena) => Promise<void>;
};

/** Of pools, of groups, of work that ends, and of jobs. */
export const allCells: readonly Runnable[] = [
  ...cells.map((row) => ({
    ...row,
    title: titleOf(row),
    play: (arena: Arena) => playPool(arena, row),
  })),
  ...groupCells.map((row) => ({
    ...row,
    title: groupTitleOf(row),
    play: (arena: Arena) => playGroup(arena, row),
  })),
  ...finiteCells.map((row) => ({
    ...row,
    title: finiteTitleOf(row),
    play: (arena: Arena) => playFinite(arena, row),
  })),
  ...jobCells.map((row) => ({
    ...row,
    title: jobTitleOf(row),
    play: (arena: Arena) => playJob(arena, row),
  })),
];

function playPool(arena: Arena, row: CellRow): Promise<void> {
  const state: State = states[row.state];
  const cell = new Cell(arena, namespaceOf(row), row.handoff);
  return playIn(cell, FAULT_SECONDS, async (within) => {
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
    const goal = await within(row.fault.inject(cell, () => state.act(cell)));
    await checkCell(cell, goal, before);
  });
}

/**
 * For each cell, when it has ended, its failure, if any. Cells that need the cluster for themselves
 * come last, one by one.
 */
export function runCells(
  arena: Promise<Arena>,
  rows: readonly Runnable[],
): ReadonlyMap<string, Promise<Error | undefined>> {
  const outcomes = new Map(rows.map(({ id }) => [id, Promise.withResolvers<Error | undefined>()]));
  const left = rows.filter(({ isAlone }) => !isAlone);
  const run = async ({ id, play }: Runnable): Promise<void> => {
    const outcome = await play(await arena).then(
      () => undefined,
      (error: Error) => error,
    );
    outcomes.get(id)?.resolve(outcome);
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
