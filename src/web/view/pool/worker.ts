// One worker and all of its streams, part by part: for pools with too many streams to draw.
import type { ShownStream } from '../../../api/introspection.ts';
import type { PoolApi } from '../../ask.ts';
import { stateOf, stateText } from '../../model/blocks.ts';
import { numberText } from '../../model/words.ts';
import { closeButton, h, Latest, setText } from '../dom.ts';
import { locationText } from './why.ts';

const PART = 200;

export function workerDialog(api: PoolApi, onClosed: () => void) {
  const title = h('h2', { id: 'worker-title' });
  const explained = h('div.explained', { role: 'status', hidden: '' });
  const note = h('p.quiet', { role: 'status' });
  const list = h('ul', { tabindex: '0', 'aria-labelledby': 'worker-title' });
  const more = h('button', { type: 'button' }, 'Show more');
  const element = h('dialog.worker-dialog', { 'aria-labelledby': 'worker-title' });
  element.append(
    closeButton(() => element.close()),
    title,
    explained,
    note,
    list,
    more,
  );
  element.addEventListener('close', onClosed);
  element.addEventListener('click', ({ target }) => {
    if (target === element) element.close();
  });
  more.addEventListener('click', () => void load());
  const latest = new Latest();
  let shown = '';
  let after = '';

  async function explain(stream: string, signal: AbortSignal): Promise<void> {
    const answer = await api.why(stream, signal);
    if (signal.aborted || !answer.ok) return;
    const reasons = answer.value.because.map((reason) => h('li', reason));
    explained.replaceChildren(
      h('strong', stream),
      h('p.quiet', locationText(answer.value)),
      h('ul', ...reasons),
    );
  }

  async function load(): Promise<void> {
    const worker = shown;
    const answer = await api.streamsOf(worker, PART, after);
    if (worker !== shown) return;
    if (!answer.ok) return setText(note, answer.error);
    const { items, total, next } = answer.value;
    list.append(...items.map(itemOf));
    setText(note, `${numberText(list.childElementCount)} of ${numberText(total)} streams, by name`);
    after = next ?? '';
    more.hidden = next === undefined;
  }

  return {
    element,
    /** A `stream` that was searched for is explained first. */
    open: (worker: string, stream?: string) => {
      [shown, after] = [worker, ''];
      explained.hidden = stream === undefined;
      explained.replaceChildren();
      if (stream !== undefined) latest.run(0, (signal) => explain(stream, signal));
      setText(title, worker);
      setText(note, '…');
      list.replaceChildren();
      if (!element.open) element.showModal();
      void load();
    },
  };
}

function itemOf(stream: ShownStream): HTMLElement {
  const { name, weight, isRunning, state: told, message } = stream;
  const state = stateOf({ state: isRunning === false ? 'Pending' : 'Converged' }, stream);
  const facts = [
    ...(weight > 0 ? [String(weight)] : []),
    ...(isRunning === undefined && told === undefined ? [] : [stateText[state]]),
    ...(message === undefined ? [] : [message]),
  ];
  return h('li', { 'data-state': state }, h('span', name), h('span.quiet', facts.join(' · ')));
}
