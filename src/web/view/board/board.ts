// The board: workers as columns of capacity, streams as blocks that travel from one to another.
import type { ShownBoard } from '../../../api/introspection.ts';
import { type Column, columnsOf, stateText } from '../../model/blocks.ts';
import { travelsBetween, travelsOf, workersIn } from '../../model/changes.ts';
import { placeAfter } from '../../model/grid.ts';
import { layoutOf } from '../../model/layout.ts';
import { h, KeyedList, mark, say } from '../dom.ts';
import { Blocks } from './blocks.ts';
import { type ColumnView, columnView, type ScaledColumn } from './column.ts';
import { type Flight, fly, placesOf, playFrom } from './flip.ts';

export type BoardEvents = {
  onStream(stream: string, anchor: HTMLElement, isChosen: boolean): void;
  onLeave(): void;
  onWorker(worker: string): void;
};

export class BoardView {
  readonly element: HTMLElement;
  readonly #columns: KeyedList<ScaledColumn>;
  readonly #views = new Map<string, ColumnView>();
  readonly #blocks: Blocks;
  readonly #grid = h('div.columns');
  readonly #note = h('p.quiet.note');
  #shown: ShownBoard | undefined;
  #drawn: readonly Column[] = [];

  constructor(events: BoardEvents) {
    this.element = h(
      'section.board',
      { 'aria-labelledby': 'board-title' },
      h('div.board-head', h('h2', { id: 'board-title' }, 'Workers'), legend()),
      this.#note,
      this.#grid,
    );
    this.#blocks = new Blocks(events);
    this.#columns = new KeyedList<ScaledColumn>(
      this.#grid,
      ({ worker }) => worker.name,
      (column) => {
        const view = columnView(column, events.onWorker);
        this.#views.set(column.worker.name, view);
        return view;
      },
    );
    this.#grid.addEventListener('keydown', (event) => this.#onKey(event));
  }

  show(board: ShownBoard): void {
    const columns = columnsOf(board);
    const before = workersIn(this.#drawn);
    const isFirst = this.#shown === undefined;
    const places = isFirst ? new Map() : placesOf(this.#blocks.elements);
    this.#columns.show(this.#layOut(board, columns));
    this.#blocks.show(columns, this.#views);
    const travels = board.isNamed
      ? travelsBetween(before, workersIn(columns))
      : travelsOf(this.#shown, board);
    this.#forget(columns);
    if (board.isNamed)
      playFrom(places, this.#blocks.elements, new Set(travels.map(({ stream }) => stream)));
    else
      fly(
        travels.flatMap(({ from, to }) => this.#flight(from, to)),
        this.element,
      );
    this.#shown = board;
    this.#drawn = columns;
    this.element.dataset['version'] = String(board.version);
  }

  /** Undefined: this stream is not drawn by itself. */
  blockOf(stream: string): HTMLElement | undefined {
    return this.#blocks.buttonOf(stream);
  }

  #layOut(board: ShownBoard, columns: readonly Column[]): readonly ScaledColumn[] {
    const { density, scale, start, note } = layoutOf(board, columns);
    mark(this.element, { 'data-density': density, 'data-weighed': scale.isWeighed ? 'yes' : 'no' });
    this.#blocks.start = start;
    say(this.#note, note);
    this.#note.hidden = note === '';
    return columns.map((column) => ({ ...column, scale }));
  }

  #forget(columns: readonly Column[]): void {
    const here = new Set(columns.map(({ worker }) => worker.name));
    for (const name of this.#views.keys()) if (!here.has(name)) this.#views.delete(name);
  }

  #flight(from: string, to: string): readonly Flight[] {
    const [start, end] = [this.#views.get(from)?.element, this.#views.get(to)?.element];
    return start === undefined || end === undefined ? [] : [{ from: start, to: end }];
  }

  #onKey(event: KeyboardEvent): void {
    const at = this.#blocks.placeOf(event.target, this.#drawn);
    if (at === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const heights = this.#drawn.map(({ blocks }) => blocks.length);
    const next = placeAfter(event.key, at, heights);
    const block = next === undefined ? undefined : this.#drawn[next.column]?.blocks[next.row];
    if (block === undefined) return;
    event.preventDefault();
    this.#blocks.focus(block.name);
  }
}

function legend(): HTMLElement {
  const entries = (['confirmed', 'waiting', 'stuck', 'leaving'] as const).map((state) =>
    h('li', h('span.block', { 'data-state': state, 'aria-hidden': 'true' }), stateText[state]),
  );
  return h('ul.legend', { 'aria-label': 'What the colours mean' }, ...entries);
}
