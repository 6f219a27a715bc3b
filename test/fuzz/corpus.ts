// Which inputs are worth mutating? Those that reached something new, preferably the newest and the
// shortest.
import type { Random } from '../sim/random.ts';
import { mutated } from './mutate.ts';
import type { Target } from './target.ts';

/**
 * Outcomes may quote parts of the input; after so many different ones, a new outcome adds no input.
 */
const MOST_OUTCOMES = 200;

export class Corpus {
  readonly #target: Target;
  readonly #random: Random;
  readonly #inputs: string[];
  readonly #outcomes = new Set<string>();

  constructor(target: Target, random: Random, more: readonly string[] = []) {
    this.#target = target;
    this.#random = random;
    this.#inputs = [...target.seeds, ...more, ''];
  }

  get inputs(): readonly string[] {
    return this.#inputs;
  }

  add(input: string): void {
    this.#inputs.push(input);
  }

  /** Keeps the first input of each outcome. */
  learn(input: string, outcome: string): void {
    if (this.#outcomes.has(outcome) || this.#outcomes.size >= MOST_OUTCOMES) return;
    this.#outcomes.add(outcome);
    this.add(input);
  }

  next(): string {
    const { words, form, longest, isBytes = false } = this.#target;
    return mutated(this.#pick(), this.#random, {
      words,
      form,
      longest,
      isBytes,
      other: () => this.#pick(),
    });
  }

  #pick(): string {
    const one = this.#anyOf();
    const other = this.#anyOf();
    return one.length <= other.length || this.#random.chance(0.3) ? one : other;
  }

  #anyOf(): string {
    const back = Math.floor(this.#inputs.length * this.#random.next() ** 1.5);
    return this.#inputs[this.#inputs.length - 1 - back] ?? '';
  }
}
