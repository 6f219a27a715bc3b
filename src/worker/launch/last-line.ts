// Which line did a process write last? The last one that is not blank; bounded, since each stream
// has one.

const MOST_BYTES = 1_000;
const CARRIAGE_RETURN = 13;
const SPACE = 32;

export class LastLine {
  #line = Buffer.alloc(0);

  /** Copies the line, which is a part of a larger buffer. */
  readonly see = (line: Buffer): void => {
    const isBlank = line.every((byte) => byte <= SPACE);
    if (!isBlank) this.#line = Buffer.from(lastWritten(line).subarray(0, MOST_BYTES));
  };

  get text(): string {
    return this.#line.toString('utf8');
  }
}

/** A program that shows its progress writes one line over and over. */
function lastWritten(line: Buffer): Buffer {
  const ends = line.at(-1) === CARRIAGE_RETURN;
  const whole = ends ? line.subarray(0, -1) : line;
  return whole.subarray(whole.lastIndexOf(CARRIAGE_RETURN) + 1);
}
