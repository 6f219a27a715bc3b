// The blocks: one element for each stream, whichever worker has it. One of them is in the order of
// Tab; arrows go on from there.
import { type Block, type Column, stateText } from '../../model/blocks.ts';
import type { GridPlace } from '../../model/grid.ts';
import { h, mark, say } from '../dom.ts';
import type { BoardEvents } from './board.ts';
import type { ColumnView } from './column.ts';

type Drawn = {
  readonly item: HTMLElement;
  readonly button: HTMLButtonElement;
  readonly name: HTMLElement;
  readonly face: HTMLElement;
  block: Block;
};

export class Blocks {
  /** What all names begin with need not stand on every block. */
  start = '';
  readonly elements = new Map<string, HTMLElement>();
  readonly #drawn = new Map<string, Drawn>();
  readonly #events: BoardEvents;
  #focused: string | undefined;

  constructor(events: BoardEvents) {
    this.#events = events;
  }

  show(columns: readonly Column[], views: ReadonlyMap<string, ColumnView>): void {
    const here = new Set<string>();
    const focused = document.activeElement;
    for (const { worker, blocks } of columns) {
      const vessel = views.get(worker.name)?.vessel;
      if (vessel === undefined) continue;
      let next = vessel.firstElementChild;
      for (const block of blocks) {
        here.add(block.name);
        const { item } = this.#draw(block);
        if (item === next) next = next.nextElementSibling;
        else vessel.insertBefore(item, next);
      }
    }
    for (const [key, { item }] of this.#drawn) if (!here.has(key)) this.#remove(key, item);
    if (this.#focused === undefined || !here.has(this.#focused))
      this.#rove(here.values().next().value);
    // An element that is moved loses the focus: it gets it back.
    if (
      focused instanceof HTMLButtonElement &&
      focused.isConnected &&
      focused !== document.activeElement
    )
      focused.focus({ preventScroll: true });
  }

  buttonOf(stream: string): HTMLElement | undefined {
    return this.#drawn.get(stream)?.button;
  }

  focus(stream: string): void {
    this.#drawn.get(stream)?.button.focus();
  }

  placeOf(target: EventTarget | null, columns: readonly Column[]): GridPlace | undefined {
    const found = [...this.#drawn.values()].find(({ button }) => button === target);
    if (found === undefined) return undefined;
    const column = columns.findIndex(({ worker }) => worker.name === found.block.worker);
    const row = columns[column]?.blocks.findIndex(({ name }) => name === found.block.name) ?? -1;
    return row < 0 ? undefined : { column, row };
  }

  #draw(block: Block): Drawn {
    const drawn = this.#drawn.get(block.name) ?? this.#make(block);
    const { button } = drawn;
    drawn.block = block;
    say(drawn.name, block.name.slice(this.start.length));
    mark(drawn.face, { 'data-weight': block.weight > 0 ? String(block.weight) : undefined });
    mark(button, { 'data-state': block.state, 'aria-label': blockText(block) });
    drawn.item.style.setProperty('--share', String(block.share));
    drawn.item.classList.toggle('heavy', block.weight > 0);
    return drawn;
  }

  #make(block: Block): Drawn {
    const key = block.name;
    const name = h('span.block-name');
    const face = h('span.block-face', name);
    const button = h('button.block', { type: 'button', tabindex: '-1' }, face);
    const item = h('li', button);
    const drawn: Drawn = { item, button, name, face, block };
    const onStream = (isChosen: boolean) => () =>
      this.#events.onStream(drawn.block.name, button, isChosen);
    button.addEventListener('mouseenter', onStream(false));
    button.addEventListener('mouseleave', () => this.#events.onLeave());
    button.addEventListener('focus', () => {
      this.#rove(key);
      onStream(false)();
    });
    button.addEventListener('blur', () => this.#events.onLeave());
    button.addEventListener('click', onStream(true));
    this.#drawn.set(key, drawn);
    this.elements.set(key, item);
    return drawn;
  }

  #remove(key: string, item: HTMLElement): void {
    item.remove();
    this.#drawn.delete(key);
    this.elements.delete(key);
  }

  #rove(key: string | undefined): void {
    if (this.#focused !== undefined)
      this.#drawn.get(this.#focused)?.button.setAttribute('tabindex', '-1');
    this.#focused = key;
    if (key !== undefined) this.#drawn.get(key)?.button.setAttribute('tabindex', '0');
  }
}

const blockText = ({ name, worker, weight, state }: Block): string =>
  `${name}, ${worker}, ${weight > 0 ? `weight ${weight}, ` : ''}${stateText[state]}`;
