// Which changes were there, and how long did each take until all workers had confirmed it?
import type { PoolDetail } from '../../../api/introspection.ts';
import { type TimelineRow, timelineOf } from '../../model/timeline.ts';
import { h, type KeptElement, keyedList, meter, setAttributes, setText } from '../dom.ts';

export function timelineView() {
  const list = h('ol');
  const empty = h('p.quiet', 'No assignment has been published yet.');
  const rows = keyedList(list, ({ version }: TimelineRow) => String(version), rowOf);
  const title = h('h2', { id: 'timeline-title' }, 'Changes');
  return {
    element: h('section.timeline', { 'aria-labelledby': 'timeline-title' }, title, empty, list),
    show: ({ history }: PoolDetail, now: number) => {
      empty.hidden = history.length > 0;
      rows.show(timelineOf(history, now));
    },
  };
}

function rowOf({ version }: TimelineRow): KeptElement<TimelineRow> {
  const [what, when, took, length] = [h('span'), h('span.quiet'), h('span.took'), meter()];
  const element = h(
    'li',
    h('strong', `v${version}`),
    h('div.change', what, when),
    h('div.change-end', took, length.element),
  );
  return {
    element,
    show: (row) => {
      setAttributes(element, { 'data-state': row.state });
      setText(what, row.reason);
      setText(when, `${row.moves} · ${row.when}`);
      setText(took, row.took);
      length.show(row.share);
    },
  };
}
