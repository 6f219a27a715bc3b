// The clock of one process. While the process is frozen its timers do not fire, but time passes, as
// after SIGSTOP; once killed, it never wakes.
import type { Clock } from '../../src/runtime/clock.ts';

export class ProcessClock implements Clock {
  readonly #clock: Clock;
  #wallOffsetMs: number;
  #backlog: (() => void)[] | undefined;
  #isKilled = false;

  constructor(clock: Clock, wallOffsetMs = 0) {
    this.#clock = clock;
    this.#wallOffsetMs = wallOffsetMs;
  }

  now = (): number => this.#clock.now() + this.#wallOffsetMs;
  monotonic = (): number => this.#clock.monotonic();

  after(ms: number, run: () => void): () => void {
    let isOff = false;
    const unlessOff = (): void => {
      if (!isOff) run();
    };
    const cancel = this.#clock.after(ms, () => this.whenAwake(unlessOff));
    return () => {
      isOff = true;
      cancel();
    };
  }

  get isFrozen(): boolean {
    return this.#backlog !== undefined;
  }

  get isKilled(): boolean {
    return this.#isKilled;
  }

  whenAwake(run: () => void): void {
    if (this.#isKilled) return;
    if (this.#backlog === undefined) run();
    else this.#backlog.push(run);
  }

  setWallOffset(ms: number): void {
    this.#wallOffsetMs = ms;
  }

  freeze(): void {
    this.#backlog ??= [];
  }

  thaw(): void {
    if (this.#isKilled) return;
    const late = this.#backlog ?? [];
    this.#backlog = undefined;
    for (const run of late) run();
  }

  kill(): void {
    this.#isKilled = true;
    this.#backlog = [];
  }
}
