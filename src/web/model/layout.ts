// How is a board laid out? As densely as its fullest worker needs, with one scale for all workers.
import type { ShownBoard } from '../../api/introspection.ts';
import type { Column } from './blocks.ts';
import { commonStart, counted } from './words.ts';

/**
 * Rows: one block in each line. Chips: two blocks. Dots: blocks without names. Tiles: no blocks,
 * only how full a worker is.
 */
type Density = 'rows' | 'chips' | 'dots' | 'tiles';

/** The measure for all workers, and the common start of names. */
export type Scale = {
  readonly fullest: number;
  readonly isWeighed: boolean;
  readonly short: string;
  readonly isTile: boolean;
};

type Layout = {
  readonly density: Density;
  readonly scale: Scale;
  /** The common start of all streams' names, which blocks omit. */
  readonly start: string;
  readonly note: string;
};

/** The least number of blocks in the fullest column. */
const CHIPS = 15;
const DOTS = 45;
/** Without weights there is no capacity: space above the fullest worker shows that none is full. */
const AIR = 1.25;

export function layoutOf(board: ShownBoard, columns: readonly Column[]): Layout {
  const density = densityOf(board, columns);
  const isTile = density === 'tiles';
  const names =
    density === 'dots' ? [] : columns.flatMap(({ blocks }) => blocks.map(({ name }) => name));
  const start = commonStart(names);
  const measure = measureOf(board, columns);
  const short = isTile ? commonStart(columns.map(({ worker }) => worker.name)) : '';
  return {
    density,
    start,
    note: noteOf(board, start, measure),
    scale: { ...measure, short, isTile },
  };
}

function densityOf({ isNamed }: ShownBoard, columns: readonly Column[]): Density {
  if (!isNamed) return 'tiles';
  const highest = Math.max(0, ...columns.map(({ blocks }) => blocks.length));
  return highest >= DOTS ? 'dots' : highest >= CHIPS ? 'chips' : 'rows';
}

function measureOf(
  { capacity }: ShownBoard,
  columns: readonly Column[],
): Pick<Scale, 'fullest' | 'isWeighed'> {
  const isWeighed = columns.some(({ worker }) => worker.load > 0);
  const most = Math.max(
    1,
    ...columns.map(({ worker }) => (isWeighed ? worker.load : worker.streams)),
  );
  return { isWeighed, fullest: isWeighed ? Math.max(capacity, most) : most * AIR };
}

function noteOf(
  { workers: { total, first }, isNamed }: ShownBoard,
  start: string,
  { isWeighed }: Pick<Scale, 'isWeighed'>,
): string {
  const isEmpty =
    total > 0 && total === first.length && first.every(({ streams }) => streams === 0);
  const drawn = isWeighed ? 'how full each worker is' : 'how many streams each worker has';
  const notes = [
    ...(isEmpty ? ['No worker has a stream yet.'] : []),
    ...(total > first.length ? [`The first ${first.length} of ${counted(total, 'worker')}.`] : []),
    ...(start === '' ? [] : [`All stream names begin with ${start}`]),
    ...(isNamed
      ? []
      : [
          `Too many streams to draw one by one: columns show ${drawn}. Select a worker to list its streams.`,
        ]),
  ];
  return notes.join(' ');
}
