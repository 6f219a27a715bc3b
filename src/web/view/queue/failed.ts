// The failed jobs that still exist: when each failed, and why.
import type { QueueDetail } from '../../../api/introspection/queues.ts';
import { type FailedRow, failedRows, partText } from '../../model/queue.ts';
import { h, type KeptElement, keyedList, setText } from '../dom.ts';

export function failedView() {
  const list = h('ul.failed-jobs.stage');
  const part = h('p.quiet');
  const jobs = keyedList(list, ({ key }: FailedRow) => key, failedJobView);
  const title = h('h2', { id: 'failed-title' }, 'Failed');
  const labels = { 'aria-labelledby': 'failed-title', hidden: '' };
  const element = h('section.members', labels, h('div.board-head', title), list, part);
  return {
    element,
    show: (detail: QueueDetail, now: number) => {
      const rows = failedRows(detail, now);
      element.hidden = rows.length === 0;
      jobs.show(rows);
      const text = partText(detail.failedJobs.total, rows.length);
      setText(part, text);
      part.hidden = text === '';
    },
  };
}

function failedJobView(): KeptElement<FailedRow> {
  const name = h('span.member-name');
  const about = h('span.quiet');
  const reason = h('strong');
  const message = h('p.message');
  const named = h('div.waiting-title', name, about);
  const element = h('li.failed-job', { 'data-tone': 'bad' }, named, h('div', reason, message));
  return {
    element,
    show: (row) => {
      setText(name, row.name);
      setText(about, row.about);
      setText(reason, row.reason);
      setText(message, row.message);
    },
  };
}
