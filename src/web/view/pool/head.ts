// What is there to say of a pool in a few words?
import type { PoolDetail } from '../../../api/introspection.ts';
import { standingOf } from '../../model/pools.ts';
import { numberText } from '../../model/words.ts';
import { h, mark, say } from '../dom.ts';
import { badge } from '../parts.ts';

const facts = [
  'version',
  'streams',
  'workers confirmed',
  'unassigned',
  'workers are',
  'scaling',
  'handoff',
] as const;

export class HeadView {
  readonly element: HTMLElement;
  readonly #standing = badge();
  readonly #why = h('p', { class: 'why', role: 'status' });
  readonly #values = new Map(facts.map((name) => [name, h('dd')] as const));
  readonly #list: HTMLElement;

  constructor(namespace: string, name: string) {
    const title = h('h1', {}, h('span', { class: 'namespace' }, `${namespace} / `), name);
    this.#list = h(
      'dl',
      { class: 'facts', hidden: '' },
      ...[...this.#values].map(([fact, value]) => h('div', {}, h('dt', {}, fact), value)),
    );
    this.element = h(
      'header',
      { class: 'pool-head' },
      h('div', { class: 'pool-title' }, title, this.#standing.element),
      this.#why,
      this.#list,
    );
  }

  show(detail: PoolDetail): void {
    const { tone, word, why } = standingOf(detail);
    this.#standing.show(tone, word);
    const { obstacle } = detail.decision;
    say(this.#why, obstacle === undefined ? why : `${obstacle.reason}: ${obstacle.message}`);
    mark(this.#why, { 'data-tone': tone });
    const said: Readonly<Record<(typeof facts)[number], string>> = {
      version: numberText(detail.version),
      streams: numberText(detail.streams),
      'workers confirmed': `${numberText(detail.converged)} of ${numberText(detail.desired)}`,
      unassigned: numberText(detail.unassigned),
      'workers are': detail.target === '' ? 'not found yet' : detail.target,
      scaling: detail.scaling ?? 'unknown',
      handoff: detail.isExclusive ? 'Exclusive' : 'AtLeastOnce',
    };
    for (const fact of facts) {
      const value = this.#values.get(fact);
      if (value !== undefined) say(value, said[fact]);
    }
    this.#list.hidden = false;
  }

  fail(error: string): void {
    this.#standing.show('away', 'Not known here');
    say(this.#why, error);
    this.#list.hidden = true;
  }
}
