// What came of all steps?
import { appendFileSync } from 'node:fs';
import { type Line, type Span, tableLines } from '../../render.ts';
import type { Outcome } from './outcome.ts';

export type Count = { readonly name: 'demo'; readonly passed: number; readonly failed: number; readonly skipped: 0 };

/** A step that was not even tried is not verified either: it counts as failed. */
export function countOf(outcomes: readonly Outcome[]): Count {
  const passed = outcomes.filter(({ result }) => result === 'passed').length;
  return { name: 'demo', passed, failed: outcomes.length - passed, skipped: 0 };
}

export function summaryOf(outcomes: readonly Outcome[], width: number): readonly Line[] {
  const rows = outcomes.map(({ title, result, moves, seconds }, at) => [
    String(at + 1),
    { text: result, style: result === 'passed' ? 'good' : 'bad' } satisfies Span,
    result === 'not tried' ? '' : seconds.toFixed(1),
    title,
    moves,
  ]);
  const columns = [
    { title: '#', align: 'right' },
    { title: 'RESULT' },
    { title: 'SECONDS', align: 'right' },
    { title: 'STEP' },
    { title: 'STREAMS' },
  ] as const;
  return tableLines({ columns, rows }, width);
}

/** As the test scripts record theirs. */
export function recordCount(count: Count, file: string | undefined): void {
  if (file !== undefined && file !== '') appendFileSync(file, `${JSON.stringify(count)}\n`);
}
