// The outcome of a step, how it is shown, and the outcomes of all steps as a table.
import { appendFileSync } from 'node:fs';
import { type Line, type Span, tableLines } from '../../cli/render.ts';

export type Outcome = {
  readonly title: string;
  readonly result: 'passed' | 'failed' | 'not run';
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

export const notTried = (title: string): Outcome => ({ ...unseen, title, result: 'not run' });
export const failed = (title: string, seconds: number, problems: readonly string[]): Outcome => ({
  ...unseen,
  title,
  result: 'failed',
  seconds,
  problems,
});

/** "2/11  Scale from 3 workers to 5", and what to watch for. */
export function openingOf(progress: string, title: string, about: string): readonly Line[] {
  return [
    '',
    [
      { text: `${progress}  `, style: 'faint' },
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
    [{ text: `  ✗ not verified after ${seconds.toFixed(1)} s:`, style: 'bad' }],
    ...problems
      .flatMap((problem) => problem.split('\n'))
      .map((text): Line => [{ text: `    ${text}`, style: 'bad' }]),
  ];
}

type Count = { readonly passed: number; readonly failed: number };

/** A step that was not tried counts as failed. */
export function countOf(outcomes: readonly Outcome[]): Count {
  const passed = outcomes.filter(({ result }) => result === 'passed').length;
  return { passed, failed: outcomes.length - passed };
}

export function summaryOf(outcomes: readonly Outcome[], width: number): readonly Line[] {
  const rows = outcomes.map(({ title, result, seen, seconds }, at) => [
    String(at + 1),
    { text: result, style: result === 'passed' ? 'good' : 'bad' } satisfies Span,
    result === 'not run' ? '' : seconds.toFixed(1),
    title,
    // What moved comes first.
    seen[0] ?? '',
  ]);
  const columns = [
    { title: '#', align: 'right' },
    { title: 'RESULT' },
    { title: 'SECONDS', align: 'right' },
    { title: 'STEP' },
    { title: 'EFFECT' },
  ] as const;
  return [...tableLines({ columns, rows }, width), ...proofsOf(outcomes)];
}

/** Under the table: they are sentences. */
function proofsOf(outcomes: readonly Outcome[]): readonly Line[] {
  const lines = outcomes.flatMap(({ proofs }, at) =>
    proofs.map(
      (text): Line => [
        { text: String(at + 1).padStart(2) },
        { text: ' ✓ ', style: 'good' },
        { text },
      ],
    ),
  );
  return lines.length === 0
    ? []
    : ['', 'Also verified, besides that each stream runs on exactly one worker:', ...lines];
}

/** In the form of the test scripts. */
export function recordCount(count: Count, file = ''): void {
  const line = JSON.stringify({ name: 'demo', ...count, skipped: 0 });
  if (file !== '') appendFileSync(file, `${line}\n`);
}
