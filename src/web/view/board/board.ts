// The board: workers as columns of capacity, streams as blocks that travel from one to another.
import type { ShownBoard } from '../../../api/introspection.ts';
import {
  type BlockState,
  type Column,
  columnsOf,
  onlyFailing,
  stateText,
  type Travel,
  travelsBetween,
  travelsOf,
  workersIn,
} from '../../model/blocks.ts';
import { cellAfter } from '../../model/grid.ts';
import { layoutOf, type Scale } from '../../model/layout.ts';
import { failText } from '../../model/pools.ts';
import { counted, durationText, numberText } from '../../model/words.ts';
import {
  badge,
  h,
  type KeptElement,
  keyedList,
  meter,
  setAttributes,
  setCutText,
  setText,
} from '../dom.ts';
import { blocksView, type StreamEvents } from './blocks.ts';
import { type Flight, fly, playFrom, positionsOf } from './flip.ts';

export type BoardEvents = StreamEvents & {
  onWorker(worker: string): void;
};

export function boardView(events: BoardEvents) {
  const grid = h('div.columns');
  const note = h('p.quiet.note', { role: 'status' });
  const filter = h('button.filter', { type: 'button', 'aria-pressed': 'false', hidden: '' });
  const legend = legendView();
  const element = h(
    'section.board',
    { 'aria-labelledby': 'board-title' },
    h('div.board-head', h('h2', { id: 'board-title' }, 'Workers'), filter, legend.element),
    note,
    grid,
  );
  const blocks = blocksView(events);
  const columnList = keyedList(
    grid,
    ({ worker }: ScaledColumn) => worker.name,
    (column) => columnView(column, events.onWorker),
  );
  let shown: ShownBoard | undefined;
  let drawn: readonly Column[] = [];
  let isFiltered = false;

  function layOut(board: ShownBoard, columns: readonly Column[]): void {
    const layout = layoutOf(board, columns);
    const { density, scale } = layout;
    setAttributes(element, {
      'data-density': density,
      'data-weighed': scale.isWeighed ? 'yes' : 'no',
    });
    const text = isFiltered && columns.length === 0 ? 'No failing streams.' : layout.note;
    setText(note, text);
    note.hidden = text === '';
    columnList.show(columns.map((column) => ({ ...column, scale })));
    blocks.show(columns, layout.start, (worker) => columnList.kept.get(worker)?.vessel);
  }

  function flightOf({ from, to }: Travel): readonly Flight[] {
    const [start, end] = [from, to].map((worker) => columnList.kept.get(worker)?.element);
    return start === undefined || end === undefined ? [] : [{ from: start, to: end }];
  }

  grid.addEventListener('keydown', (event) => {
    const at = blocks.cellOf(event.target, drawn);
    if (at === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const heights = drawn.map((column) => column.blocks.length);
    const next = cellAfter(event.key, at, heights);
    const block = next === undefined ? undefined : drawn[next.column]?.blocks[next.row];
    if (block === undefined) return;
    event.preventDefault();
    blocks.buttonOf(block.name)?.focus();
  });

  filter.addEventListener('click', () => {
    isFiltered = !isFiltered;
    if (shown !== undefined) show(shown);
  });

  return {
    element,
    /** Undefined: the board has no block for this stream. */
    blockOf: blocks.buttonOf,
    show,
  };

  function show(board: ShownBoard): void {
    const all = columnsOf(board);
    const columns = isFiltered ? onlyFailing(all) : all;
    const positions = positionsOf(blocks.items());
    showFilter(all);
    legend.show(all);
    layOut(board, columns);
    if (board.isNamed) {
      const travels = travelsBetween(workersIn(drawn), workersIn(columns));
      playFrom(positions, blocks.items(), new Set(travels.map(({ stream }) => stream)));
    } else fly(travelsOf(shown, board).flatMap(flightOf), element);
    shown = board;
    drawn = columns;
    element.dataset['version'] = String(board.version);
  }

  /** The filter stays while it is in use, so that a user sees the last stream recover. */
  function showFilter(columns: readonly Column[]): void {
    const failing = columns.reduce((sum, { worker }) => sum + (worker.failing ?? 0), 0);
    filter.hidden = failing === 0 && !isFiltered;
    setText(filter, `Only failing: ${numberText(failing)}`);
    setAttributes(filter, { 'aria-pressed': String(isFiltered) });
  }
}

const always: readonly BlockState[] = ['confirmed', 'waiting', 'stuck', 'leaving'];
const sometimes: readonly BlockState[] = ['failing', 'down', 'suspended', 'completed'];

/** The legend explains optional parts only for pools that have them. */
function legendView() {
  const entries = new Map(
    [...always, ...sometimes].map((state) => {
      const sample = h('span.block', { 'data-state': state, 'aria-hidden': 'true' });
      return [state, h('li', sample, stateText[state])] as const;
    }),
  );
  return {
    element: h('ul.legend', { 'aria-label': 'Legend' }, ...entries.values()),
    show: (columns: readonly Column[]) => {
      const drawn = new Set(columns.flatMap(({ blocks }) => blocks.map(({ state }) => state)));
      for (const state of sometimes) {
        const entry = entries.get(state);
        if (entry !== undefined) entry.hidden = !drawn.has(state);
      }
    },
  };
}

type ScaledColumn = Column & { readonly scale: Scale };
type ColumnView = KeptElement<ScaledColumn> & { readonly vessel: HTMLElement };

/** One worker: its state, its load, and the column that holds its streams. */
function columnView({ worker }: Column, onChosen: (worker: string) => void): ColumnView {
  const standing = badge();
  // The label of the button begins with the name, in one piece.
  const name = h('span.column-name', { 'aria-hidden': 'true' });
  const open = h('button.column-head.plain', { type: 'button' }, name, standing.element);
  const level = meter();
  const load = h('span.quiet.load');
  const message = h('p.message');
  const vessel = h('ul.vessel');
  const element = h('section.column', open, level.element, load, message, vessel);
  open.addEventListener('click', () => onChosen(worker.name));
  return {
    element,
    vessel,
    show: ({ worker: now, tone, blocks, scale }) => {
      const { state } = now;
      setAttributes(element, { 'data-tone': tone, 'aria-label': now.name });
      setCutText(name, now.name.slice(scale.short.length));
      setAttributes(name, { title: now.name });
      standing.show(tone, state);
      setText(load, scale.isTile ? numberText(now.streams) : loadText(now, scale));
      setAttributes(open, {
        'aria-label': `${now.name}: ${[state, loadText(now, scale), failuresText(now)].filter(Boolean).join(', ')}; show its streams`,
      });
      level.show((scale.isWeighed ? now.load : now.streams) / scale.fullest);
      setText(message, messageText(now));
      message.hidden = message.textContent === '';
      setAttributes(vessel, { 'aria-label': `Streams of ${now.name}` });
      vessel.hidden = blocks.length === 0 && now.assigned === undefined;
    },
  };
}

const loadText = ({ streams, load, capacity }: Column['worker'], { isWeighed }: Scale): string =>
  `${counted(streams, 'stream')}${isWeighed ? `, ${load} of ${capacity}` : ''}`;

const failuresText = ({ failing = 0 }: Column['worker']): string =>
  failing === 0 ? '' : failText(failing);

/** Empty if all is well. */
function messageText(worker: Column['worker']): string {
  const { message, awaited, state } = worker;
  if (state === 'Converged') return failuresText(worker);
  const waits =
    awaited === undefined
      ? ''
      : `waiting for version ${awaited.version}${awaited.seconds >= 2 ? ` (${durationText(awaited.seconds)})` : ''}`;
  const why = message ?? waits;
  return why === '' ? state : `${state}: ${why}`;
}
