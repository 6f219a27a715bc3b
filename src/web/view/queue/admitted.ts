// The admitted jobs, with a block for each of their ranks.
import type { QueueDetail } from '../../../api/introspection/queues.ts';
import { type JobRow, jobRows, partText } from '../../model/queue.ts';
import { badge, h, type KeptElement, keyedList, setAttributes, setText } from '../dom.ts';
import { replicaBar, replicaLegend } from '../replicas.ts';

const words = {
  ready: 'runs',
  done: 'has ended well',
  waiting: 'not ready yet',
  stuck: 'fails',
  leaving: 'is ending',
} as const;

export function admittedView() {
  const list = h('ul.jobs.stage');
  const empty = h('p.quiet', 'No job is admitted.');
  const part = h('p.quiet');
  const jobs = keyedList(list, ({ key }: JobRow) => key, jobView);
  const colours = replicaLegend(words);
  const title = h('h2', { id: 'admitted-title' }, 'Admitted');
  const head = h('div.board-head', title, colours);
  const labels = { 'aria-labelledby': 'admitted-title' };
  return {
    element: h('section.members', labels, head, empty, list, part),
    show: (detail: QueueDetail, now: number) => {
      const rows = jobRows(detail, now);
      empty.hidden = rows.length > 0;
      list.hidden = rows.length === 0;
      colours.hidden = rows.length === 0;
      jobs.show(rows);
      const text = partText(detail.admittedJobs.total, rows.length);
      setText(part, text);
      part.hidden = text === '';
    },
  };
}

function jobView(): KeptElement<JobRow> {
  const standing = badge();
  const bar = replicaBar();
  const name = h('span.member-name');
  const about = h('span.quiet');
  const count = h('span.member-count');
  const message = h('p.message');
  const named = h('div.member-title', name, about);
  const element = h('li.member', named, bar.element, count, standing.element, message);
  return {
    element,
    show: (row) => {
      setAttributes(element, { 'data-tone': row.tone });
      standing.show(row.tone, row.state);
      bar.show(row.segments);
      setText(name, row.name);
      setText(about, row.about);
      setText(count, row.count);
      setText(message, row.message);
      message.hidden = row.message === '';
    },
  };
}
