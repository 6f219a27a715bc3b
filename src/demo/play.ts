// Runs one step of the story until it is verified, or has failed.
import { errorText } from '../api/text.ts';
import type { Line } from '../cli/render.ts';
import { movesSince, newsSince, type Owners, ownersIn } from './checks/moves.ts';
import { sharesText } from './checks/shares.ts';
import { describe, verify } from './checks/verify.ts';
import type { Observation } from './cluster/observation.ts';
import type { Interrupt } from './interrupt.ts';
import { endingOf, failed, type Outcome, openingOf } from './screen/outcome.ts';
import type { Stage, StageView } from './stage.ts';
import { type Judgement, nothingMore, type StoryStep } from './story/step.ts';

/** Images may have to be pulled, on a slow machine. */
const TIMEOUT_SECONDS = 180;
const LOOK_MS = 100;
/** The screen shows what is not verified yet once a step has lasted this long. */
const OUTSTANDING_SECONDS = 4;
/** The demo reads the pool's status instead once all workers have been silent this long. */
const TRUST_SECONDS = 5;

export async function play(
  step: StoryStep,
  progress: string,
  stage: Stage,
  interrupt: Interrupt,
): Promise<Outcome> {
  const attempt = new Attempt(step, progress, stage);
  try {
    for (;;) {
      const outcome = await attempt.look(interrupt);
      if (outcome !== undefined) return outcome;
      await interrupt.sleep(LOOK_MS);
    }
  } finally {
    // An operator can be ended only after its start has been reported.
    await attempt.acted;
  }
}

class Attempt {
  readonly acted: Promise<void>;
  readonly #step: StoryStep;
  readonly #stage: Stage;
  readonly #before: Observation | undefined;
  readonly #owners: Owners;
  readonly #started = performance.now();
  readonly #askedAt = Date.now();
  #silentSince: number | undefined;
  #action: 'under way' | 'done' | { readonly problem: string } = 'under way';

  constructor(step: StoryStep, progress: string, stage: Stage) {
    this.#step = step;
    this.#stage = stage;
    this.#before = stage.observed;
    this.#owners = ownersIn(stage.observed);
    // Removes the table of the other pool.
    stage.screen.draw(() => []);
    stage.screen.say(...openingOf(progress, step.title, step.about));
    this.acted = this.#act();
  }

  get #seconds(): number {
    return (performance.now() - this.#started) / 1_000;
  }

  /** Undefined: not verified yet. */
  async look(interrupt: Interrupt): Promise<Outcome | undefined> {
    const stage = this.#stage;
    // Observations count only if the action was done before them.
    const action = this.#action;
    const judgement = await interrupt.race(this.#judge());
    const { problems } = judgement;
    const seconds = this.#seconds;
    if (action === 'done' && problems.length === 0) return this.#pass(seconds, judgement);
    if (typeof action === 'object') return this.#fail(seconds, [action.problem, ...problems]);
    if (seconds > TIMEOUT_SECONDS)
      return this.#fail(seconds, [...problems, ...(await this.#routes())]);
    this.#silentSince = isSilent(stage.observed) ? (this.#silentSince ?? seconds) : undefined;
    const silence = seconds - (this.#silentSince ?? seconds);
    if (silence > TRUST_SECONDS && (stage.observed?.status?.convergedReplicas ?? 0) > 0)
      stage.relyOnStatus();
    const title: Line = [{ text: `  … ${seconds.toFixed(1)} s`, style: 'busy' }];
    stage.draw({
      ...this.#view(seconds),
      title,
      problems: seconds < OUTSTANDING_SECONDS ? [] : problems,
    });
    return undefined;
  }

  async #act(): Promise<void> {
    try {
      await this.#step.act(this.#stage);
      this.#action = 'done';
    } catch (error) {
      this.#action = { problem: errorText(error) };
    }
  }

  async #judge(): Promise<Judgement> {
    try {
      const now = await this.#stage.look();
      const problems = [...describe(verify(now, this.#step.expected)), ...this.#fallen(now)];
      if (now === undefined || problems.length > 0) return { ...nothingMore, problems };
      const [stage, before, askedAt] = [this.#stage, this.#before, this.#askedAt];
      return { ...nothingMore, ...(await this.#step.also?.({ stage, now, before, askedAt })) };
    } catch (error) {
      return { ...nothingMore, problems: [errorText(error)] };
    }
  }

  #fallen(observed: Observation | undefined): readonly string[] {
    const [now = 0, before = 0] = [observed?.version, this.#before?.version];
    return now < before ? [`the version went back from ${before} to ${now}`] : [];
  }

  #pass(seconds: number, { seen, verified }: Judgement): Outcome {
    const { observed } = this.#stage;
    const { streams, workers } = this.#step.expected;
    const asked =
      this.#stage.trust === 'workers'
        ? `probed the ${workers} workers`
        : `read the pool’s status for the ${workers} workers`;
    const shares = observed === undefined ? '' : sharesText(observed);
    const outcome: Outcome = {
      title: this.#step.title,
      result: 'passed',
      seconds,
      seen: [movesSince(this.#owners, observed), ...seen],
      verified: [
        `${asked}; each of the ${streams.length} streams runs on exactly one of them`,
        ...(shares === '' ? [] : [shares]),
      ],
      proofs: verified,
      problems: [],
    };
    this.#stage.settle(endingOf(outcome), { ...this.#view(seconds), isVerified: true });
    return outcome;
  }

  #fail(seconds: number, problems: readonly string[]): Outcome {
    const { operator } = this.#stage.cluster;
    const outcome = failed(this.#step.title, seconds, problems);
    const lines: readonly Line[] = [
      ...endingOf(outcome),
      [{ text: `    last lines of the operator’s log (${operator.logFile}):`, style: 'faint' }],
      ...operator.lastLines().map((line): Line => [{ text: `      ${line}`, style: 'faint' }]),
    ];
    this.#stage.settle(lines, this.#view(seconds));
    return outcome;
  }

  async #routes(): Promise<readonly string[]> {
    const { observed, cluster } = this.#stage;
    return isSilent(observed) ? cluster.wayToPods() : [];
  }

  #view(seconds: number): StageView {
    return {
      news: newsSince(this.#owners, this.#stage.observed),
      seconds,
      isVerified: false,
      problems: [],
    };
  }
}

/** All workers are Ready and none answers: this machine has no route to them. */
const isSilent = (observed: Observation | undefined): boolean =>
  observed !== undefined &&
  observed.workers.length > 0 &&
  observed.workers.every(({ answer, pod }) => pod?.isReady === true && !answer.ok);
