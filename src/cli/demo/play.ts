// Does one step of the story come true, and what is in the way if not?
import { messageOf } from '../../playground/failure.ts';
import type { Line } from '../render.ts';
import type { Sight } from './cluster/sight.ts';
import type { Interrupt } from './interrupt.ts';
import { newsSince, type Owners, ownersIn } from './judge/moves.ts';
import { describe, type Finding, other, verify } from './judge/verify.ts';
import { failed, lineOf, movesSince, type Outcome, passed, secondsText } from './screen/outcome.ts';
import type { Stage, View } from './stage.ts';
import type { Step } from './story/story.ts';

const TIMEOUT_SECONDS = 60;
const LOOK_MS = 100;
/** What is still outstanding is told on the screen when it has lasted. */
const OUTSTANDING_SECONDS = 4;
/** For so long the workers may be silent before the operator's word has to do. */
const TRUST_SECONDS = 5;

export async function play(step: Step, place: string, stage: Stage, interrupt: Interrupt): Promise<Outcome> {
  const attempt = new Attempt(step, place, stage);
  try {
    for (;;) {
      const outcome = await attempt.look(interrupt);
      if (outcome !== undefined) return outcome;
      await interrupt.sleep(LOOK_MS);
    }
  } finally {
    // An operator that is just being started has to be known before it can be ended.
    await attempt.acted;
  }
}

class Attempt {
  readonly acted: Promise<void>;
  readonly #step: Step;
  readonly #place: string;
  readonly #stage: Stage;
  readonly #before: Sight | undefined;
  readonly #owners: Owners;
  readonly #started = performance.now();
  #action: 'under way' | 'done' | { readonly problem: string } = 'under way';

  constructor(step: Step, place: string, stage: Stage) {
    this.#step = step;
    this.#place = place;
    this.#stage = stage;
    this.#before = stage.sight;
    this.#owners = ownersIn(stage.sight);
    this.acted = this.#act();
  }

  get #seconds(): number {
    return (performance.now() - this.#started) / 1_000;
  }

  /** Nothing while it may still come true. */
  async look(interrupt: Interrupt): Promise<Outcome | undefined> {
    const stage = this.#stage;
    // What was seen before the action was done does not count.
    const action = this.#action;
    const sight = await interrupt.race(lookOrTell(stage));
    const findings = typeof sight === 'string' ? [other(sight)] : this.#check(sight);
    const seconds = this.#seconds;
    if (action === 'done' && findings.length === 0) return this.#pass(seconds);
    if (typeof action === 'object') return this.#fail(seconds, [action.problem, ...describe(findings)]);
    if (seconds > TIMEOUT_SECONDS) return this.#fail(seconds, [...describe(findings), ...(await this.#wayToWorkers())]);
    if (seconds > TRUST_SECONDS && isSilent(stage.sight) && (stage.sight?.status?.convergedReplicas ?? 0) > 0) stage.relyOnStatus();
    const title: Line = [{ text: `… ${this.#place}${secondsText(seconds)}  ${this.#step.title}`, style: 'busy' }];
    stage.draw({ ...this.#view(seconds), title, problems: seconds < OUTSTANDING_SECONDS ? [] : describe(findings) });
    return undefined;
  }

  async #act(): Promise<void> {
    try {
      await this.#step.act(this.#stage);
      this.#action = 'done';
    } catch (error) {
      this.#action = { problem: messageOf(error) };
    }
  }

  #check(sight: Sight | undefined): readonly Finding[] {
    const findings = verify(sight, this.#step.expected);
    if (sight === undefined || this.#before === undefined) return findings;
    const [now = 0, before = 0] = [sight.version, this.#before.version];
    const fallen = now < before ? [other(`the version fell from ${before} to ${now}`)] : [];
    return [...findings, ...fallen, ...(this.#step.also?.(sight, this.#before) ?? []).map(other)];
  }

  #pass(seconds: number): Outcome {
    const outcome = passed(this.#step.title, seconds, movesSince(this.#owners, this.#stage.sight));
    this.#stage.settle([lineOf(this.#place, outcome)], { ...this.#view(seconds), isVerified: true });
    return outcome;
  }

  #fail(seconds: number, problems: readonly string[]): Outcome {
    const { operator } = this.#stage.cluster;
    const outcome = failed(this.#step.title, seconds, problems);
    const lines: readonly Line[] = [
      lineOf(this.#place, outcome),
      ...problems.flatMap((problem) => problem.split('\n')).map((text): Line => [{ text: `    ${text}`, style: 'bad' }]),
      [{ text: `    the operator’s log (${operator.logFile}) ends with:`, style: 'faint' }],
      ...operator.lastLines().map((line): Line => [{ text: `      ${line}`, style: 'faint' }]),
      '',
    ];
    this.#stage.settle(lines, this.#view(seconds));
    return outcome;
  }

  #view(seconds: number): View {
    return { title: undefined, news: newsSince(this.#owners, this.#stage.sight), seconds, isVerified: false, problems: [] };
  }

  async #wayToWorkers(): Promise<readonly string[]> {
    return isSilent(this.#stage.sight) ? this.#stage.cluster.wayToPods() : [];
  }
}

/** All are Ready, and none answers: it is the way to them. */
const isSilent = (sight: Sight | undefined): boolean =>
  sight !== undefined && sight.workers.length > 0 && sight.workers.every(({ told, pod }) => pod?.isReady === true && !told.ok);

/** A text where the API server cannot be asked. */
export async function lookOrTell(stage: Stage): Promise<Sight | undefined | string> {
  try {
    return await stage.look();
  } catch (error) {
    return messageOf(error);
  }
}
