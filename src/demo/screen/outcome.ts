// The outcome of a step, and how it is shown.
import type { Line } from '../../cli/render.ts';

export type Outcome = {
  readonly title: string;
  readonly result: 'passed' | 'failed' | 'not tried';
  /** Until it was verified or had failed. */
  readonly seconds: number;
  /** What happened. */
  readonly seen: readonly string[];
  /** What every step verifies. */
  readonly verified: readonly string[];
  /** What only this step verifies. */
  readonly proofs: readonly string[];
  readonly problems: readonly string[];
};

const unseen = { seconds: 0, seen: [], verified: [], proofs: [], problems: [] };

export const notTried = (title: string): Outcome => ({ ...unseen, title, result: 'not tried' });
export const failed = (title: string, seconds: number, problems: readonly string[]): Outcome => ({
  ...unseen,
  title,
  result: 'failed',
  seconds,
  problems,
});

/** "2/11  Up from 3 workers to 5", and what to watch for. */
export function openingOf(place: string, title: string, about: string): readonly Line[] {
  return [
    '',
    [
      { text: `${place}  `, style: 'faint' },
      { text: title, style: 'strong' },
    ],
    [{ text: `  ${about}`, style: 'faint' }],
  ];
}

export function endingOf(outcome: Outcome): readonly Line[] {
  const { result, seconds, seen, verified, proofs, problems } = outcome;
  if (result === 'passed') {
    return [
      ...seen.map((text): Line => `  → ${text}`),
      ...[...verified, ...proofs].map(
        (text, at): Line => [
          { text: '  ✓ ', style: 'good' },
          { text: at === 0 ? `verified in ${seconds.toFixed(1)} s: ${text}` : text },
        ],
      ),
    ];
  }
  return [
    [{ text: `  ✗ not verified in ${seconds.toFixed(1)} s:`, style: 'bad' }],
    ...problems
      .flatMap((problem) => problem.split('\n'))
      .map((text): Line => [{ text: `    ${text}`, style: 'bad' }]),
  ];
}
