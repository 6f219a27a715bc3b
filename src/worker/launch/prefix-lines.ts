// Joins the output of many processes line by line, each line after the name of its stream.
import type { Readable } from 'node:stream';

/** A longer line is cut: a process that never ends its line must not fill the memory. */
const longestLine = 16 * 1024;
const newline = 10;

/**
 * Bytes stay bytes, since output need not be text. `finish` writes a last line without a line
 * break. `onLine` gets each line without the name.
 */
export function prefixLines(
  source: Readable,
  prefix: string,
  write: (line: Buffer) => void,
  onLine: (line: Buffer) => void = () => undefined,
): { readonly finish: () => void } {
  const start = Buffer.from(prefix);
  const end = Buffer.of(newline);
  let pending = Buffer.alloc(0);
  const emit = (line: Buffer): void => {
    write(Buffer.concat([start, line, end]));
    onLine(line);
  };
  source.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    let from = 0;
    for (let at = pending.indexOf(newline); at >= 0; at = pending.indexOf(newline, from)) {
      emit(pending.subarray(from, at));
      from = at + 1;
    }
    for (; pending.length - from > longestLine; from += longestLine)
      emit(pending.subarray(from, from + longestLine));
    pending = pending.subarray(from);
  });
  // A read error ends only the output; the end of the process is noticed by its exit.
  source.on('error', () => undefined);
  return {
    finish: () => {
      if (pending.length > 0) emit(pending);
      pending = Buffer.alloc(0);
    },
  };
}
