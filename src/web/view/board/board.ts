// The board: workers as columns of capacity, streams as blocks that travel from one to another, and
// the tray of streams that have no worker.
import type { PoolDetail, ShownBoard, ShownUnassigned } from '../../../api/introspection.ts';
import {
  type Column,
  columnsOf,
  stateText,
  type Travel,
  travelsBetween,
  travelsOf,
  workersIn,
} from '../../model/blocks.ts';
import { placeAfter } from '../../model/grid.ts';
import { layoutOf, type Scale } from '../../model/layout.ts';
import { enoughText } from '../../model/plan.ts';
import { counted, durationText, numberText, reasonText } from '../../model/words.ts';
import { badge, h, type KeptElement, keyedList, meter, setAttributes, setText } from '../dom.ts';
import { blocksView, listenTo } from './blocks.ts';
import { type Flight, fly, placesOf, playFrom } from './flip.ts';

export type BoardEvents = {
  onStream(stream: string, anchor: HTMLElement, isChosen: boolean): void;
  onLeave(): void;
  onWorker(worker: string): void;
};

export function boardView(events: BoardEvents) {
  const grid = h('div.columns');
  const note = h('p.quiet.note');
  const element = h(
    'section.board',
    { 'aria-labelledby': 'board-title' },
    h('div.board-head', h('h2', { id: 'board-title' }, 'Workers'), legend()),
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

  function layOut(board: ShownBoard, columns: readonly Column[]): void {
    const layout = layoutOf(board, columns);
    const { density, scale } = layout;
    setAttributes(element, {
      'data-density': density,
      'data-weighed': scale.isWeighed ? 'yes' : 'no',
    });
    setText(note, layout.note);
    note.hidden = layout.note === '';
    columnList.show(columns.map((column) => ({ ...column, scale })));
    blocks.show(columns, layout.start, (worker) => columnList.kept.get(worker)?.vessel);
  }

  function flightOf({ from, to }: Travel): readonly Flight[] {
    const [start, end] = [from, to].map((worker) => columnList.kept.get(worker)?.element);
    return start === undefined || end === undefined ? [] : [{ from: start, to: end }];
  }

  grid.addEventListener('keydown', (event) => {
    const at = blocks.placeOf(event.target, drawn);
    if (at === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const heights = drawn.map((column) => column.blocks.length);
    const next = placeAfter(event.key, at, heights);
    const block = next === undefined ? undefined : drawn[next.column]?.blocks[next.row];
    if (block === undefined) return;
    event.preventDefault();
    blocks.buttonOf(block.name)?.focus();
  });

  return {
    element,
    /** Undefined: no block of its own is drawn for this stream. */
    blockOf: blocks.buttonOf,
    show: (board: ShownBoard) => {
      const columns = columnsOf(board);
      const places = placesOf(blocks.items());
      layOut(board, columns);
      if (board.isNamed) {
        const travels = travelsBetween(workersIn(drawn), workersIn(columns));
        playFrom(places, blocks.items(), new Set(travels.map(({ stream }) => stream)));
      } else fly(travelsOf(shown, board).flatMap(flightOf), element);
      shown = board;
      drawn = columns;
      element.dataset['version'] = String(board.version);
    },
  };
}

function legend(): HTMLElement {
  const entries = (['confirmed', 'waiting', 'stuck', 'leaving'] as const).map((state) =>
    h('li', h('span.block', { 'data-state': state, 'aria-hidden': 'true' }), stateText[state]),
  );
  return h('ul.legend', { 'aria-label': 'What the colours mean' }, ...entries);
}

type ScaledColumn = Column & { readonly scale: Scale };
type ColumnView = KeptElement<ScaledColumn> & { readonly vessel: HTMLElement };

/** One worker: how it is doing, how full it is, and the vessel that its streams lie in. */
function columnView({ worker }: Column, onChosen: (worker: string) => void): ColumnView {
  const standing = badge();
  const name = h('span.column-name');
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
      setText(name, now.name.slice(scale.short.length));
      setAttributes(name, { title: now.name });
      standing.show(tone, state);
      setText(load, scale.isTile ? numberText(now.streams) : loadText(now, scale));
      setAttributes(open, {
        'aria-label': `${now.name}: ${state}, ${loadText(now, scale)}; show its streams`,
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

/** Nothing, if all is well. */
function messageText({ message, awaited, state }: Column['worker']): string {
  if (state === 'Converged') return '';
  const waits =
    awaited === undefined
      ? ''
      : `version ${awaited.version} awaited${awaited.seconds >= 2 ? ` for ${durationText(awaited.seconds)}` : ''}`;
  const why = message ?? waits;
  return why === '' ? state : `${state}: ${why}`;
}

export function trayView(events: BoardEvents) {
  const title = h('h2', { id: 'tray-title' });
  const advice = h('p.quiet');
  const list = h('ul');
  const items = keyedList(
    list,
    ({ name }: ShownUnassigned) => name,
    ({ name }) => itemOf(name, events),
  );
  const labels = { 'aria-labelledby': 'tray-title', hidden: '' };
  const element = h('section.tray', labels, title, advice, list);
  return {
    element,
    show: (pool: PoolDetail) => {
      const { total, first } = pool.unassignedStreams;
      element.hidden = total === 0;
      setText(title, `${counted(total, 'stream')} without a worker`);
      const part = total > first.length ? `The first ${first.length} are shown.` : '';
      setText(advice, `${enoughText(pool)}${part}`);
      items.show(first);
    },
    itemOf: (stream: string): HTMLElement | undefined =>
      items.kept.get(stream)?.element.querySelector('button') ?? undefined,
  };
}

function itemOf(name: string, events: BoardEvents): KeptElement<ShownUnassigned> {
  const reason = h('span.quiet');
  const labels = { type: 'button', 'data-state': 'nowhere' };
  const button = h('button.block', labels, h('span.block-name', name));
  listenTo(button, name, events);
  return {
    element: h('li', button, reason),
    show: (now) => setText(reason, `${reasonText(now.reason)}: ${now.message}`),
  };
}
