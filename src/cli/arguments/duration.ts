// How long is a time as kubectl takes it, such as 5s, 2m or 1h30m?
import { CommandError } from './command.ts';

const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600 };

/** In seconds, rounded up: the API server takes whole ones. */
export function secondsIn(text: string, flag: string): number {
  if (!/^(?:\d{1,7}(?:\.\d{1,3})?(?:ms|s|m|h)){1,4}$/.test(text))
    throw new CommandError(
      `${flag} is ${JSON.stringify(text)}; allowed is a time such as 5s, 2m or 1h30m`,
    );
  const parts = [...text.matchAll(/([\d.]+)([a-z]+)/g)].map(
    ([, amount, unit = '']) => Number(amount) * (SECONDS[unit] ?? 0),
  );
  return Math.ceil(parts.reduce((sum, part) => sum + part, 0));
}
