// Which lines of a log were shown before its connection broke? Each begins with its time, and
// several may have the same.
import type { LogOptions } from './logs.ts';

export class Resumption {
  /** The latest time so far, in nanoseconds; undefined: nothing was shown yet. */
  #last: bigint | undefined;
  /** How many lines of that time were shown. */
  #shown = 0;
  /** When the present connection was made: `#last`, and how many lines of it come again. */
  #from: bigint | undefined;
  #again = 0;

  /** What to ask for: at first as the user wants it, then from the last line on. */
  begin(): Pick<LogOptions, 'since'> & { readonly tail?: undefined } {
    this.#from = this.#last;
    this.#again = this.#shown;
    if (this.#from === undefined) return {};
    return { since: new Date(Number(this.#from / 1_000_000n)), tail: undefined };
  }

  /** The text of a line without its time; undefined: it was shown before. */
  take(line: string): string | undefined {
    const end = line.indexOf(' ');
    const time = nanosecondsIn(line.slice(0, Math.max(0, end)));
    if (time === undefined) return line;
    if (this.#from !== undefined && time < this.#from) return undefined;
    if (time === this.#from && this.#again > 0) {
      this.#again -= 1;
      return undefined;
    }
    // The two streams of a program may be a little out of order.
    if (this.#last === undefined || time > this.#last) {
      this.#last = time;
      this.#shown = 1;
    } else if (time === this.#last) this.#shown += 1;
    return line.slice(end + 1);
  }
}

/** Of a time such as 2026-01-01T00:00:00.12Z, whose fraction may have any length. */
function nanosecondsIn(time: string): bigint | undefined {
  const [, whole, fraction = '', zone] =
    /^([^.Z+]+T[\d:]+)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(time) ?? [];
  const ms = Date.parse(`${whole}${zone}`);
  if (Number.isNaN(ms)) return undefined;
  return BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9));
}
