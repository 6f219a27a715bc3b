// Why is a stream there? Said beside it, in the operator's own words.
import type { Explanation } from '../../../api/introspection.ts';
import type { PoolApi } from '../../ask.ts';
import { h, say } from '../dom.ts';
import { closeButton, Latest } from '../parts.ts';

/** A pointer that only passes by causes no request. */
const REST_MS = 120;
const GAP = 10;

const words: Readonly<Record<Explanation['state'], string>> = {
  Confirmed: 'confirmed',
  Assigned: 'assigned, not confirmed yet',
  Moving: 'on its way',
  Nowhere: 'without a worker',
  Unlisted: 'not in the list',
};

export const placeText = ({ state, worker, next }: Explanation): string =>
  `${[worker ?? 'nobody', ...(next === undefined ? [] : [next])].join(' → ')} · ${words[state]}`;

export class WhyView {
  readonly element: HTMLElement;
  readonly #api: PoolApi;
  readonly #onDismissed: () => void;
  readonly #title = h('strong');
  readonly #place = h('p.quiet');
  readonly #reasons = h('ul');
  readonly #latest = new Latest();
  #isPinned = false;
  #shown: { readonly stream: string; readonly anchor: HTMLElement } | undefined;
  readonly #close: number[] = [];

  constructor(api: PoolApi, onDismissed: () => void) {
    this.#api = api;
    this.#onDismissed = onDismissed;
    this.element = h(
      'aside.why-card',
      { hidden: '', 'aria-label': 'Why' },
      closeButton(() => this.#dismiss()),
      h('div', { role: 'status' }, this.#title, this.#place, this.#reasons),
    );
    // The pointer may go from the block to the card.
    this.element.addEventListener('mouseenter', () => this.#stay());
    this.element.addEventListener('mouseleave', () => this.leave());
    document.addEventListener('keydown', this.#onKey);
  }

  show(stream: string, anchor: HTMLElement, isPinned: boolean): void {
    if (this.#isPinned && !isPinned && this.#shown?.anchor.isConnected === true) return;
    this.#stay();
    const isSame = this.#shown?.stream === stream && !this.element.hidden;
    this.#isPinned = isPinned;
    this.element.classList.toggle('pinned', isPinned);
    this.#shown = { stream, anchor };
    if (!isSame) {
      say(this.#title, stream);
      say(this.#place, '…');
      this.#reasons.replaceChildren();
    }
    this.element.hidden = false;
    this.#settle();
    this.#latest.run(isSame ? 0 : REST_MS, (signal) => this.#ask(stream, signal));
  }

  /** The explanation may have changed. */
  refresh(): void {
    const shown = this.#shown;
    if (shown === undefined || this.element.hidden) return;
    if (!shown.anchor.isConnected && !this.#isPinned) this.hide();
    else this.#latest.run(0, (signal) => this.#ask(shown.stream, signal));
  }

  leave(): void {
    if (this.#isPinned) return;
    this.#stay();
    this.#close.push(window.setTimeout(() => this.hide(), 180));
  }

  hide(): void {
    this.#latest.cancel();
    this.#isPinned = false;
    this.#shown = undefined;
    this.element.hidden = true;
  }

  close(): void {
    this.hide();
    document.removeEventListener('keydown', this.#onKey);
  }

  #stay(): void {
    for (const timer of this.#close.splice(0)) window.clearTimeout(timer);
  }

  #dismiss(): void {
    const anchor = this.#shown?.anchor;
    const wasInside = this.element.contains(document.activeElement);
    this.hide();
    if (wasInside) anchor?.focus();
    this.#onDismissed();
    this.hide();
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !this.element.hidden) this.#dismiss();
  };

  async #ask(stream: string, signal: AbortSignal): Promise<void> {
    const answer = await this.#api.why(stream, signal);
    if (signal.aborted || this.#shown?.stream !== stream) return;
    say(this.#place, answer.ok ? placeText(answer.value) : answer.error);
    if (answer.ok)
      this.#reasons.replaceChildren(...answer.value.because.map((reason) => h('li', reason)));
    this.#settle();
  }

  /** Beside its block, and never outside the window. */
  #settle(): void {
    const { anchor } = this.#shown ?? {};
    if (anchor === undefined) return;
    const [at, own] = [anchor.getBoundingClientRect(), this.element.getBoundingClientRect()];
    const [width, height] = [document.documentElement.clientWidth, window.innerHeight];
    const hasRoomBeside = at.right + GAP + own.width < width;
    const left = hasRoomBeside
      ? at.right + GAP
      : Math.max(GAP, Math.min(at.left, width - own.width - GAP));
    const below = hasRoomBeside ? at.top : at.bottom + GAP;
    const top =
      below + own.height + GAP < height
        ? below
        : Math.max(GAP, hasRoomBeside ? height - own.height - GAP : at.top - own.height - GAP);
    this.element.style.left = `${left}px`;
    this.element.style.top = `${top}px`;
  }
}
