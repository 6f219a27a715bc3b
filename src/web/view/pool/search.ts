// Where is a stream? The operator searches, since there may be a hundred thousand.
import type { ShownStream } from '../../../api/introspection.ts';
import type { PoolApi } from '../../ask.ts';
import { counted, numberText } from '../../model/words.ts';
import { h, Latest, setAttributes, setText } from '../dom.ts';

const SHOWN = 12;
const REST_MS = 150;

export function searchView(api: PoolApi, onChosen: (stream: ShownStream) => void): HTMLElement {
  const input = h('input', {
    type: 'search',
    placeholder: 'Find a stream',
    role: 'combobox',
    'aria-label': 'Find a stream',
    'aria-controls': 'found',
    'aria-expanded': 'false',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const list = h('ul', { id: 'found', role: 'listbox', 'aria-label': 'Streams found', hidden: '' });
  const note = h('p.quiet.search-note', { role: 'status' });
  const latest = new Latest();
  let found: readonly ShownStream[] = [];
  let active = -1;

  function show(streams: readonly ShownStream[], text: string): void {
    found = streams;
    list.replaceChildren(...streams.map(optionOf));
    for (const [index, option] of [...list.children].entries())
      option.addEventListener('pointerdown', (event) => {
        event.preventDefault();
        choose(index);
      });
    list.hidden = streams.length === 0;
    setAttributes(input, { 'aria-expanded': String(streams.length > 0) });
    setText(note, text);
    activate(streams.length > 0 ? 0 : -1);
  }

  function close(): void {
    latest.cancel();
    show([], '');
  }

  function activate(index: number): void {
    active = index;
    for (const [at, option] of [...list.children].entries())
      setAttributes(option, { 'aria-selected': String(at === index) });
    setAttributes(input, { 'aria-activedescendant': index < 0 ? undefined : `found-${index}` });
    list.children[index]?.scrollIntoView({ block: 'nearest' });
  }

  function choose(index: number): void {
    const stream = found[index];
    if (stream === undefined) return;
    close();
    onChosen(stream);
  }

  input.addEventListener('input', () => {
    const text = input.value.trim();
    if (text === '') return close();
    latest.run(REST_MS, async (signal) => {
      const answer = await api.search(text, SHOWN, signal);
      if (signal.aborted) return;
      if (answer.ok) show(answer.value.items, countText(answer.value));
      else setText(note, answer.error);
    });
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') activate(Math.min(found.length - 1, active + 1));
    else if (event.key === 'ArrowUp') activate(Math.max(0, active - 1));
    else if (event.key === 'Enter') choose(active);
    else if (event.key === 'Escape' && !list.hidden) close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  input.addEventListener('blur', close);
  return h('div.search', { role: 'search' }, input, list, note);
}

function countText({ items, total }: { items: readonly unknown[]; total: number }): string {
  if (total === 0) return 'No stream name contains this text.';
  const part = total > items.length ? `${numberText(items.length)} of ` : '';
  return `${part}${counted(total, 'stream')}`;
}

function optionOf({ name, worker, weight }: ShownStream, index: number): HTMLElement {
  const where = worker === '' ? 'no worker' : worker;
  return h(
    'li',
    { id: `found-${index}`, role: 'option', 'aria-selected': 'false' },
    h('span.found-name', name),
    h('span.quiet', weight > 0 ? `${where} · ${weight}` : where),
  );
}
