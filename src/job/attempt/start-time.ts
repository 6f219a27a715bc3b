// How long may the job still take to start?
import type { LedgerEntry } from '../../api/ledger.ts';
import { latestMs } from '../../core/text.ts';
import type { JobFacts } from '../world.ts';

const STARTS: ReadonlySet<string> = new Set(['Admitted', 'Starting']);

/**
 * Undefined: it is not starting. Counted from the end of the second in which its status first said
 * so: never less than the user allows.
 */
export function startLeftMs(facts: JobFacts, entry: LedgerEntry | undefined): number | undefined {
  const { job, spec, batchJob, now } = facts;
  const { state = '', history = [] } = job.status ?? {};
  if (!STARTS.has(state)) return undefined;
  const isUnderEntry = entry !== undefined && batchJob?.grant === entry.grant;
  if (isUnderEntry && facts.remembered.firstRun !== undefined) return undefined;
  const end = history.findIndex((it) => !STARTS.has(it.state));
  const since = history.slice(0, end < 0 ? history.length : end).at(-1)?.time;
  return since === undefined ? undefined : latestMs(since) + spec.startTimeoutSeconds * 1000 - now;
}
