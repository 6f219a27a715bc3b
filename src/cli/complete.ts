// What may follow on a command line, as text for the shell that asks?
import { forKubectl, forScripts, offerFor } from './arguments/offers.ts';
import { findNamesWithin } from './cluster/names.ts';
import { commands } from './commands/all.ts';

/** Who presses Tab waits no longer. */
const TIMEOUT_MS = 1_500;

/** `words`: after the program's name, up to the one that is to be completed. */
export async function complete(
  words: readonly string[],
  by: 'kubectl' | 'scripts',
  timeoutMs = TIMEOUT_MS,
): Promise<string> {
  const shapes = commands.map(({ shape }) => shape);
  const offer = await offerFor(shapes, words, findNamesWithin(timeoutMs));
  return by === 'kubectl' ? forKubectl(offer) : forScripts(offer);
}
