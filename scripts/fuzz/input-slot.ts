// Which input is a thread trying? In shared memory: a thread that hangs, or ran out of memory,
// cannot tell.

const HEADER_BYTES = 8;

export class InputSlot {
  readonly shared: SharedArrayBuffer;
  readonly #header: Int32Array;
  readonly #text: Buffer;

  constructor(shared: SharedArrayBuffer) {
    this.shared = shared;
    this.#header = new Int32Array(shared, 0, 2);
    this.#text = Buffer.from(shared, HEADER_BYTES);
  }

  static of(characters: number): InputSlot {
    return new InputSlot(new SharedArrayBuffer(HEADER_BYTES + 2 * characters));
  }

  write(input: string): void {
    this.#text.write(input, 'utf16le');
    Atomics.store(this.#header, 0, input.length);
    Atomics.add(this.#header, 1, 1);
  }

  get input(): string {
    return this.#text.toString('utf16le', 0, 2 * Atomics.load(this.#header, 0));
  }

  /** Grows with each input. */
  get count(): number {
    return Atomics.load(this.#header, 1);
  }
}
