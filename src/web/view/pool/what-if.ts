// What if there were more workers, or fewer? The operator's own plan, before anybody scales.
import type { Plan, PoolDetail } from '../../../api/introspection.ts';
import type { PoolApi } from '../../ask.ts';
import { commandFor, headlineOf, mostWorkers, type PlanRow, planRows } from '../../model/plan.ts';
import { counted } from '../../model/words.ts';
import { h, type KeptElement, KeyedList, mark, say } from '../dom.ts';
import { Latest } from '../parts.ts';

const REST_MS = 120;
const MOST_LISTED = 100;

export class WhatIfView {
  readonly element: HTMLElement;
  readonly #api: PoolApi;
  readonly #slider = h('input', {
    type: 'range',
    min: '0',
    id: 'what-if',
    'aria-describedby': 'what-if-told',
  });
  readonly #output = h('output', { for: 'what-if' });
  readonly #reset = h('button', { type: 'button' }, 'Back to now');
  readonly #headline = h('p', { class: 'headline', id: 'what-if-told', role: 'status' });
  readonly #command = h('pre', { tabindex: '0', 'aria-label': 'To have it so' });
  readonly #notes = h('ul', { class: 'notes' });
  readonly #bars = h('ul', { class: 'plan-bars', 'aria-label': 'Workers, now and then' });
  readonly #moves = h('ul', {
    class: 'plan-moves',
    tabindex: '0',
    'aria-label': 'What would move',
  });
  readonly #result: HTMLElement;
  readonly #rows: KeyedList<PlanRow>;
  readonly #latest = new Latest();
  #detail: PoolDetail | undefined;

  constructor(api: PoolApi) {
    this.#api = api;
    this.#rows = new KeyedList<PlanRow>(this.#bars, ({ name }) => name, barOf);
    this.#result = h(
      'div',
      { class: 'plan', hidden: '' },
      this.#headline,
      this.#notes,
      this.#bars,
      this.#moves,
      this.#command,
    );
    const label = h('label', { for: 'what-if' }, 'What if there were');
    this.element = h(
      'section',
      { class: 'what-if', 'aria-label': 'What if' },
      h('div', { class: 'what-if-ask' }, label, this.#slider, this.#output, this.#reset),
      this.#result,
    );
    this.#slider.addEventListener('input', () => this.#ask(REST_MS));
    this.#reset.addEventListener('click', () => {
      this.#slider.value = String(this.#detail?.desired ?? 0);
      this.#ask(0);
      this.#slider.focus();
    });
  }

  show(detail: PoolDetail): void {
    const before = this.#detail;
    const wasIdle = before === undefined || this.#wish === before.desired;
    this.#detail = detail;
    // While somebody drags, the scale stays as it is.
    if (wasIdle || Number(this.#slider.max) < detail.desired)
      this.#slider.max = String(mostWorkers(detail));
    if (wasIdle) this.#slider.value = String(detail.desired);
    const isNews =
      before?.version !== detail.version ||
      before.desired !== detail.desired ||
      before.streams !== detail.streams;
    if (isNews) this.#ask(0);
  }

  close(): void {
    this.#latest.cancel();
  }

  get #wish(): number {
    return Number(this.#slider.value);
  }

  #ask(waitMs: number): void {
    const { desired = 0 } = this.#detail ?? {};
    const wish = this.#wish;
    say(
      this.#output,
      `${counted(wish, 'worker')}${wish === desired ? ' (as now)' : `, now ${desired}`}`,
    );
    mark(this.#slider, { 'aria-valuetext': counted(wish, 'worker') });
    this.#reset.hidden = wish === desired;
    if (wish === desired) {
      this.#latest.cancel();
      this.#result.hidden = true;
      return;
    }
    this.#latest.run(waitMs, async (signal) => {
      const asked = await this.#api.plan(wish, signal);
      if (signal.aborted) return;
      this.#result.hidden = false;
      if (asked.ok) this.#draw(asked.value);
      else this.#refuse(asked.status === 0 ? 'The operator does not answer.' : asked.error);
    });
  }

  #draw(plan: Plan): void {
    const rows = planRows(plan);
    say(this.#headline, headlineOf(plan));
    this.#notes.replaceChildren(...plan.notes.map((note) => h('li', {}, note)));
    this.#rows.show(rows);
    this.#moves.replaceChildren(...movesOf(plan), ...refusedOf(plan));
    this.#moves.hidden = this.#moves.childElementCount === 0;
    say(this.#command, this.#detail === undefined ? '' : commandFor(this.#detail, plan.supposed));
    this.#command.hidden = this.#command.textContent === '';
  }

  #refuse(why: string): void {
    say(this.#headline, why);
    this.#notes.replaceChildren();
    this.#rows.show([]);
    this.#moves.hidden = true;
    this.#command.hidden = true;
  }
}

function barOf({ name }: PlanRow): KeptElement<PlanRow> {
  const [now, then] = [h('div', { class: 'now' }), h('div', { class: 'then' })];
  const told = h('span', { class: 'quiet' });
  const element = h(
    'li',
    {},
    h('span', { class: 'plan-name', title: name }, name),
    h('div', { class: 'plan-bar', 'aria-hidden': 'true' }, now, then),
    told,
  );
  return {
    element,
    show: ({ fate, before, after, beforeShare, afterShare, load }) => {
      mark(element, { 'data-fate': fate });
      now.style.setProperty('--fill', `${100 * beforeShare}%`);
      then.style.setProperty('--fill', `${100 * afterShare}%`);
      const stays = before === after ? `${after}` : `${before} → ${after}`;
      const count = { joins: `joins: ${after}`, goes: `goes: ${before} → 0`, stays }[fate];
      say(told, load === '' ? count : `${count} · ${load}`);
    },
  };
}

function movesOf({ moves }: Plan): readonly HTMLElement[] {
  const shown = moves.first
    .slice(0, MOST_LISTED)
    .map(({ stream, from, to, why }) =>
      h(
        'li',
        {},
        h('strong', {}, stream),
        ` ${from ?? 'nobody'} → ${to ?? 'nobody'}`,
        h('span', { class: 'quiet' }, ` ${why}`),
      ),
    );
  const more = moves.total - shown.length;
  return more > 0 ? [...shown, h('li', { class: 'quiet' }, `and ${more} more`)] : shown;
}

/** Those that nobody has now, and nobody would have then: no move tells of them. */
function refusedOf({ unassigned, moves }: Plan): readonly HTMLElement[] {
  const told = new Set(moves.first.map(({ stream }) => stream));
  const others = unassigned.first.filter(({ name }) => !told.has(name));
  return others.map(({ name, message }) =>
    h('li', {}, h('strong', {}, name), ' nobody', h('span', { class: 'quiet' }, ` ${message}`)),
  );
}
