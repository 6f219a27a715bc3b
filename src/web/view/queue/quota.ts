// The quota of a queue: a bar for each resource, and the jobs that use quota although they are
// over.
import type { QueueDetail } from '../../../api/introspection/queues.ts';
import { type QuotaBar, quotaBars } from '../../model/queue.ts';
import { counted } from '../../model/words.ts';
import { h, type KeptElement, keyedList, meter, setAttributes, setText } from '../dom.ts';

type Held = QueueDetail['heldJobs']['first'][number];

export function quotaView() {
  const list = h('ul.quota-bars');
  const bars = keyedList(list, ({ resource }: QuotaBar) => resource, barView);
  const empty = h('p.quiet', { hidden: '' }, 'The usage is not known yet.');
  const heldList = h('ul');
  const held = keyedList(heldList, ({ name }: Held) => name, heldView);
  const over = h('div.failures', { hidden: '' }, h('h2', 'Over, and still in use'), heldList);
  const title = h('h2', { id: 'quota-title' }, 'Quota');
  return {
    element: h('section.quota', { 'aria-labelledby': 'quota-title' }, title, empty, list, over),
    show: ({ quota, heldJobs }: QueueDetail) => {
      const rows = quotaBars(quota);
      empty.hidden = rows.length > 0;
      bars.show(rows);
      over.hidden = heldJobs.total === 0;
      held.show(heldJobs.first);
    },
  };
}

function barView(): KeptElement<QuotaBar> {
  const resource = h('strong');
  const text = h('span.quiet');
  const bar = meter();
  const element = h('li', h('div.quota-text', resource, text), bar.element);
  return {
    element,
    show: (row) => {
      setText(resource, row.resource);
      setText(text, row.text);
      setAttributes(element, { 'data-tone': row.isExceeded ? 'bad' : undefined });
      bar.element.hidden = row.part === undefined;
      bar.show(row.part ?? 0);
    },
  };
}

function heldView(): KeptElement<Held> {
  const name = h('strong');
  const message = h('span.quiet');
  return {
    element: h('li', name, message),
    show: (it) => {
      setText(name, it.name);
      setText(message, `${counted(it.pods, 'pod')}: ${it.message}`);
    },
  };
}
