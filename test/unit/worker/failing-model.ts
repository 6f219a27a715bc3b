// Which streams fail, by what their processes have really done? Counted from all of it, for
// comparison with what the worker tells.
import type { Job } from '../../../src/worker/decide/stream.ts';

const minute = 60_000;

type Past = {
  readonly job: Job;
  ends: readonly number[];
  runsSince: number | undefined;
  isFailing: boolean;
  /** Starts since its first end after it was last well. */
  restarts: number;
  isTroubled: boolean;
};

export class FailingModel {
  readonly #pasts = new Map<string, Past>();

  /** The slice gives it anew, or takes it away. */
  forget(stream: string): void {
    this.#pasts.delete(stream);
  }

  start(job: Job, now: number): void {
    const past = this.#wellAfterAMinute(job.stream, now);
    if (past === undefined)
      this.#pasts.set(job.stream, {
        job,
        ends: [],
        runsSince: undefined,
        isFailing: false,
        restarts: 0,
        isTroubled: false,
      });
    else if (past.isTroubled) past.restarts += 1;
  }

  started(stream: string, now: number): void {
    const past = this.#pasts.get(stream);
    if (past !== undefined) past.runsSince = now;
  }

  endedByItself(stream: string, now: number): void {
    const past = this.#wellAfterAMinute(stream, now);
    if (past === undefined) return;
    past.ends = [...past.ends, now];
    const recent = past.ends.filter((end) => now - end <= 5 * minute);
    past.isFailing ||= recent.length >= 3;
    past.isTroubled = true;
    past.runsSince = undefined;
  }

  couldNotStart(stream: string): void {
    const past = this.#pasts.get(stream);
    if (past === undefined) return;
    past.isFailing = true;
    past.isTroubled = true;
  }

  isFailing(stream: string, now: number): boolean {
    return this.#wellAfterAMinute(stream, now)?.isFailing ?? false;
  }

  restartsOf(stream: string, now: number): number {
    return this.#wellAfterAMinute(stream, now)?.restarts ?? 0;
  }

  #wellAfterAMinute(stream: string, now: number): Past | undefined {
    const past = this.#pasts.get(stream);
    if (past?.runsSince !== undefined && now - past.runsSince >= minute) {
      past.isFailing = false;
      past.isTroubled = false;
      past.restarts = 0;
    }
    return past;
  }
}
