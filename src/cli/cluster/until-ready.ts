// Does what a command waits for ever become Ready? The command says meanwhile what it waits for; it
// gives up where an object cannot become Ready until a user acts, and after a bound.
import { conditionIn } from '../../core/conditions.ts';
import type { Clock } from '../../runtime/clock.ts';
import { Wait } from '../arguments/waiting.ts';
import { isCurrent, isPaused, isWell, type Stated, stateOf } from '../views/state.ts';

/** The operator may read a target a moment later than the object that names it. */
const STANDS_MS = 2_000;

type ReadyOptions = {
  /** Of the objects, such as SwarmPool. */
  readonly kind: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly note: (line: string) => void;
};

export class UntilReady {
  readonly #options: ReadyOptions;
  readonly #onEnd: (why: string | undefined) => void;
  readonly #wait: Wait;
  /** Why the command is about to give up. */
  #verdict: string | undefined;
  #cancelVerdict: () => void = () => undefined;

  /** `onEnd` gets no reason when everything is Ready. */
  constructor(options: ReadyOptions, onEnd: (why: string | undefined) => void) {
    this.#options = options;
    this.#onEnd = (why) => {
      this.end();
      onEnd(why);
    };
    const { clock, note, timeoutMs } = options;
    this.#wait = new Wait({ clock, note, timeoutMs, onTimeout: this.#onEnd });
    this.#wait.for(`the ${options.kind}s to be read`);
  }

  onObjects(objects: readonly Stated[]): void {
    const unready = objects.filter((object) => !isWell(object));
    const [first] = unready;
    const { kind } = this.#options;
    this.#giveUpFor(unready.map((object) => this.#reasonNever(object)).find(Boolean));
    if (first !== undefined) {
      const others = unready.length > 1 ? ` (and ${unready.length - 1} more)` : '';
      const { text } = stateOf(first, () => true);
      this.#wait.for(`${this.#nameOf(first)}${others} to become Ready; its state is ${text}`);
    } else if (objects.length === 0) this.#wait.for(`a ${kind}; there is none`);
    else this.#onEnd(undefined);
  }

  end(): void {
    this.#wait.end();
    this.#cancelVerdict();
  }

  #nameOf({ meta: { namespace, name } }: Stated): string {
    return `${this.#options.kind} ${namespace}/${name}`;
  }

  #reasonNever(object: Stated): string | undefined {
    const cannot = `${this.#nameOf(object)} cannot become Ready`;
    if (isPaused(object)) return `${cannot} while it is paused`;
    const stalled = conditionIn(object.status?.conditions, 'Stalled');
    if (stalled?.status !== 'True' || !isCurrent(object)) return undefined;
    return `${cannot} until a user acts: ${stalled.reason}: ${stalled.message}`;
  }

  #giveUpFor(verdict: string | undefined): void {
    if (verdict === this.#verdict) return;
    this.#cancelVerdict();
    this.#verdict = verdict;
    if (verdict === undefined) return;
    this.#cancelVerdict = this.#options.clock.after(STANDS_MS, () => this.#onEnd(verdict));
  }
}
