// What has changed, and how long did it take until it was true?
import type { PoolDetail } from '../../../api/introspection.ts';
import { type TimelineRow, timelineOf } from '../../model/timeline.ts';
import { h, type KeptElement, KeyedList, mark, say } from '../dom.ts';

export class TimelineView {
  readonly element: HTMLElement;
  readonly #list = h('ol');
  readonly #empty = h('p', { class: 'quiet' }, 'Nothing was published yet.');
  readonly #rows: KeyedList<TimelineRow>;

  constructor() {
    this.#rows = new KeyedList<TimelineRow>(this.#list, ({ version }) => String(version), rowOf);
    this.element = h(
      'section',
      { class: 'timeline', 'aria-labelledby': 'timeline-title' },
      h('h2', { id: 'timeline-title' }, 'Changes'),
      this.#empty,
      this.#list,
    );
  }

  show({ history }: PoolDetail, now: number): void {
    this.#empty.hidden = history.length > 0;
    this.#rows.show(timelineOf(history, now));
  }
}

function rowOf({ version }: TimelineRow): KeptElement<TimelineRow> {
  const [what, when, took, fill] = [
    h('span'),
    h('span', { class: 'quiet' }),
    h('span', { class: 'took' }),
    h('div'),
  ];
  const element = h(
    'li',
    {},
    h('strong', {}, `v${version}`),
    h('div', { class: 'change' }, what, when),
    h(
      'div',
      { class: 'change-end' },
      took,
      h('div', { class: 'meter', 'aria-hidden': 'true' }, fill),
    ),
  );
  return {
    element,
    show: (row) => {
      mark(element, { 'data-state': row.state });
      say(what, row.reason);
      say(when, `${row.moves} · ${row.when}`);
      say(took, row.took);
      fill.style.setProperty('--fill', `${100 * row.share}%`);
    },
  };
}
