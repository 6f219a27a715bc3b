// How did the last transitions of a group end, how long did they take, and which member was last?
import type { GroupDetail } from '../../../api/introspection/groups.ts';
import { type EndedRow, endedRows, timesText } from '../../model/transitions.ts';
import { h, type KeptElement, keyedList, meter, setAttributes, setText } from '../dom.ts';

export function historyView() {
  const list = h('ol');
  const empty = h('p.quiet', 'No transition has ended yet.');
  const times = h('p.quiet.times');
  const rows = keyedList(list, ({ key }: EndedRow) => key, rowOf);
  const title = h('h2', { id: 'timeline-title' }, 'Transitions');
  const labels = { 'aria-labelledby': 'timeline-title' };
  return {
    element: h('section.timeline.history', labels, title, times, empty, list),
    show: ({ history, times: measured }: GroupDetail, now: number) => {
      empty.hidden = history.length > 0;
      const text = timesText(measured);
      setText(times, text);
      times.hidden = text === '';
      rows.show(endedRows(history, now));
    },
  };
}

function rowOf(): KeptElement<EndedRow> {
  const [sizes, outcome, when, slowest, took, length] = [
    h('strong'),
    h('span.outcome'),
    h('span.quiet'),
    h('span.quiet.slowest'),
    h('span.took'),
    meter(),
  ];
  const element = h(
    'li',
    sizes,
    h('div.change', outcome, when),
    h('div.change-end', took, length.element),
    slowest,
  );
  return {
    element,
    show: (row) => {
      setAttributes(element, { 'data-tone': row.tone });
      setText(sizes, row.sizes);
      setText(outcome, row.outcome);
      setText(when, row.when);
      setText(slowest, row.slowest);
      slowest.hidden = row.slowest === '';
      setText(took, row.took);
      length.element.hidden = row.share === undefined;
      length.show(row.share ?? 0);
    },
  };
}
