// All mutants, numbered from 1, and whether they can still be made.
import { readFileSync } from 'node:fs';
import { assignMutants } from './assign.ts';
import { boundMutants } from './bounds.ts';
import { dayMutants } from './days.ts';
import { editMutants } from './edits.ts';
import { elsewhereMutants } from './elsewhere.ts';
import { frontMutants } from './front.ts';
import { gangMutants } from './gangs.ts';
import { groupMutants } from './groups.ts';
import { jobMutants } from './jobs.ts';
import { kindMutants } from './kinds.ts';
import { lastMutants } from './last.ts';
import { memberKindMutants } from './member-kinds.ts';
import type { Mutant } from './mutant.ts';
import { namespaceMutants } from './namespaces.ts';
import { orderMutants } from './order.ts';
import { ownerMutants } from './owners.ts';
import { policyMutants } from './policies.ts';
import { poolMutants } from './pool.ts';
import { preemptionMutants } from './preemption.ts';
import { queueMutants } from './queues.ts';
import { quotaMutants } from './quotas.ts';
import { recordMutants } from './records.ts';
import { removalMutants } from './removals.ts';
import { restartMutants } from './restarts.ts';
import { restoredMutants } from './restored.ts';
import { runtimeMutants } from './runtime.ts';
import { serverMutants } from './servers.ts';
import { streamMutants } from './streams.ts';
import { tenantMutants } from './tenants.ts';
import { workerMutants } from './worker.ts';

export const mutants: readonly Mutant[] = [
  ...poolMutants,
  ...assignMutants,
  ...runtimeMutants,
  ...workerMutants,
  ...ownerMutants,
  ...editMutants,
  ...restoredMutants,
  ...recordMutants,
  ...serverMutants,
  ...boundMutants,
  ...tenantMutants,
  ...restartMutants,
  ...kindMutants,
  ...frontMutants,
  ...groupMutants,
  ...policyMutants,
  ...memberKindMutants,
  ...dayMutants,
  ...removalMutants,
  ...streamMutants,
  ...elsewhereMutants,
  ...queueMutants,
  ...jobMutants,
  ...gangMutants,
  ...quotaMutants,
  ...namespaceMutants,
  ...orderMutants,
  ...preemptionMutants,
  ...lastMutants,
];

/**
 * The file with the bug in it, however the formatter has broken its lines. Throws when the code has
 * moved: a mutant that changes nothing would count as survived.
 */
export function mutated({ file, find, put }: Mutant, root: string): string {
  const text = readFileSync(`${root}${file}`, 'utf8');
  const pattern = patternOf(find);
  const count = text.split(pattern).length - 1;
  if (count !== 1)
    throw new Error(`${file} has ${count} times what a mutant looks for, not once: ${find}`);
  return text.replace(pattern, () => put);
}

/** Between two words, and inside brackets, there may be any white space. */
function patternOf(find: string): RegExp {
  const escaped = find.trim().replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(
    escaped
      .replaceAll(/\s+/g, '\\s+')
      .replaceAll(/\\[([{](?:\\s\+)?/g, (bracket) => `${bracket.slice(0, 2)}\\s*`)
      .replaceAll(/(?:\\s\+)?\\[)\]}]/g, (bracket) => `,?\\s*${bracket.slice(-2)}`),
  );
}
