// The head of the page of one object: its name, how it is doing, and facts.
import type { Standing } from '../model/standing.ts';
import { badge, h, setAttributes, setText } from './dom.ts';

type Facts<T> = Readonly<Record<string, (item: T) => string>>;

export function headView<T>(
  namespace: string,
  name: string,
  facts: Facts<T>,
  standingOf: (item: T) => Standing,
) {
  const standing = badge();
  const why = h('p.why', { role: 'status' });
  const values = Object.entries(facts).map(([fact, textOf]) => ({ fact, textOf, value: h('dd') }));
  const list = h(
    'dl.facts',
    { hidden: '' },
    ...values.map(({ fact, value }) => h('div', h('dt', fact), value)),
  );
  const title = h('h1', h('span.namespace', `${namespace} / `), name);
  return {
    element: h('header.object-head', h('div.object-title', title, standing.element), why, list),
    show: (item: T) => {
      const { tone, word, why: because } = standingOf(item);
      standing.show(tone, word);
      setText(why, because);
      setAttributes(why, { 'data-tone': tone });
      for (const { value, textOf } of values) setText(value, textOf(item));
      list.hidden = false;
    },
    fail: (error: string) => {
      standing.show('away', 'Not available');
      setText(why, error);
      list.hidden = true;
    },
  };
}
