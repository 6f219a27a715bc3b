// What if there were more workers, or fewer? The operator's plan, before a user scales.
import type { Plan, PoolDetail } from '../../../api/introspection.ts';
import type { PoolApi } from '../../ask.ts';
import { commandFor, headlineOf, mostWorkers, type PlanRow, planRows } from '../../model/plan.ts';
import { counted } from '../../model/words.ts';
import {
  fill,
  h,
  type KeptElement,
  keyedList,
  Latest,
  setAttributes,
  setCutText,
  setText,
} from '../dom.ts';

const REST_MS = 120;
const MOST_LISTED = 100;

export function whatIfView(api: PoolApi) {
  const describedBy = { 'aria-describedby': 'what-if-headline' };
  const slider = h('input', { type: 'range', min: '0', id: 'what-if', ...describedBy });
  const output = h('output', { for: 'what-if' });
  const reset = h('button', { type: 'button' }, 'Reset');
  const headline = h('p.headline', { id: 'what-if-headline', role: 'status' });
  const command = h('pre', { tabindex: '0', 'aria-label': 'Command that does this' });
  const notes = h('ul.notes');
  const bars = h('ul.plan-bars', { 'aria-label': 'Streams of each worker, now and then' });
  const moves = h('ul.plan-moves', { tabindex: '0', 'aria-label': 'What would move' });
  const result = h('div.plan', { hidden: '' }, headline, notes, bars, moves, command);
  const rows = keyedList(bars, ({ name }: PlanRow) => name, barOf);
  const latest = new Latest();
  const label = h('label', { for: 'what-if' }, 'What if there were');
  let detail: PoolDetail | undefined;

  slider.addEventListener('input', () => ask(REST_MS));
  reset.addEventListener('click', () => {
    slider.value = String(detail?.desired ?? 0);
    ask(0);
    slider.focus();
  });

  function ask(waitMs: number): void {
    const { desired = 0 } = detail ?? {};
    const workers = Number(slider.value);
    const isNow = workers === desired;
    setText(output, `${counted(workers, 'worker')}${isNow ? ' (current)' : `, now ${desired}`}`);
    setAttributes(slider, { 'aria-valuetext': counted(workers, 'worker') });
    reset.hidden = isNow;
    if (isNow) {
      latest.cancel();
      result.hidden = true;
      return;
    }
    latest.run(waitMs, async (signal) => {
      const answer = await api.plan(workers, signal);
      if (signal.aborted) return;
      result.hidden = false;
      draw(answer.ok ? answer.value : undefined, answer.ok ? '' : answer.error);
    });
  }

  function draw(plan: Plan | undefined, error: string): void {
    setText(headline, plan === undefined ? error : headlineOf(plan));
    notes.replaceChildren(...(plan?.notes ?? []).map((note) => h('li', note)));
    rows.show(plan === undefined ? [] : planRows(plan));
    moves.replaceChildren(...(plan === undefined ? [] : [...movesOf(plan), ...refusedOf(plan)]));
    moves.hidden = moves.childElementCount === 0;
    setText(command, plan && detail ? commandFor(detail, plan.supposed) : '');
    command.hidden = command.textContent === '';
  }

  return {
    element: h(
      'section.what-if',
      { 'aria-label': 'What if' },
      h('div.what-if-ask', label, slider, output, reset),
      result,
    ),
    show: (now: PoolDetail) => {
      const before = detail;
      const wasIdle = before === undefined || Number(slider.value) === before.desired;
      detail = now;
      // While the user drags, the scale stays as it is.
      if (wasIdle || Number(slider.max) < now.desired) slider.max = String(mostWorkers(now));
      if (wasIdle) slider.value = String(now.desired);
      const isNews =
        before?.version !== now.version ||
        before.desired !== now.desired ||
        before.streams !== now.streams;
      if (isNews) ask(0);
    },
    close: () => latest.cancel(),
  };
}

function barOf({ name }: PlanRow): KeptElement<PlanRow> {
  const [now, then, text] = [h('div.now'), h('div.then'), h('span.quiet')];
  const bar = h('div.plan-bar', { 'aria-hidden': 'true' }, now, then);
  const label = h('span.plan-name', { title: name });
  setCutText(label, name);
  const element = h('li', label, bar, text);
  return {
    element,
    show: ({ fate, before, after, beforeShare, afterShare, load }) => {
      setAttributes(element, { 'data-fate': fate });
      fill(now, beforeShare);
      fill(then, afterShare);
      const stays = before === after ? `${after}` : `${before} → ${after}`;
      const count = { joins: `new: ${after}`, goes: `removed: ${before} → 0`, stays }[fate];
      setText(text, load === '' ? count : `${count} · ${load}`);
    },
  };
}

function movesOf({ moves }: Plan): readonly HTMLElement[] {
  const shown = moves.first
    .slice(0, MOST_LISTED)
    .map(({ stream, from, to, why }) =>
      h(
        'li',
        h('strong', stream),
        ` ${from ?? 'no worker'} → ${to ?? 'no worker'}`,
        h('span.quiet', ` ${why}`),
      ),
    );
  const more = moves.total - shown.length;
  return more > 0 ? [...shown, h('li.quiet', `and ${more} more`)] : shown;
}

/** Streams without a worker before and after: no move names them. */
function refusedOf({ unassigned, moves }: Plan): readonly HTMLElement[] {
  const named = new Set(moves.first.map(({ stream }) => stream));
  return unassigned.first
    .filter(({ name }) => !named.has(name))
    .map(({ name, message }) =>
      h('li', h('strong', name), ' no worker', h('span.quiet', ` ${message}`)),
    );
}
