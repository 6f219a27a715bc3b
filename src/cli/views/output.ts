// How does a command print its result, for people or for programs?
import { dump } from 'js-yaml';
import type { Terminal } from '../arguments/terminal.ts';
import { type Cell, type Line, tableLines } from '../render.ts';

export type OutputFormat = 'text' | 'wide' | 'json' | 'yaml';

export function print(
  terminal: Terminal,
  output: OutputFormat,
  value: unknown,
  lines: (isWide: boolean) => readonly Line[],
): void {
  if (output === 'json') terminal.out(JSON.stringify(value, undefined, 2));
  // By way of JSON, which drops fields that are undefined.
  else if (output === 'yaml')
    terminal.out(
      dump(JSON.parse(JSON.stringify(value)), { lineWidth: -1, noRefs: true }).trimEnd(),
    );
  else terminal.lines(lines(output === 'wide'));
}

type Refusal = { readonly reason: string; readonly message?: string };

export const blockedText = ({ reason, message = '' }: Refusal): string => `${reason}: ${message}`;

/** Below another table. */
export function unassignedLines(
  streams: readonly (Refusal & { readonly name: string })[],
  width: number,
): readonly Line[] {
  const columns = ['WITHOUT A WORKER', 'REASON', ''];
  const rows = streams.map(({ name, reason, message = '' }): Cell[] => [
    { text: name, style: 'bad' },
    reason,
    message,
  ]);
  return ['', ...tableLines({ columns, rows }, width)];
}

export const moreLines = (count: number, what: string): readonly Line[] =>
  count > 0 ? [[{ text: `and ${what}`, style: 'faint' }]] : [];
