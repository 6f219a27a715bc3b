// How long does a command wait, and what does it say meanwhile? A line on standard error names what
// it waits for, and a bound ends the wait.
import type { Clock } from '../../runtime/clock.ts';
import { ageText } from '../views/time.ts';

/** The default of each command, and `what` it waits for. */
export const timeoutFlag = (fallback: string, what: string) =>
  ({ type: 'time', leastMs: 1_000, fallback, help: `how long to wait ${what}` }) as const;

/** The times of the first lines; the later ones follow at the last distance. */
const LINES_MS = [10_000, 30_000, 60_000, 120_000, 300_000, 600_000];
const LAST_DISTANCE_MS = 600_000;

export type Bound = {
  /** Undefined: the user wants to wait without a bound. */
  readonly timeoutMs: number | undefined;
  /** What the bound is made of, if not of --timeout alone. */
  readonly from?: string;
};

type WaitOptions = Bound & {
  readonly clock: Clock;
  readonly note: (line: string) => void;
  /** Called once, with a sentence for the user. */
  readonly onTimeout: (message: string) => void;
};

export class Wait {
  readonly #options: WaitOptions;
  #what: string | undefined;
  #since = 0;
  #cancelLine: () => void = () => undefined;
  #cancelBound: () => void = () => undefined;

  constructor(options: WaitOptions) {
    this.#options = options;
  }

  /** Undefined: the command waits for nothing, and the next wait has its whole time. */
  for(what: string | undefined): void {
    const isNew = this.#what === undefined && what !== undefined;
    this.#what = what;
    if (what === undefined) this.end();
    if (isNew) this.#start();
  }

  end(): void {
    this.#what = undefined;
    this.#cancelLine();
    this.#cancelBound();
  }

  #start(): void {
    const { clock, timeoutMs, from = '--timeout', onTimeout } = this.#options;
    this.#since = clock.monotonic();
    this.#lineAfter(0);
    if (timeoutMs === undefined) return;
    this.#cancelBound = clock.after(timeoutMs, () => {
      const what = this.#what;
      this.end();
      onTimeout(`after ${ageText(timeoutMs)} (${from}) still waiting for ${what}`);
    });
  }

  #lineAfter(passedMs: number): void {
    const { clock, note, timeoutMs } = this.#options;
    const next = LINES_MS.find((ms) => ms > passedMs) ?? passedMs + LAST_DISTANCE_MS;
    this.#cancelLine = clock.after(next - passedMs, () => {
      const passed = ageText(clock.monotonic() - this.#since);
      const bound = timeoutMs === undefined ? '' : ` of at most ${ageText(timeoutMs)}`;
      note(`waiting for ${this.#what} (${passed}${bound})`);
      this.#lineAfter(next);
    });
  }
}
