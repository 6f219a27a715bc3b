// What happens to the pools after the story, when the user changes them?

import { errorText } from '../api/error-text.ts';
import type { Line } from '../cli/render.ts';
import { movesSince, newsSince, type Owners, ownersIn } from './checks/moves.ts';
import { describe, type Finding, other, verify } from './checks/verify.ts';
import type { Interrupt } from './interrupt.ts';
import type { Stage, StageView } from './stage.ts';

const LOOK_MS = 300;
/** For so long streams that moved are marked. */
const NEWS_MS = 5_000;

/** Ends by the error of the interrupt. */
export async function stayUp(stages: readonly Stage[], interrupt: Interrupt): Promise<never> {
  const watches = stages.map((stage) => new PoolWatch(stage));
  for (;;) {
    for (const watch of watches) await watch.look(interrupt);
    const [stage] = stages;
    stage?.screen.draw((width) => watches.flatMap((watch) => ['', ...watch.lines(width)]));
    await interrupt.sleep(LOOK_MS);
  }
}

class PoolWatch {
  readonly #stage: Stage;
  /** As all was well the last time, and when that was. */
  #owners: Owners;
  #settledAt = performance.now();
  #isChanging = false;
  /** What the last change moved, how long it took, and when it was over. */
  #news: ReadonlySet<string> = new Set();
  #seconds: number | undefined;
  #changedAt = 0;
  #view: StageView = {
    news: this.#news,
    seconds: undefined,
    isVerified: true,
    problems: [],
  };

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#owners = ownersIn(stage.observed);
  }

  lines(width: number): readonly Line[] {
    return this.#stage.lines(this.#view, width);
  }

  async look(interrupt: Interrupt): Promise<void> {
    this.#judge(await whatIsWrong(this.#stage, interrupt), performance.now());
  }

  #judge(findings: readonly Finding[], now: number): void {
    const isSettled = findings.length === 0;
    const fresh = newsSince(this.#owners, this.#stage.observed);
    const hasChanged = !isSettled || this.#isChanging || fresh.size > 0;
    if (hasChanged) this.#take(fresh, now);
    else if (now - this.#changedAt > NEWS_MS) this.#news = new Set();
    this.#view = {
      news: this.#news,
      seconds: this.#seconds,
      isVerified: isSettled,
      problems: describe(findings),
    };
    if (hasChanged && isSettled) this.#tell();
    if (isSettled) this.#settle(now);
    else this.#isChanging = true;
  }

  #take(fresh: ReadonlySet<string>, now: number): void {
    this.#news = fresh;
    this.#changedAt = now;
    // Since the last look at which all was well: rather too long than too short.
    this.#seconds = (now - this.#settledAt) / 1_000;
  }

  #settle(now: number): void {
    this.#owners = ownersIn(this.#stage.observed);
    this.#settledAt = now;
    this.#isChanging = false;
  }

  /** A log has the table with it. */
  #tell(): void {
    const { screen } = this.#stage;
    screen.say(this.#line(), ...(screen.isLive ? [] : [...this.lines(screen.width), '']));
  }

  /** "✓ tv, version 12, 1.1 s: 29 streams on 7 workers, 16 moved (the fewest possible)" */
  #line(): Line {
    const { observed, target } = this.#stage;
    return [
      { text: '✓ ', style: 'good' },
      { text: `${target.pool}, version ${observed?.version}, ` },
      { text: `${(this.#seconds ?? 0).toFixed(1)} s`, style: 'good' },
      {
        text: `: ${observed?.streams.length} streams on ${observed?.replicas} workers, ${movesSince(this.#owners, observed)}`,
      },
    ];
  }
}

/** Expected is what the user has put into the pool's list and the target's replicas. */
async function whatIsWrong(stage: Stage, interrupt: Interrupt): Promise<readonly Finding[]> {
  try {
    const observed = await interrupt.race(stage.look());
    return verify(observed, { streams: observed?.streams ?? [], workers: observed?.replicas ?? 0 });
  } catch (error) {
    interrupt.signal.throwIfAborted();
    return [other(errorText(error))];
  }
}
