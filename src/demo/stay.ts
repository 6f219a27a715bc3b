// What becomes of the pools once the story is told and the user does things to them?

import { errorText } from '../api/error-text.ts';
import type { Line } from '../cli/render.ts';
import { movesSince, newsSince, type Owners, ownersIn } from './checks/moves.ts';
import { describe, type Finding, other, verify } from './checks/verify.ts';
import type { Interrupt } from './interrupt.ts';
import type { Stage, StageView } from './stage.ts';

const LOOK_MS = 300;
/** For so long it is marked what has just moved. */
const NEWS_MS = 5_000;

/** Ends with the interrupt, by its error. */
export async function stayUp(stages: readonly Stage[], interrupt: Interrupt): Promise<never> {
  const vigils = stages.map((stage) => new Vigil(stage));
  for (;;) {
    for (const vigil of vigils) await vigil.look(interrupt);
    const [stage] = stages;
    stage?.screen.draw((width) => vigils.flatMap((vigil) => ['', ...vigil.lines(width)]));
    await interrupt.sleep(LOOK_MS);
  }
}

class Vigil {
  readonly #stage: Stage;
  /** Who ran what when all was well the last time, and when that was. */
  #owners: Owners;
  #settledAt = performance.now();
  #isChanging = false;
  /** What the last change brought, what it took, and when it was over. */
  #news: ReadonlySet<string> = new Set();
  #seconds: number | undefined;
  #changedAt = 0;
  #view: StageView = {
    title: undefined,
    news: this.#news,
    seconds: undefined,
    isVerified: true,
    problems: [],
  };

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#owners = ownersIn(stage.sight);
  }

  lines(width: number): readonly Line[] {
    return this.#stage.lines(this.#view, width);
  }

  async look(interrupt: Interrupt): Promise<void> {
    this.#judge(await whatIsWrong(this.#stage, interrupt), performance.now());
  }

  #judge(findings: readonly Finding[], now: number): void {
    const isSettled = findings.length === 0;
    const fresh = newsSince(this.#owners, this.#stage.sight);
    const hasChanged = !isSettled || this.#isChanging || fresh.size > 0;
    if (hasChanged) this.#take(fresh, now);
    else if (now - this.#changedAt > NEWS_MS) this.#news = new Set();
    this.#view = {
      title: undefined,
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
    this.#owners = ownersIn(this.#stage.sight);
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
    const { sight, target } = this.#stage;
    return [
      { text: '✓ ', style: 'good' },
      { text: `${target.pool}, version ${sight?.version}, ` },
      { text: `${(this.#seconds ?? 0).toFixed(1)} s`, style: 'good' },
      {
        text: `: ${sight?.streams.length} streams on ${sight?.replicas} workers, ${movesSince(this.#owners, sight)}`,
      },
    ];
  }
}

/** Held against its own list and its target's replicas: both are the user's now. */
async function whatIsWrong(stage: Stage, interrupt: Interrupt): Promise<readonly Finding[]> {
  try {
    const sight = await interrupt.race(stage.look());
    return verify(sight, { streams: sight?.streams ?? [], workers: sight?.replicas ?? 0 });
  } catch (error) {
    interrupt.signal.throwIfAborted();
    return [other(errorText(error))];
  }
}
