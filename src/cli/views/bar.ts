// How full is something, at a glance?
import type { Span } from '../render.ts';

const WIDTH = 10;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** Any part above zero is visible, and only a full bar looks full. */
export function bar(part: number, whole: number): Span {
  const share = whole <= 0 ? 0 : part / whole;
  const eighths = Math.min(WIDTH * 8, Math.max(part > 0 ? 1 : 0, Math.floor(share * WIDTH * 8)));
  const text = '█'.repeat(eighths >> 3) + (EIGHTHS[eighths & 7] ?? '');
  return { text: text.padEnd(WIDTH), style: share > 1 ? 'bad' : 'amount' };
}
