// Which object does an operand name? Users of kubectl write swarmpool/tv for tv.
import { type Kind, kinds } from '../../api/kinds.ts';

type Named = {
  readonly kind: Kind;
  /** Words of kubectl and of ours. */
  readonly words: readonly string[];
  readonly others: string;
};

const pools: Named = {
  kind: kinds.SwarmPool,
  words: wordsOf(kinds.SwarmPool, 'swp', 'pool', 'pools'),
  others: 'for pools use: swarmctl status',
};
const groups: Named = {
  kind: kinds.SwarmGroup,
  words: wordsOf(kinds.SwarmGroup, 'swg', 'group', 'groups'),
  others: 'for groups use: swarmctl group',
};

/** By the word of a command's usage. */
const NAMED: ReadonlyMap<string, readonly [meant: Named, other: Named]> = new Map([
  ['POOL', [pools, groups]],
  ['GROUP', [groups, pools]],
]);

function wordsOf({ kind, plural, group, version }: Kind, ...short: readonly string[]) {
  const full = [kind.toLowerCase(), plural];
  const suffixes = ['', `.${group}`, `.${version}.${group}`];
  return [...short, ...full.flatMap((word) => suffixes.map((suffix) => `${word}${suffix}`))];
}

/** `GROUP...` stands for every further operand. */
export function operandAt(usage: string, at: number): string {
  const all = usage.split(' ');
  const last = all.at(-1) ?? '';
  const operand = all[at] ?? (last.includes('...') ? last : '');
  return operand.replace(/[[\]]|\.\.\./g, '');
}

type Read =
  | { readonly ok: true; readonly operands: readonly string[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** The names of pools and groups without their kinds; other operands as they are. */
export function readNames(usage: string, operands: readonly string[]): Read {
  const problems: string[] = [];
  const names = operands.map((text, at) => {
    const operand = operandAt(usage, at);
    const [meant, other] = NAMED.get(operand) ?? [];
    if (meant === undefined || !text.includes('/')) return text;
    const [, word = '', name = ''] = /^([^/]*)\/([^/]+)$/.exec(text) ?? [];
    const isOf = (it: Named | undefined): boolean =>
      it?.words.includes(word.toLowerCase()) === true;
    if (isOf(meant)) return name;
    const what = meant.kind.kind;
    const why = isOf(other)
      ? other?.others
      : `expected ${operand} or ${what.toLowerCase()}/${operand}; use -n NAMESPACE for another namespace`;
    problems.push(`${text} is not a ${what}; ${why}`);
    return text;
  });
  return problems.length === 0 ? { ok: true, operands: names } : { ok: false, problems };
}
