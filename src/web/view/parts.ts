// Small parts that several views are made of.
import type { Tone } from '../model/blocks.ts';
import { h, mark, say } from './dom.ts';

/** Not by colour alone. */
const signs: Readonly<Record<Tone, string>> = {
  good: '✓',
  busy: '…',
  bad: '!',
  away: '○',
  quiet: '–',
};

export function badge(): { readonly element: HTMLElement; show(tone: Tone, word: string): void } {
  const sign = h('span', { class: 'sign', 'aria-hidden': 'true' });
  const text = h('span', { class: 'word' });
  const element = h('span', { class: 'badge' }, sign, text);
  return {
    element,
    show: (tone, word) => {
      mark(element, { 'data-tone': tone });
      say(sign, signs[tone]);
      say(text, word);
    },
  };
}

/**
 * The last of several questions that follow one another quickly; the answers of those before are
 * not waited for.
 */
export class Latest {
  #abort = new AbortController();
  #timer: number | undefined;

  run(waitMs: number, task: (signal: AbortSignal) => Promise<void>): void {
    this.cancel();
    const { signal } = this.#abort;
    this.#timer = window.setTimeout(() => void task(signal), waitMs);
  }

  cancel(): void {
    window.clearTimeout(this.#timer);
    this.#abort.abort();
    this.#abort = new AbortController();
  }
}
