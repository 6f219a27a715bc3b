// The admitted jobs, drawn as their ranks.
import type { QueueDetail } from '../../../api/introspection/queues.ts';
import { type JobRow, jobRows, partText } from '../../model/queue.ts';
import { type LegendEntry, legendOf } from '../../model/ranks.ts';
import { badge, h, type KeptElement, keyedList, setAttributes, setText } from '../dom.ts';
import { replicaBar } from '../replicas.ts';
import { ranksView } from './ranks.ts';

export function admittedView() {
  const list = h('ul.jobs.stage');
  const empty = h('p.quiet', 'No job is admitted.');
  const part = h('p.quiet');
  const jobs = keyedList(list, ({ key }: JobRow) => key, jobView);
  const legend = legendView();
  const title = h('h2', { id: 'admitted-title' }, 'Admitted');
  const head = h('div.board-head', title, legend.element);
  const labels = { 'aria-labelledby': 'admitted-title' };
  return {
    element: h('section.members', labels, head, empty, list, part),
    show: (detail: QueueDetail, now: number) => {
      const rows = jobRows(detail, now);
      empty.hidden = rows.length > 0;
      list.hidden = rows.length === 0;
      legend.show(rows);
      jobs.show(rows);
      const text = partText(detail.admittedJobs.total, rows.length);
      setText(part, text);
      part.hidden = text === '';
    },
  };
}

function legendView() {
  const element = h('ul.legend', { 'aria-label': 'Legend' });
  const entries = keyedList(element, ([, word]: LegendEntry) => word, entryView);
  return {
    element,
    show: (rows: readonly JobRow[]) => {
      const shown = legendOf(rows);
      entries.show(shown);
      element.hidden = shown.length === 0;
    },
  };
}

function entryView([state, word]: LegendEntry): KeptElement<LegendEntry> {
  const look = state === 'leader' ? { 'data-leader': 'yes' } : { 'data-state': state };
  const sample = h('span.replica.tile', { ...look, 'aria-hidden': 'true' });
  return { element: h('li', sample, word), show: () => undefined };
}

function jobView(): KeptElement<JobRow> {
  const standing = badge();
  const bar = replicaBar();
  const ranks = ranksView();
  const name = h('span.member-name');
  const about = h('span.quiet');
  const count = h('span.member-count');
  const message = h('p.message');
  const named = h('div.member-title', name, about);
  const parts = [named, ranks.element, bar.element, count, standing.element, message];
  const element = h('li.member', ...parts);
  return {
    element,
    show: (row) => {
      setAttributes(element, { 'data-tone': row.tone });
      standing.show(row.tone, row.state);
      ranks.show(row.name, row.tiles);
      bar.element.hidden = row.segments.length === 0;
      bar.show(row.segments);
      setText(name, row.name);
      setText(about, row.about);
      setText(count, row.count);
      setText(message, row.message);
      message.hidden = row.message === '';
    },
  };
}
