// Does a job that a command follows ever run? While no rank runs, the command says what the job
// waits for; it gives up where the job cannot start as things are, and after a bound.
import type { SwarmJob } from '../../api/validate.ts';
import { cannotStart } from '../../queue/reasons.ts';
import type { Clock } from '../../runtime/clock.ts';
import { timeoutFlag, Wait } from '../arguments/waiting.ts';
import { reasonText } from '../views/job-status.ts';
import { NOT_SEEN } from '../views/state.ts';

export const startFlags = {
  timeout: timeoutFlag('60m', 'while no rank of the job runs'),
  wait: {
    type: 'switch',
    help: 'wait without a limit, also while the job cannot start as things are',
  },
} as const;

/** The operator may read a queue a moment later than the job that names it. */
const STANDS_MS = 2_000;
/** Longer than a new leader takes after the last one has failed. */
const UNSEEN_MS = 60_000;

export type GivenUp = {
  /** Never: the job cannot start. Unseen: no operator reconciles it. */
  readonly is: 'never' | 'timeout' | 'unseen';
  readonly why: string;
};

type StartOptions = {
  /** The job, as messages name it. */
  readonly what: string;
  readonly timeoutMs: number;
  /** The user waits whatever the reason. */
  readonly isPatient: boolean;
  readonly clock: Clock;
  readonly note: (line: string) => void;
};

export class JobStart {
  readonly #options: StartOptions;
  readonly #onGivenUp: (givenUp: GivenUp) => void;
  readonly #wait: Wait;
  #job: SwarmJob | undefined;
  #running = 0;
  /** Why the command is about to give up. */
  #verdict = NOT_SEEN;
  #cancelVerdict: () => void;

  constructor(options: StartOptions, onGivenUp: (givenUp: GivenUp) => void) {
    const { clock, note, isPatient, timeoutMs, what } = options;
    this.#options = options;
    this.#onGivenUp = (givenUp) => {
      this.end();
      onGivenUp(givenUp);
    };
    this.#wait = new Wait({
      clock,
      note,
      timeoutMs: isPatient ? undefined : timeoutMs,
      onTimeout: (why) => this.#onGivenUp({ is: 'timeout', why }),
    });
    this.#wait.for(`an operator that works for queues and jobs to reconcile ${what}`);
    const why = `${what}: ${NOT_SEEN}; does one work for queues and jobs?`;
    this.#cancelVerdict = this.#giveUpAfter(UNSEEN_MS, () => ({ is: 'unseen', why }));
  }

  onJob(job: SwarmJob): void {
    this.#job = job;
    this.#judge();
  }

  /** How many ranks run now. */
  onRanks(running: number): void {
    this.#running = running;
    this.#judge();
  }

  end(): void {
    this.#wait.end();
    this.#cancelVerdict();
  }

  #judge(): void {
    const job = this.#job;
    const { state, reason = '' } = job?.status ?? {};
    if (this.#running > 0) {
      this.#giveUpFor('');
      this.#wait.for(undefined);
    } else if (job !== undefined && state !== undefined) {
      this.#giveUpFor(state === 'Waiting' && cannotStart(reason) ? reason : '');
      const { what } = this.#options;
      this.#wait.for(`a rank of ${what} to run; the job is ${state}: ${reasonText(job)}`);
    }
  }

  /** Empty: there is no reason to give up. */
  #giveUpFor(verdict: string): void {
    if (verdict === this.#verdict) return;
    this.#cancelVerdict();
    this.#verdict = verdict;
    if (verdict === '') return;
    this.#cancelVerdict = this.#giveUpAfter(STANDS_MS, () => ({
      is: 'never',
      why: `${this.#options.what} cannot start: ${this.#job === undefined ? verdict : reasonText(this.#job)}`,
    }));
  }

  #giveUpAfter(ms: number, because: () => GivenUp): () => void {
    const { clock, isPatient, timeoutMs } = this.#options;
    if (isPatient) return () => undefined;
    return clock.after(Math.min(ms, timeoutMs), () => this.#onGivenUp(because()));
  }
}
