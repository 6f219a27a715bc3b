// Which inputs showed a bug before? They are tried again in every run.
import { readFileSync } from 'node:fs';

/** What was wrong, and the input that showed it. */
type Known = { readonly was: string; readonly input: string };

const folder = new URL('findings/', import.meta.url);

export const fileOf = (target: string): string => `${target.replaceAll(' ', '-')}.json`;

export function findings(target: string): readonly string[] {
  const known: readonly Known[] = JSON.parse(readFileSync(new URL(fileOf(target), folder), 'utf8'));
  return known.map(({ input }) => input);
}
