// Small parts that several views are made of.
import type { Tone } from '../model/blocks.ts';
import { h, setAttributes, setText } from './dom.ts';

/** Beside the colour, which not every user can tell. */
const signs: Readonly<Record<Tone, string>> = {
  good: '✓',
  busy: '…',
  bad: '!',
  away: '○',
  quiet: '–',
};

export function badge(): { readonly element: HTMLElement; show(tone: Tone, word: string): void } {
  const sign = h('span.sign', { 'aria-hidden': 'true' });
  const text = h('span.word');
  const element = h('span.badge', sign, text);
  return {
    element,
    show: (tone, word) => {
      setAttributes(element, { 'data-tone': tone });
      setText(sign, signs[tone]);
      setText(text, word);
    },
  };
}

/** How much of an element its bar fills: a part of 1. */
export const fill = (element: HTMLElement, part: number): void =>
  element.style.setProperty('--fill', `${100 * part}%`);

export function meter(): { readonly element: HTMLElement; show(part: number): void } {
  const bar = h('div');
  return {
    element: h('div.meter', { 'aria-hidden': 'true' }, bar),
    show: (part) => fill(bar, part),
  };
}

export function closeButton(onClick: () => void): HTMLElement {
  const button = h('button.plain.dismiss', { type: 'button', 'aria-label': 'Close' }, '×');
  button.addEventListener('click', onClick);
  return button;
}

/** Of several requests that follow one another quickly only the last is made, or waited for. */
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
