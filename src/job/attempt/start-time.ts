// How long may the job still take to start?
import type { LedgerEntry } from '../../api/ledger.ts';
import type { SwarmJob } from '../../api/validate.ts';
import { latestMs } from '../../core/text.ts';
import type { JobFacts } from '../world.ts';

/** Times in status are whole seconds. */
const WHOLE_SECOND_MS = 1_000;

const STARTS: ReadonlySet<string> = new Set(['Admitted', 'Starting']);

const DEFAULT_SECONDS = 300;

export const startTimeoutSeconds = ({ spec, queue }: Pick<JobFacts, 'queue' | 'spec'>): number =>
  spec.startTimeoutSeconds ?? queue.startTimeoutSeconds ?? DEFAULT_SECONDS;

/** The time at which the status first showed that the job starts; undefined: it is not starting. */
export function startingSince({ status }: SwarmJob): string | undefined {
  const { state = '', history = [] } = status ?? {};
  if (!STARTS.has(state)) return undefined;
  const end = history.findIndex((it) => !STARTS.has(it.state));
  return history.slice(0, end < 0 ? history.length : end).at(-1)?.time;
}

/**
 * How long the job may still take to start; undefined: it is not starting. The time counts from the
 * end of the second in which the status first showed the start, so that the job never gets less
 * than its user allows. If the clock of that status was ahead, the time that this leader has
 * measured counts.
 */
export function startLeftMs(facts: JobFacts, entry: LedgerEntry | undefined): number | undefined {
  const { job, batchJob, startingMs, now } = facts;
  const since = startingSince(job);
  if (since === undefined) return undefined;
  const isUnderEntry = entry !== undefined && batchJob?.grant === entry.grant;
  if (isUnderEntry && facts.remembered.firstRun !== undefined) return undefined;
  const sinceMs = Math.max(now - latestMs(since), startingMs - WHOLE_SECOND_MS);
  return startTimeoutSeconds(facts) * 1000 - sinceMs;
}
