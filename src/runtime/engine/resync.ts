// When is each key decided about again although nothing has changed? Once in each period, evenly:
// not a thousand pools in one moment.
import type { Clock } from '../clock.ts';

/** Of a period: with more keys, several are woken in one. */
const MOST_STEPS = 600;

type ResyncOptions = {
  readonly clock: Clock;
  readonly periodMs: number;
  /** Asked at the beginning of each period. */
  readonly keys: () => Iterable<string>;
  readonly wake: (key: string) => void;
  /** A period has ended. */
  readonly onPeriod: () => void;
};

export class Resync {
  readonly #options: ResyncOptions;
  #cancel: () => void = () => undefined;

  constructor(options: ResyncOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, periodMs, wake, onPeriod } = this.#options;
    const keys = [...this.#options.keys()];
    const steps = Math.max(1, Math.min(keys.length, MOST_STEPS));
    const begins = (step: number): number => Math.floor((keys.length * step) / steps);
    const later = (step: number): void => {
      this.#cancel = clock.after(periodMs / steps, () => {
        for (const key of keys.slice(begins(step), begins(step + 1))) wake(key);
        if (step + 1 < steps) {
          later(step + 1);
          return;
        }
        onPeriod();
        this.start();
      });
    };
    later(0);
  }

  stop(): void {
    this.#cancel();
  }
}
