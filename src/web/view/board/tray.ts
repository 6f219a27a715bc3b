// Which streams has nobody, and why?
import type { PoolDetail, ShownUnassigned } from '../../../api/introspection.ts';
import { counted, reasonText } from '../../model/words.ts';
import { h, type KeptElement, KeyedList, say } from '../dom.ts';
import type { BoardEvents } from './board.ts';

export class TrayView {
  readonly element: HTMLElement;
  readonly #title = h('h2', { id: 'tray-title' });
  readonly #advice = h('p', { class: 'quiet' });
  readonly #items: KeyedList<ShownUnassigned>;

  constructor({ onStream, onLeave }: BoardEvents) {
    const list = h('ul');
    this.#items = new KeyedList<ShownUnassigned>(
      list,
      ({ name }) => name,
      (it) => itemOf(it, onStream, onLeave),
    );
    this.element = h(
      'section',
      { class: 'tray', 'aria-labelledby': 'tray-title', hidden: '' },
      this.#title,
      this.#advice,
      list,
    );
  }

  show({ unassignedStreams: { total, first }, required, desired }: PoolDetail): void {
    this.element.hidden = total === 0;
    say(this.#title, `${counted(total, 'stream')} without a worker`);
    const enough =
      required > desired ? `${counted(required, 'worker')} would be enough for all. ` : '';
    say(
      this.#advice,
      `${enough}${total > first.length ? `The first ${first.length} are shown.` : ''}`,
    );
    this.#items.show(first);
  }

  itemOf(stream: string): HTMLElement | undefined {
    return this.#items.kept.get(stream)?.element.querySelector('button') ?? undefined;
  }
}

function itemOf(
  { name }: ShownUnassigned,
  onStream: BoardEvents['onStream'],
  onLeave: BoardEvents['onLeave'],
): KeptElement<ShownUnassigned> {
  const reason = h('span', { class: 'quiet' });
  const button = h(
    'button',
    { type: 'button', class: 'block', 'data-state': 'nowhere' },
    h('span', { class: 'block-name' }, name),
  );
  for (const moment of ['mouseenter', 'focus'])
    button.addEventListener(moment, () => onStream(name, button, false));
  for (const moment of ['mouseleave', 'blur']) button.addEventListener(moment, onLeave);
  button.addEventListener('click', () => onStream(name, button, true));
  return {
    element: h('li', {}, button, reason),
    show: (now) => say(reason, `${reasonText(now.reason)}: ${now.message}`),
  };
}
