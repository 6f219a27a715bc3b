// What is a target of the fuzzer? A parser of foreign input, and what must hold for every input.

export type Form = 'yaml' | 'json' | 'text';

export type Target = {
  readonly name: string;
  /** The files whose blocks are counted, from the root of the project. */
  readonly files: readonly string[];
  /**
   * Files that those call: an input that reaches a new block there is kept, but these blocks are
   * not counted.
   */
  readonly guides?: readonly string[];
  /** How mutations parse and print inputs. */
  readonly form: Form;
  /** Each character of an input stands for one byte, so that inputs need not be valid UTF-8. */
  readonly isBytes?: boolean;
  /** The first inputs, most of them as our own code writes them. */
  readonly seeds: readonly string[];
  /** Inputs of the greatest length. Each is tried once, and not mutated. */
  readonly large?: () => readonly string[];
  /** Words that the parser knows. */
  readonly words: readonly string[];
  /** The longest input that can reach it, in characters. */
  readonly longest: number;
  /** Only parses: its time is measured. */
  readonly read: (input: string) => unknown;
  /**
   * Throws `Broken` when something does not hold. Returns one of a few words for the outcome; those
   * of accepted inputs begin with `ok`.
   */
  readonly check: (input: string) => string | Promise<string>;
};

/** A broken promise. `kind` is the same for all inputs that show the same bug. */
export class Broken extends Error {
  override readonly name = 'Broken';
  readonly kind: string;
  /** Two results that must be equal are not. */
  readonly isDifference: boolean;

  constructor(kind: string, detail = '', isDifference = false) {
    super(detail === '' ? kind : `${kind}: ${detail}`);
    this.kind = kind;
    this.isDifference = isDifference;
  }
}

export function must(holds: boolean, kind: string, detail: () => string = () => ''): asserts holds {
  if (!holds) throw new Broken(kind, detail());
}
