// All objects of a kind, each as a card: how many exist, and how many are in trouble?
import type { Card } from '../model/cards.ts';
import { type Known, keyOf, type ObjectRef } from '../model/known.ts';
import { counted, numberText } from '../model/words.ts';
import { badge, h, type KeptElement, keyedList, meter, setAttributes, setText } from './dom.ts';

type Kind<T> = {
  readonly title: string;
  readonly one: string;
  readonly hashOf: (namespace: string, name: string) => string;
  readonly cardOf: (item: T) => Card;
};

export function cardsView<T extends ObjectRef>(kind: Kind<T>) {
  const summary = h('p.lead', { role: 'status' });
  const list = h('ul.cards');
  const element = h('section', h('h1', kind.title), summary, list);
  const cards = keyedList(list, keyOf, (item: T) => cardView(kind, item));
  return {
    element,
    /** `beyond`: the number of objects that are not shown. */
    show: (known: Known<T>, beyond: number) => {
      const items = [...known.values()];
      cards.show(items);
      const ill = items.filter((item) => kind.cardOf(item).standing.tone === 'bad').length;
      const { length } = items;
      const part =
        beyond > 0 ? `, the first ${numberText(length)} of ${numberText(length + beyond)}` : '';
      const trouble = ill === 0 ? 'no problems' : `${ill} with problems`;
      setText(summary, length === 0 ? '' : `${counted(length, kind.one)}${part}, ${trouble}`);
    },
  };
}

function cardView<T extends ObjectRef>({ hashOf, cardOf }: Kind<T>, item: T): KeptElement<T> {
  const { namespace, name } = item;
  const standing = badge();
  const why = h('p.why');
  const subtitle = h('p.quiet');
  const done = meter();
  const facts = Object.keys(cardOf(item).facts).map((fact) => ({ fact, value: h('dd') }));
  const link = h('a', { href: hashOf(namespace, name) }, name);
  const title = h('h2', h('span.namespace', `${namespace} / `), link);
  const head = h('div.card-head', title, standing.element);
  const rows = facts.map(({ fact, value }) => h('div', h('dt', fact), value));
  return {
    element: h('li.card', head, subtitle, done.element, h('dl', ...rows), why),
    show: (now) => {
      const card = cardOf(now);
      const { tone, word, why: because } = card.standing;
      standing.show(tone, word);
      setText(subtitle, card.subtitle);
      for (const { fact, value } of facts) setText(value, card.facts[fact] ?? '');
      setText(why, because);
      why.hidden = because === '';
      setAttributes(done.element, { 'data-tone': tone });
      done.show(card.done);
    },
  };
}
