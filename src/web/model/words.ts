// How are numbers, times and names written?

const whole = new Intl.NumberFormat('en-US');

export const numberText = (count: number): string => whole.format(count);

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${whole.format(count)} ${count === 1 ? one : many}`;

/** "8 s", "3 min", "2 h", "5 d". */
export function durationText(seconds: number): string {
  const rounded = Math.max(0, Math.round(seconds));
  if (rounded < 60) return `${rounded} s`;
  if (rounded < 3_600) return `${Math.floor(rounded / 60)} min`;
  return rounded < 86_400
    ? `${Math.floor(rounded / 3_600)} h`
    : `${Math.floor(rounded / 86_400)} d`;
}

/** The time left until the latest possible moment, rounded up. */
export function untilText(time: string, now: number): string {
  const seconds = Math.max(0, Math.ceil((Date.parse(time) - now) / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.ceil(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.ceil(hours / 24)} d`;
}

/** A measured time: "< 0.1 s", "0.4 s", "12 s", "2 min 5 s". */
export function measuredText(milliseconds: number): string {
  const seconds = milliseconds / 1_000;
  if (seconds < 0.05) return '< 0.1 s';
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

export const agoText = (time: string, now: number): string => {
  const seconds = (now - Date.parse(time)) / 1_000;
  return seconds < 2 ? 'just now' : `${durationText(seconds)} ago`;
};

/** A CamelCase reason as words: "WorkersChanged" becomes "workers changed". */
export const reasonText = (reason: string): string =>
  reason
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .trim();

/** The common start of all names, up to a mark that separates words; empty if there is none. */
export function commonStart(names: readonly string[]): string {
  const [first = '', ...others] = names;
  if (others.length === 0) return '';
  let length = first.length;
  for (const name of others) while (!name.startsWith(first.slice(0, length))) length -= 1;
  const start = first.slice(0, length);
  const at = Math.max(...[':', '/', '-', '.', '_'].map((mark) => start.lastIndexOf(mark)));
  return start.slice(0, at + 1);
}

/**
 * A name in two parts, of which the first may be cut for lack of space: names of workers and
 * streams begin alike, and differ at their end.
 */
export function cutParts(name: string): readonly [start: string, end: string] {
  const letters = [...name];
  const end = letters.length <= 8 ? 0 : Math.min(8, Math.floor(letters.length / 2));
  return [
    letters.slice(0, letters.length - end).join(''),
    letters.slice(letters.length - end).join(''),
  ];
}

/** Sorts numbers in names as numbers: worker-2 before worker-10. */
export const byName: (a: string, b: string) => number = new Intl.Collator('en', { numeric: true })
  .compare;
