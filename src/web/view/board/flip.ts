// How do blocks move? Their positions are measured before and after a change, and the movement
// between them is animated.
import { h } from '../dom.ts';

type BlockPositions = ReadonlyMap<string, DOMRect>;

const TRAVEL_MS = 700;
const SHIFT_MS = 300;
/** More sparks at once cannot be distinguished. */
const MOST_FLIGHTS = 60;
const EASE = 'cubic-bezier(0.3, 0.1, 0.2, 1)';

const calm = window.matchMedia('(prefers-reduced-motion: reduce)');

const mayMove = (): boolean => !calm.matches && !document.hidden;

export function positionsOf(elements: ReadonlyMap<string, HTMLElement>): BlockPositions {
  return new Map([...elements].map(([name, element]) => [name, element.getBoundingClientRect()]));
}

export function playFrom(
  before: BlockPositions,
  elements: ReadonlyMap<string, HTMLElement>,
  travelled: ReadonlySet<string>,
): void {
  if (!mayMove()) return;
  for (const [name, now] of positionsOf(elements)) {
    const then = before.get(name);
    const element = elements.get(name);
    if (then === undefined || element === undefined) continue;
    const [x, y] = [then.left - now.left, then.top - now.top];
    if (x === 0 && y === 0) continue;
    const isTraveller = travelled.has(name);
    element.classList.toggle('travelling', isTraveller);
    const steps = [
      { transform: `translate(${x}px, ${y}px)`, inlineSize: `${then.width}px` },
      { transform: 'none', inlineSize: `${now.width}px` },
    ];
    const played = element.animate(steps, {
      duration: isTraveller ? TRAVEL_MS : SHIFT_MS,
      easing: EASE,
    });
    whenOver(played, () => element.classList.remove('travelling'));
  }
}

const whenOver = (played: Animation, run: () => void): void => {
  played.onfinish = run;
  played.oncancel = run;
};

export type Flight = { readonly from: HTMLElement; readonly to: HTMLElement };

/** If streams are not drawn one by one, a spark flies from worker to worker. */
export function fly(flights: readonly Flight[], over: HTMLElement): void {
  if (!mayMove()) return;
  const base = over.getBoundingClientRect();
  const middleOf = (element: HTMLElement): string => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return `translate(${left + width / 2 - base.left}px, ${top + height / 2 - base.top}px)`;
  };
  for (const [index, { from, to }] of flights.slice(0, MOST_FLIGHTS).entries()) {
    const spark = h('span.spark', { 'aria-hidden': 'true' });
    over.append(spark);
    const played = spark.animate([{ transform: middleOf(from) }, { transform: middleOf(to) }], {
      duration: TRAVEL_MS,
      delay: index * 8,
      easing: EASE,
      fill: 'both',
    });
    whenOver(played, () => spark.remove());
  }
}
