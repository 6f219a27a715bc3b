// How is a pool doing, in a few words?
import type { PoolDetail } from '../../../api/introspection.ts';
import { standingOf } from '../../model/pools.ts';
import { numberText } from '../../model/words.ts';
import { h, setAttributes, setText } from '../dom.ts';
import { badge } from '../parts.ts';

const facts: Readonly<Record<string, (detail: PoolDetail) => string>> = {
  version: ({ version }) => numberText(version),
  streams: ({ streams }) => numberText(streams),
  'workers confirmed': ({ converged, desired }) =>
    `${numberText(converged)} of ${numberText(desired)}`,
  unassigned: ({ unassigned }) => numberText(unassigned),
  'workers are': ({ target }) => target || 'not found yet',
  scaling: ({ scaling }) => scaling ?? 'unknown',
  handoff: ({ isExclusive }) => (isExclusive ? 'Exclusive' : 'AtLeastOnce'),
};

export function headView(namespace: string, name: string) {
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
    element: h('header.pool-head', h('div.pool-title', title, standing.element), why, list),
    show: (detail: PoolDetail) => {
      const { tone, word, why: because } = standingOf(detail);
      standing.show(tone, word);
      const { obstacle } = detail.decision;
      setText(why, obstacle === undefined ? because : `${obstacle.reason}: ${obstacle.message}`);
      setAttributes(why, { 'data-tone': tone });
      for (const { value, textOf } of values) setText(value, textOf(detail));
      list.hidden = false;
    },
    fail: (error: string) => {
      standing.show('away', 'Not known here');
      setText(why, error);
      list.hidden = true;
    },
  };
}
