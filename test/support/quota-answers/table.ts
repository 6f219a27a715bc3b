// What has the API server answered? A file of lines: the cluster first, then each case, followed by
// its pods. `npm run test:integration -- queue/quotas` writes it anew, if
// SWARM_UPDATE_QUOTA_ANSWERS is 1.
import { readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Answer, AnsweredCase, QuotaTable } from './case.ts';

const file = new URL('answers.jsonl', import.meta.url).pathname;

export function readTable(): QuotaTable {
  const [cluster, ...lines] = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const cases: (Omit<AnsweredCase, 'pods'> & { pods: AnsweredCase['pods'][number][] })[] = [];
  for (const line of lines)
    if ('quotas' in line) cases.push({ ...line, pods: [] });
    else cases.at(-1)?.pods.push(line);
  return { ...cluster, cases };
}

/** Leaves out pods that are refused for other reasons: they tell nothing about quotas. */
export function writeTable({ cases, ...cluster }: QuotaTable): void {
  const lines = cases.flatMap(({ pods, ...rest }) => [
    rest,
    ...pods.filter(({ answer }) => answer.is !== 'invalid'),
  ]);
  writeFileSync(file, [cluster, ...lines].map((it) => `${JSON.stringify(it)}\n`).join(''));
}

/** Of several quotas that refuse a pod, the API server may name any. */
export const isSameAnswer = (one: Answer, other: Answer): boolean =>
  'quota' in one && 'quota' in other && one.quota !== other.quota
    ? one.is === other.is
    : isDeepStrictEqual(one, other);
