// Which object does an operand name? Users of kubectl write swarmpool/tv for tv.
import { type Kind, kinds } from '../../api/kinds.ts';

type Named = {
  readonly kind: Kind;
  /** Words of kubectl and of ours. */
  readonly words: readonly string[];
  readonly others: string;
  /** Batch Jobs of users are meant as well: `batch/NAME` stays as it is. */
  readonly withBatch?: true;
};

const job: Named = {
  kind: kinds.SwarmJob,
  words: wordsOf(kinds.SwarmJob, 'swj', 'job', 'jobs'),
  others: 'for jobs use: swarmctl job',
};

/** By the word of a command's usage. */
const NAMED: ReadonlyMap<string, Named> = new Map([
  [
    'POOL',
    {
      kind: kinds.SwarmPool,
      words: wordsOf(kinds.SwarmPool, 'swp', 'pool', 'pools'),
      others: 'for pools use: swarmctl status',
    },
  ],
  [
    'GROUP',
    {
      kind: kinds.SwarmGroup,
      words: wordsOf(kinds.SwarmGroup, 'swg', 'group', 'groups'),
      others: 'for groups use: swarmctl group',
    },
  ],
  [
    'QUEUE',
    {
      kind: kinds.SwarmQueue,
      words: wordsOf(kinds.SwarmQueue, 'swq', 'queue', 'queues'),
      others: 'for queues use: swarmctl queue',
    },
  ],
  ['JOB', job],
  ['JOB|batch/JOB', { ...job, withBatch: true }],
]);

export const BATCH = 'batch/';
/** As `kubectl get jobs -o name` has them; job/NAME is a SwarmJob. */
const batchWords = ['batch', ...wordsOf(kinds.Job).filter((word) => word.includes('.'))];

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

/** The names of objects of ours without their kinds; other operands as they are. */
export function readNames(usage: string, operands: readonly string[]): Read {
  const problems: string[] = [];
  const names = operands.map((text, at) => {
    const operand = operandAt(usage, at);
    const meant = NAMED.get(operand);
    if (meant === undefined || !text.includes('/')) return text;
    const [, word = '', name = ''] = /^([^/]*)\/([^/]+)$/.exec(text) ?? [];
    const isOf = (it: Named): boolean => it.words.includes(word.toLowerCase());
    if (isOf(meant)) return name;
    const isBatch = name !== '' && batchWords.includes(word.toLowerCase());
    if (isBatch && meant.withBatch === true) return `${BATCH}${name}`;
    const what = meant.kind.kind;
    const why =
      (isBatch ? `for batch Jobs use: swarmctl job why ${BATCH}${name}` : undefined) ??
      [...NAMED.values()].find(isOf)?.others ??
      `expected ${operand} or ${what.toLowerCase()}/${operand}; use -n NAMESPACE for another namespace`;
    problems.push(`${text} is not a ${what}; ${why}`);
    return text;
  });
  return problems.length === 0 ? { ok: true, operands: names } : { ok: false, problems };
}
