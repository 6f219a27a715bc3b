// What came of all steps?
import { appendFileSync } from 'node:fs';
import { type Line, type Span, tableLines } from '../../cli/render.ts';
import type { Outcome } from './outcome.ts';

export type Count = {
  readonly name: 'demo';
  readonly passed: number;
  readonly failed: number;
  readonly skipped: 0;
};

/** A step that was not even tried is not verified either: it counts as failed. */
export function countOf(outcomes: readonly Outcome[]): Count {
  const passed = outcomes.filter(({ result }) => result === 'passed').length;
  return { name: 'demo', passed, failed: outcomes.length - passed, skipped: 0 };
}

export function summaryOf(outcomes: readonly Outcome[], width: number): readonly Line[] {
  const rows = outcomes.map(({ title, result, seen, seconds }, at) => [
    String(at + 1),
    { text: result, style: result === 'passed' ? 'good' : 'bad' } satisfies Span,
    result === 'not tried' ? '' : seconds.toFixed(1),
    title,
    // What moved comes first.
    seen[0] ?? '',
  ]);
  const columns = [
    { title: '#', align: 'right' },
    { title: 'RESULT' },
    { title: 'SECONDS', align: 'right' },
    { title: 'STEP' },
    { title: 'WHAT CAME OF IT' },
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
    : ['', 'Verified besides that each stream runs at exactly one worker:', ...lines];
}

/** As the test scripts record theirs. */
export function recordCount(count: Count, file: string | undefined): void {
  if (file !== undefined && file !== '') appendFileSync(file, `${JSON.stringify(count)}\n`);
}
