// What came of a step, and how is that told?
import type { Line } from '../../render.ts';
import type { Sight } from '../cluster/sight.ts';
import { fewestMoves, movesBetween, movesText, type Owners, ownersIn } from '../judge/moves.ts';

export type Outcome = {
  readonly title: string;
  readonly result: 'passed' | 'failed' | 'not tried';
  /** Until it was verified, or given up. */
  readonly seconds: number;
  readonly moves: string;
  readonly problems: readonly string[];
};

export const passed = (title: string, seconds: number, moves: string): Outcome => ({
  title,
  result: 'passed',
  seconds,
  moves,
  problems: [],
});

export const failed = (title: string, seconds: number, problems: readonly string[]): Outcome => ({
  title,
  result: 'failed',
  seconds,
  moves: '',
  problems,
});

export const notTried = (title: string): Outcome => ({ title, result: 'not tried', seconds: 0, moves: '', problems: [] });

/** "✓ 2/6  1.6 s  scaled from 3 to 5 workers · 10 moved (the fewest possible)" */
export function lineOf(place: string, { title, moves, seconds, result }: Outcome): Line {
  const isPassed = result === 'passed';
  const style = isPassed ? 'good' : 'bad';
  return [
    { text: isPassed ? '✓ ' : '✗ ', style },
    { text: place, style: 'faint' },
    { text: `${secondsText(seconds)}  `, style },
    { text: isPassed ? `${title} · ${moves}` : `${title} · not verified` },
  ];
}

/** As wide as those of other lines. */
export const secondsText = (seconds: number): string => `${seconds.toFixed(1)} s`.padStart(7);

export function movesSince(before: Owners, sight: Sight | undefined): string {
  const after = ownersIn(sight);
  const workers = (sight?.workers ?? []).map(({ name }) => name);
  return movesText(movesBetween(before, after), fewestMoves(before, after, workers));
}
