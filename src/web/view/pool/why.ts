// Why is a stream at its worker? The operator's explanation, beside the stream.
import type { Explanation } from '../../../api/introspection.ts';
import type { PoolApi } from '../../ask.ts';
import { closeButton, h, Latest, setText } from '../dom.ts';

/** A pointer that only passes by causes no request. */
const REST_MS = 120;
/** The time for the pointer to move from the block to the card. */
const LEAVE_MS = 180;
const GAP = 10;

const words: Readonly<Record<Explanation['state'], string>> = {
  Confirmed: 'confirmed',
  Assigned: 'assigned, not confirmed yet',
  Down: 'worker is down',
  Moving: 'moving',
  Nowhere: 'without a worker',
  Completed: 'completed',
  Unlisted: 'not in the list',
};

export const locationText = ({ state, worker, next }: Explanation): string =>
  `${worker ?? 'no worker'}${next === undefined ? '' : ` → ${next}`} · ${words[state]}`;

export function whyView(api: PoolApi, onDismissed: () => void) {
  const title = h('strong');
  const location = h('p.quiet');
  const reasons = h('ul');
  const element = h(
    'aside.why-card',
    { hidden: '', 'aria-label': 'Why' },
    closeButton(dismiss),
    h('div', { role: 'status' }, title, location, reasons),
  );
  const latest = new Latest();
  let shown: { readonly stream: string; readonly anchor: HTMLElement } | undefined;
  let isPinned = false;
  let leaving: number | undefined;

  const stay = (): void => window.clearTimeout(leaving);

  function leave(): void {
    stay();
    if (!isPinned) leaving = window.setTimeout(hide, LEAVE_MS);
  }

  function hide(): void {
    latest.cancel();
    isPinned = false;
    shown = undefined;
    element.hidden = true;
  }

  function dismiss(): void {
    // A block that gets the focus shows its card, so the focus moves before the card is hidden.
    if (element.contains(document.activeElement)) shown?.anchor.focus();
    hide();
    onDismissed();
  }

  function onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape' && !element.hidden) dismiss();
  }

  async function ask(stream: string, signal: AbortSignal): Promise<void> {
    const answer = await api.why(stream, signal);
    if (signal.aborted || shown?.stream !== stream) return;
    setText(location, answer.ok ? locationText(answer.value) : answer.error);
    if (answer.ok) reasons.replaceChildren(...answer.value.because.map((it) => h('li', it)));
    settle();
  }

  /** Places the card beside its block, and never outside the window. */
  function settle(): void {
    if (shown === undefined) return;
    const [at, own] = [shown.anchor.getBoundingClientRect(), element.getBoundingClientRect()];
    const [width, height] = [document.documentElement.clientWidth, window.innerHeight];
    const hasRoomBeside = at.right + GAP + own.width < width;
    const left = hasRoomBeside
      ? at.right + GAP
      : Math.max(GAP, Math.min(at.left, width - own.width - GAP));
    const below = hasRoomBeside ? at.top : at.bottom + GAP;
    const top =
      below + own.height + GAP < height
        ? below
        : Math.max(GAP, (hasRoomBeside ? height : at.top) - own.height - GAP);
    element.style.left = `${left}px`;
    element.style.top = `${top}px`;
  }

  element.addEventListener('mouseenter', stay);
  element.addEventListener('mouseleave', leave);
  document.addEventListener('keydown', onKey);

  return {
    element,
    leave,
    show: (stream: string, anchor: HTMLElement, pin: boolean) => {
      if (isPinned && !pin && shown?.anchor.isConnected === true) return;
      stay();
      const isSame = shown?.stream === stream && !element.hidden;
      isPinned = pin;
      element.classList.toggle('pinned', pin);
      shown = { stream, anchor };
      if (!isSame) {
        setText(title, stream);
        setText(location, '…');
        reasons.replaceChildren();
      }
      element.hidden = false;
      settle();
      latest.run(isSame ? 0 : REST_MS, (signal) => ask(stream, signal));
    },
    /** The explanation may have changed. */
    refresh: () => {
      if (shown === undefined) return;
      const { stream, anchor } = shown;
      if (!anchor.isConnected && !isPinned) hide();
      else latest.run(0, (signal) => ask(stream, signal));
    },
    close: () => {
      hide();
      document.removeEventListener('keydown', onKey);
    },
  };
}
