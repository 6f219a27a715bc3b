// Which message about an end may leave the pod? One bounded line without values of parameters,
// since it comes from programs.
import { stripVTControlCharacters } from 'node:util';
import type { StreamParameters } from '../../api/assignment.ts';
import { redacted } from '../../api/redact.ts';
import { LONGEST_STREAM_MESSAGE } from '../../api/reported-streams.ts';
import { LONGEST_MESSAGE, oneLine } from '../../api/text.ts';

export function toldMessage(text: string, parameters: StreamParameters): string {
  const values = Object.values(parameters);
  const plain = stripVTControlCharacters(text.slice(0, 2 * LONGEST_MESSAGE));
  // Redacts twice: before blanks are joined, as the program printed the value; and after, as it is
  // reported.
  const line = redacted(oneLine(redacted(plain, values)), values);
  return oneLine(line, LONGEST_STREAM_MESSAGE).toWellFormed();
}
