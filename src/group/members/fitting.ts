// Which ratios give each member its current replicas, at one size of the group?
import type { MemberRules } from '../world.ts';
import { replicasAt, sizesGiving } from './rules.ts';

type PresentMember = {
  readonly name: string;
  readonly replicas: number;
  readonly rules: MemberRules;
};

type Fitting = {
  readonly size: number;
  /** The members that need another ratio than they have. */
  readonly ratios: readonly { readonly name: string; readonly ratio: string }[];
};

type Sizes = { readonly least: number; readonly most: number };

/**
 * The size within these bounds for which the fewest ratios change; among several, the smallest.
 * Undefined: no ratio fits.
 */
export function fittingRatios(
  members: readonly PresentMember[],
  { least: fewest, most }: Sizes = { least: 0, most: Number.POSITIVE_INFINITY },
): Fitting | undefined {
  const sizes = members.flatMap(({ replicas, rules }) => {
    const least = sizesGiving(replicas, rules)?.least;
    return [replicas, ...(least === undefined ? [] : [least])];
  });
  return [...new Set([...sizes, fewest, most])]
    .filter((size) => size >= fewest && size <= most && Number.isFinite(size))
    .sort((a, b) => a - b)
    .flatMap((size) => fittingAt(size, members) ?? [])
    .reduce<Fitting | undefined>(
      (best, it) => (best === undefined || it.ratios.length < best.ratios.length ? it : best),
      undefined,
    );
}

function fittingAt(size: number, members: readonly PresentMember[]): Fitting | undefined {
  const ratios: { readonly name: string; readonly ratio: string }[] = [];
  for (const { name, replicas, rules } of members) {
    if (replicasAt(size, rules) === replicas) continue;
    const ratio = ratioOf(replicas, size);
    if (ratio === undefined || replicasAt(size, { ...rules, ratio }) !== replicas) return undefined;
    ratios.push({ name, ratio });
  }
  return { size, ratios };
}

const UNIT = 10n ** 9n;
const LARGEST = 1_000;

/**
 * A ratio with at most nine decimals, as the spec allows, so that ceil(ratio x size) is `replicas`.
 */
export function ratioOf(replicas: number, size: number): string | undefined {
  if (size === 0 || replicas === 0 || replicas > LARGEST * size) return undefined;
  const parts = (BigInt(replicas) * UNIT) / BigInt(size);
  const decimals = String(parts % UNIT)
    .padStart(9, '0')
    .replace(/0+$/, '');
  if (parts === 0n) return undefined;
  return `${parts / UNIT}${decimals === '' ? '' : `.${decimals}`}`;
}
