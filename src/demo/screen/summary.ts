// The outcomes of all steps as a table, and their count.
import { appendFileSync } from 'node:fs';
import { type Line, type Span, tableLines } from '../../cli/render.ts';
import type { Outcome } from './outcome.ts';

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

/** In the form of the test scripts. */
export function recordCount(count: Count, file = ''): void {
  const line = JSON.stringify({ name: 'demo', ...count, skipped: 0 });
  if (file !== '') appendFileSync(file, `${line}\n`);
}
