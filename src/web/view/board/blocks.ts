// The blocks: one element for each stream, whichever worker has it. One block is in the tab order;
// arrow keys move on from it.
import { type Block, type Column, stateText } from '../../model/blocks.ts';
import type { GridCell } from '../../model/grid.ts';
import { h, setAttributes, setCutText } from '../dom.ts';

export type StreamEvents = {
  onStream(stream: string, anchor: HTMLElement, isChosen: boolean): void;
  onLeave(): void;
};

type Drawn = {
  readonly item: HTMLElement;
  readonly button: HTMLButtonElement;
  readonly name: HTMLElement;
  readonly word: HTMLElement;
  readonly message: HTMLElement;
  readonly face: HTMLElement;
  block: Block;
};

export function blocksView(events: StreamEvents) {
  const drawn = new Map<string, Drawn>();
  let inTabOrder: string | undefined;

  function putInTabOrder(stream: string | undefined): void {
    drawn.get(inTabOrder ?? '')?.button.setAttribute('tabindex', '-1');
    inTabOrder = stream;
    drawn.get(stream ?? '')?.button.setAttribute('tabindex', '0');
  }

  function make(block: Block): Drawn {
    const stream = block.name;
    const name = h('span.block-name');
    const word = h('span.block-word');
    const message = h('span.block-message');
    // The label of the button begins with the name, in one piece.
    const face = h('span.block-face', { 'aria-hidden': 'true' }, word, name, message);
    const button = h('button.block', { type: 'button', tabindex: '-1' }, face);
    const made: Drawn = { item: h('li', button), button, name, word, message, face, block };
    drawn.set(stream, made);
    listenTo(button, stream, events);
    button.addEventListener('focus', () => putInTabOrder(stream));
    return made;
  }

  return {
    /** The elements that travel, by the name of the stream. */
    items: (): ReadonlyMap<string, HTMLElement> =>
      new Map([...drawn].map(([stream, { item }]) => [stream, item])),

    /** `start`: the common start of all names, which blocks omit. */
    show: (
      columns: readonly Column[],
      start: string,
      vesselOf: (worker: string) => HTMLElement | undefined,
    ) => {
      const here = new Set<string>();
      const focused = document.activeElement;
      for (const { worker, blocks } of columns) {
        const vessel = vesselOf(worker.name);
        let next = vessel?.firstElementChild ?? null;
        for (const block of blocks) {
          here.add(block.name);
          const it = drawn.get(block.name) ?? make(block);
          update(it, block, start);
          if (it.item === next) next = next.nextElementSibling;
          else vessel?.insertBefore(it.item, next);
        }
      }
      for (const [stream, { item }] of drawn) {
        if (here.has(stream)) continue;
        item.remove();
        drawn.delete(stream);
      }
      if (!here.has(inTabOrder ?? '')) putInTabOrder([...here][0]);
      // An element that is moved loses the focus, and gets it back.
      if (
        focused instanceof HTMLButtonElement &&
        focused.isConnected &&
        focused !== document.activeElement
      )
        focused.focus({ preventScroll: true });
    },

    buttonOf: (stream: string): HTMLElement | undefined => drawn.get(stream)?.button,

    cellOf: (target: EventTarget | null, columns: readonly Column[]): GridCell | undefined => {
      const block = [...drawn.values()].find(({ button }) => button === target)?.block;
      const column = columns.findIndex(({ worker }) => worker.name === block?.worker);
      const row = columns[column]?.blocks.findIndex(({ name }) => name === block?.name) ?? -1;
      return row < 0 ? undefined : { column, row };
    },
  };
}

function update(drawn: Drawn, block: Block, start: string): void {
  const { item, button, name, face } = drawn;
  const { state, weight, worker, share, message } = block;
  drawn.block = block;
  const weightText = weight > 0 ? `weight ${weight}, ` : '';
  const why = message === undefined ? '' : `: ${message}`;
  const label = `${block.name}, ${worker}, ${weightText}${stateText[state]}${why}`;
  setCutText(name, block.name.slice(start.length));
  setAttributes(drawn.word, { 'data-text': isTold(state) ? stateText[state] : undefined });
  setAttributes(drawn.message, { 'data-text': message });
  setAttributes(face, { 'data-weight': weight > 0 ? String(weight) : undefined });
  setAttributes(button, { 'data-state': state, 'aria-label': label });
  item.style.setProperty('--share', String(share));
  item.classList.toggle('heavy', weight > 0);
}

/** States that are shown by more than a colour. */
const isTold = (state: Block['state']): boolean =>
  state === 'failing' || state === 'down' || state === 'suspended' || state === 'completed';

/** A block explains why its stream is there: briefly, or until dismissed if it was chosen. */
export function listenTo(
  button: HTMLButtonElement,
  stream: string,
  { onStream, onLeave }: StreamEvents,
): void {
  for (const moment of ['mouseenter', 'focus'])
    button.addEventListener(moment, () => onStream(stream, button, false));
  for (const moment of ['mouseleave', 'blur']) button.addEventListener(moment, onLeave);
  button.addEventListener('click', () => onStream(stream, button, true));
}
