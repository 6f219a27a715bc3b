// What may follow on a command line, as text for the shell that asks?
import { offerFor, offerText } from './arguments/offers.ts';
import { findNamesWithin } from './cluster/names.ts';
import { loadCommands } from './commands/all.ts';

/** Who presses Tab waits no longer. */
const TIMEOUT_MS = 1_500;

/** `words`: after the program's name, up to the one that is to be completed. */
export async function complete(words: readonly string[], timeoutMs = TIMEOUT_MS): Promise<string> {
  const shapes = (await loadCommands()).map(({ shape }) => shape);
  return offerText(await offerFor(shapes, words, findNamesWithin(timeoutMs)));
}
