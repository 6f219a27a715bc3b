// How long does an experiment wait for one step? Up to a bound; then the step ends with what it
// waited for.
import type { Clock } from '../../runtime/clock.ts';
import { type Bound, Wait } from '../arguments/waiting.ts';
import { InterruptedByUser, TimedOut } from './stopped.ts';

type Around = { readonly clock: Clock; readonly tell: (line: string) => void };

/** The signal that `work` gets is aborted at the bound, and when the user ends the experiment. */
export async function within<T>(
  { clock, tell }: Around,
  bound: Bound,
  ended: AbortSignal,
  work: (wait: Wait, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  let why: string | undefined;
  const onTimeout = (message: string): void => {
    why = message;
    late.abort();
  };
  const wait = new Wait({ clock, note: tell, ...bound, onTimeout });
  try {
    return await work(wait, AbortSignal.any([ended, late.signal]));
  } catch (error) {
    const isLate = error instanceof InterruptedByUser && !ended.aborted;
    throw isLate && why !== undefined ? new TimedOut(why) : error;
  } finally {
    wait.end();
  }
}
