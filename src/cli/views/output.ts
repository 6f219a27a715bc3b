// How is a value told to programs?
import { dump } from 'js-yaml';
import type { Terminal } from '../arguments/terminal.ts';
import type { Line } from '../render.ts';

export type OutputFormat = 'text' | 'wide' | 'json' | 'yaml';

export function tell(
  terminal: Terminal,
  output: OutputFormat,
  value: unknown,
  lines: (isWide: boolean) => readonly Line[],
): void {
  if (output === 'json') terminal.out(JSON.stringify(value, undefined, 2));
  // Through JSON: what is undefined there is not there, and nothing is an object of another realm.
  else if (output === 'yaml')
    terminal.out(
      dump(JSON.parse(JSON.stringify(value)), { lineWidth: -1, noRefs: true }).trimEnd(),
    );
  else terminal.lines(lines(output === 'wide'));
}
