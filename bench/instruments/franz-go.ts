// How long does franz-go's sticky balancer take on this machine, right now?
import { execFileSync } from 'node:child_process';

const folder = new URL('../../tools/franz-go', import.meta.url).pathname;

/** One partition for each stream, one worker more. */
export function franzGo(
  streams: number,
  workers: number,
  runs: number,
): { readonly ms: number; readonly moved: number } {
  const operands = [streams, workers, runs].map(String);
  const printed = execFileSync('go', ['run', '.', ...operands], { cwd: folder, encoding: 'utf8' });
  return JSON.parse(printed) as { ms: number; moved: number };
}
