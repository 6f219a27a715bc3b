// How is a cell of work that ends run, and what must hold?
import { checkCell } from '../checks.ts';
import { Figures } from '../figures.ts';
import type { Arena } from '../operated-namespace.ts';
import { playIn } from '../play.ts';
import { base } from '../states.ts';
import { FiniteCell, WORKERS } from './finite-cell.ts';
import { type FiniteCellRow, finiteNamespaceOf } from './finite-cells.ts';

const FAULT_SECONDS = 120;

export const finiteFigures = new Figures('writes');

export function playFinite(arena: Arena, row: FiniteCellRow): Promise<void> {
  const { fault } = row;
  const cell = new FiniteCell(arena, finiteNamespaceOf(row), 'AtLeastOnce');
  return playIn(cell, FAULT_SECONDS, async (within) => {
    await cell.createNamespace();
    await cell.watch();
    for (const options of fault.replicas ?? [{}]) await cell.addReplica(options);
    await cell.createWork();
    await cell.pool.converged(base, WORKERS, 60);
    const before = await cell.podStates();
    const writes = cell.writes().length;
    const askedAt = performance.now();
    await within(fault.inject(cell));
    const overAt = performance.now();
    await cell.untilCompleted(fault.done.length);
    const settledAt = performance.now();
    const open = base.filter((stream) => !fault.done.includes(stream));
    await checkCell(cell, { streams: open, workers: WORKERS, kept: open }, before);
    await checkRuns(cell, row);
    finiteFigures.note(row.id, overAt - askedAt, settledAt - overAt, cell.writes().length - writes);
  });
}

/** All have run once, and those whose completion was lost twice; an Event says how many. */
async function checkRuns(cell: FiniteCell, { fault: { again } }: FiniteCellRow): Promise<void> {
  const starts = cell.starts();
  const wrong = base.filter((it) => starts.get(it) !== (again.includes(it) ? 2 : 1));
  const runs = wrong.map((it) => `${it} ran ${starts.get(it) ?? 0} times`);
  const notes = (await cell.pool.events()).flatMap(({ reason, note }) =>
    reason === 'CompletionsLost' ? [note] : [],
  );
  const said = again.length === 0 ? [] : [`${again.length} completed stream may run again: `];
  const isSaid = notes.length === said.length && said.every((it, at) => notes[at]?.startsWith(it));
  const events = isSaid ? [] : [`the events are: ${notes.join('; ') || 'none'}`];
  if (runs.length + events.length > 0)
    throw new Error(`${cell.namespace}:\n  ${[...runs, ...events].join('\n  ')}`);
}
