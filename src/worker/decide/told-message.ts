// What may be told of an end? One line, bounded, that shows no parameter's value: it comes from
// programs and leaves the pod.
import { stripVTControlCharacters } from 'node:util';
import type { StreamParameters } from '../../api/assignment.ts';
import { redacted } from '../../api/redact.ts';
import { LONGEST_STREAM_MESSAGE } from '../../api/reported-streams.ts';
import { LONGEST_MESSAGE, oneLine } from '../../api/text.ts';

export function toldMessage(text: string, parameters: StreamParameters): string {
  const values = Object.values(parameters);
  const plain = stripVTControlCharacters(text.slice(0, 2 * LONGEST_MESSAGE));
  // Before blanks become one, as the program has printed the value; and after it, as it is told.
  const line = redacted(oneLine(redacted(plain, values)), values);
  return oneLine(line, LONGEST_STREAM_MESSAGE).toWellFormed();
}
