// Watches the pools after the story, while the user changes them.
import { errorText } from '../api/text.ts';
import type { Line } from '../cli/render.ts';
import { movesSince, newsSince, type Owners, ownersIn } from './checks/moves.ts';
import { describe, type Finding, other, verify } from './checks/verify.ts';
import type { Interrupt } from './interrupt.ts';
import type { Stage, StageView } from './stage.ts';

const LOOK_MS = 300;
/** How long streams that moved stay marked. */
const NEWS_MS = 5_000;

/** Ends with the interrupt's error. */
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
  /** When all was verified the last time. */
  #owners: Owners;
  #settledAt = performance.now();
  #isChanging = false;
  #changedAt = 0;
  /** With what the last change moved, and how long it took. */
  #view: StageView = { news: new Set(), seconds: undefined, isVerified: true, problems: [] };

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
    const isVerified = findings.length === 0;
    const fresh = newsSince(this.#owners, this.#stage.observed);
    const hasChanged = !isVerified || this.#isChanging || fresh.size > 0;
    let { news, seconds } = this.#view;
    if (hasChanged) {
      news = fresh;
      // Since the last look at which all was verified: rather too long than too short.
      seconds = (now - this.#settledAt) / 1_000;
      this.#changedAt = now;
    } else if (now - this.#changedAt > NEWS_MS) news = new Set();
    this.#view = { news, seconds, isVerified, problems: describe(findings) };
    if (hasChanged && isVerified) this.#say();
    this.#isChanging = !isVerified;
    if (!isVerified) return;
    this.#owners = ownersIn(this.#stage.observed);
    this.#settledAt = now;
  }

  /** A log gets the table too. */
  #say(): void {
    const { screen } = this.#stage;
    screen.say(this.#line(), ...(screen.isLive ? [] : [...this.lines(screen.width), '']));
  }

  /** "✓ tv, version 12, 1.1 s: 29 streams on 7 workers, 16 moved (the fewest possible)" */
  #line(): Line {
    const { observed, target } = this.#stage;
    return [
      { text: '✓ ', style: 'good' },
      { text: `${target.pool}, version ${observed?.version}, ` },
      { text: `${(this.#view.seconds ?? 0).toFixed(1)} s`, style: 'good' },
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
