// All pools: how is each doing?
import type { Pool } from '../../api/introspection.ts';
import { askPools } from '../ask.ts';
import { type KnownPools, keyOf, type PoolNews, standingOf, withNews } from '../model/pools.ts';
import { hashOf } from '../model/route.ts';
import { counted, numberText } from '../model/words.ts';
import { badge, h, type KeptElement, keyedList, meter, setAttributes, setText } from './dom.ts';
import type { OnSilence, View } from './view.ts';

export function poolsView(onSilence: OnSilence): View {
  const summary = h('p.lead', { role: 'status' });
  const list = h('ul.cards');
  const empty = h('div.empty', { hidden: '' });
  const element = h('section.pools', h('h1', 'Pools'), summary, list, empty);
  const cards = keyedList(list, keyOf, cardOf);
  let known: KnownPools = new Map();
  let isLeading = true;
  let total = 0;

  function draw(): void {
    const pools = [...known.values()];
    cards.show(pools);
    const ill = pools.filter((pool) => standingOf(pool).tone === 'bad').length;
    const beyond =
      total > pools.length ? `, the first ${numberText(pools.length)} of ${numberText(total)}` : '';
    setText(
      summary,
      pools.length === 0
        ? ''
        : `${counted(pools.length, 'pool')}${beyond}, ${ill === 0 ? 'none in trouble' : `${ill} in trouble`}`,
    );
    empty.hidden = pools.length > 0;
    if (pools.length === 0) empty.replaceChildren(...(isLeading ? noPools() : noLeader()));
  }

  return {
    element,
    refresh: () =>
      void askPools().then((answer) => {
        if (!answer.ok) return onSilence();
        isLeading = answer.value.leading;
        total = answer.value.total;
        known = withNews(known, { type: 'all', pools: answer.value.items });
        draw();
      }),
    onNews: (news: PoolNews) => {
      known = withNews(known, news);
      total = Math.max(total, known.size);
      draw();
    },
  };
}

function cardOf(pool: Pool): KeptElement<Pool> {
  const standing = badge();
  const why = h('p.why');
  const target = h('p.quiet');
  const converged = meter();
  const facts = { streams: h('dd'), workers: h('dd'), version: h('dd'), mode: h('dd') };
  const link = h('a', { href: hashOf(pool.namespace, pool.name) }, pool.name);
  const title = h('h2', h('span.namespace', `${pool.namespace} / `), link);
  const head = h('div.card-head', title, standing.element);
  const rows = Object.entries(facts).map(([name, value]) => h('div', h('dt', name), value));
  return {
    element: h('li.card', head, target, converged.element, h('dl', ...rows), why),
    show: (now) => {
      const { tone, word, why: because } = standingOf(now);
      standing.show(tone, word);
      setText(target, now.target === '' ? 'no target yet' : now.target);
      setText(facts.streams, numberText(now.streams));
      setText(facts.workers, `${numberText(now.converged)} of ${numberText(now.desired)}`);
      setText(facts.version, numberText(now.version));
      const modes = [now.scaling, now.isExclusive && 'Exclusive'].filter(Boolean);
      setText(facts.mode, modes.join(', ') || 'unknown');
      setText(why, because);
      why.hidden = because === '';
      setAttributes(converged.element, { 'data-tone': tone });
      converged.show(now.desired === 0 ? 0 : now.converged / now.desired);
    },
  };
}

const advice = (title: string, what: string, commands: string, then: string) => [
  h('h2', title),
  h('p', what),
  h('pre', { tabindex: '0' }, commands),
  h('p', then),
];

const noPools = () =>
  advice(
    'No pool yet',
    'A SwarmPool names streams, and the StatefulSet or Deployment whose pods consume them. This one has 27 streams on 3 workers:',
    'kubectl apply -k samples/tv',
    'It appears here as soon as it is there.',
  );

const noLeader = () =>
  advice(
    'This replica does not lead',
    'It knows no pools: the one that leads does. This names it; forward a port of that pod instead:',
    'kubectl -n swarm-operator get lease swarm-operator -o jsonpath={.spec.holderIdentity}\nkubectl -n swarm-operator port-forward pod/NAME 8090',
    'If this one takes over, its pools appear here.',
  );
