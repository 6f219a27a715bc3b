// The waiting jobs, in their order: why each waits, and when it starts at the latest.
import type { QueueDetail } from '../../../api/introspection/queues.ts';
import { partText, type QueuedRow, waitingRows } from '../../model/queue.ts';
import { h, type KeptElement, keyedList, setAttributes, setText } from '../dom.ts';

export function waitingView(namespace: string, queue: string) {
  const list = h('ol.waiting.stage');
  const command = `swarmctl -n ${namespace} job run -q ${queue} -N 2 --image busybox -- echo hello`;
  const empty = h(
    'div.empty',
    h('p.quiet', 'No job waits. This command submits one:'),
    h('pre', { tabindex: '0' }, command),
  );
  const part = h('p.quiet');
  const jobs = keyedList(list, ({ key }: QueuedRow) => key, waitingJobView);
  const title = h('h2', { id: 'waiting-title' }, 'Waiting');
  const labels = { 'aria-labelledby': 'waiting-title' };
  return {
    element: h('section.members', labels, h('div.board-head', title), empty, list, part),
    show: (detail: QueueDetail, now: number) => {
      const rows = waitingRows(detail, now);
      empty.hidden = rows.length > 0;
      list.hidden = rows.length === 0;
      jobs.show(rows);
      const text = partText(detail.waitingJobs.total, rows.length);
      setText(part, text);
      part.hidden = text === '';
    },
  };
}

function waitingJobView(): KeptElement<QueuedRow> {
  const position = h('span.position');
  const name = h('span.member-name');
  const about = h('span.quiet');
  const reason = h('strong');
  const message = h('p.message');
  const start = h('span.start');
  const named = h('div.waiting-title', name, about);
  const element = h('li.waiting-job', position, named, h('div', reason, message), start);
  return {
    element,
    show: (row) => {
      setAttributes(element, { 'data-tone': row.isStuck ? 'bad' : undefined });
      setText(position, row.position);
      setText(name, row.name);
      setText(about, row.about);
      setText(reason, row.reason);
      setText(message, row.message);
      setText(start, row.start);
      setAttributes(start, { 'data-known': row.isKnown ? 'yes' : undefined });
    },
  };
}
