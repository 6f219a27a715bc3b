// One worker and all of its streams, part by part: for pools in which they are too many to be
// drawn.
import type { ShownStream } from '../../../api/introspection.ts';
import type { PoolApi } from '../../ask.ts';
import { stateText } from '../../model/blocks.ts';
import { numberText } from '../../model/words.ts';
import { h, say } from '../dom.ts';
import { Latest } from '../parts.ts';
import { placeText } from './why.ts';

const PART = 200;

export class WorkerDialog {
  readonly element = h('dialog', { class: 'worker-dialog', 'aria-labelledby': 'worker-title' });
  readonly #api: PoolApi;
  readonly #title = h('h2', { id: 'worker-title' });
  readonly #looked = h('div', { class: 'looked', role: 'status', hidden: '' });
  readonly #latest = new Latest();
  readonly #told = h('p', { class: 'quiet', role: 'status' });
  readonly #list = h('ul', { tabindex: '0', 'aria-labelledby': 'worker-title' });
  readonly #more = h('button', { type: 'button' }, 'Show more');
  #worker = '';
  #next = '';

  constructor(api: PoolApi, onClosed: () => void) {
    this.#api = api;
    const close = h(
      'button',
      { type: 'button', class: 'plain dismiss', 'aria-label': 'Close' },
      '×',
    );
    close.addEventListener('click', () => this.element.close());
    this.#more.addEventListener('click', () => void this.#load());
    this.element.append(close, this.#title, this.#looked, this.#told, this.#list, this.#more);
    this.element.addEventListener('close', onClosed);
    this.element.addEventListener('click', (event) => {
      if (event.target === this.element) this.element.close();
    });
  }

  /** `stream`: one that was searched for is told of first. */
  open(worker: string, stream?: string): void {
    this.#worker = worker;
    this.#next = '';
    this.#looked.hidden = stream === undefined;
    this.#looked.replaceChildren();
    if (stream !== undefined) this.#latest.run(0, (signal) => this.#explain(stream, signal));
    say(this.#title, worker);
    say(this.#told, '…');
    this.#list.replaceChildren();
    if (!this.element.open) this.element.showModal();
    void this.#load();
  }

  async #explain(stream: string, signal: AbortSignal): Promise<void> {
    const asked = await this.#api.why(stream, signal);
    if (signal.aborted || !asked.ok) return;
    const reasons = asked.value.because.map((reason) => h('li', {}, reason));
    this.#looked.replaceChildren(
      h('strong', {}, stream),
      h('p', { class: 'quiet' }, placeText(asked.value)),
      h('ul', {}, ...reasons),
    );
  }

  async #load(): Promise<void> {
    const worker = this.#worker;
    const asked = await this.#api.streamsOf(worker, PART, this.#next);
    if (worker !== this.#worker) return;
    if (!asked.ok)
      return say(this.#told, asked.status === 0 ? 'The operator does not answer.' : asked.error);
    const { items, total, next } = asked.value;
    this.#list.append(...items.map(itemOf));
    say(
      this.#told,
      `${numberText(this.#list.childElementCount)} of ${numberText(total)} streams, by name`,
    );
    this.#next = next ?? '';
    this.#more.hidden = next === undefined;
  }
}

function itemOf({ name, weight, isRunning }: ShownStream): HTMLElement {
  const state = isRunning === false ? 'waiting' : 'confirmed';
  const said = isRunning === undefined ? '' : isRunning ? stateText.confirmed : stateText.waiting;
  return h(
    'li',
    { 'data-state': state },
    h('span', {}, name),
    h(
      'span',
      { class: 'quiet' },
      [weight > 0 ? String(weight) : '', said].filter(Boolean).join(' · '),
    ),
  );
}
