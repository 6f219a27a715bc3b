// What does a worker answer to a probe? Workers write the answer, the operator reads it.
import { HIGHEST_VERSION } from './assignment.ts';
import { asList, asString, isRecord } from './objects.ts';
import { type ReportedStreams, readReportedStreams } from './reported-streams.ts';
import { parseJson } from './text.ts';

export type WorkerReport = {
  readonly version: number;
  /** Workers of the original Go project may omit it; then only the version counts. */
  readonly jobs?: readonly string[];
  /** The newer version that the worker has read and is carrying out, if there is one. */
  readonly read?: number;
  /** The worker's pod, since its address may have passed to another pod. */
  readonly podUid?: string;
  /** Only the version is known, from the status: the worker was not reached. */
  readonly isFromStatus?: true;
} & ReportedStreams;

export type ProbeAnswer =
  | { readonly ok: true; readonly report: WorkerReport }
  /** `last`: the pod's report before it stopped answering. */
  | { readonly ok: false; readonly reason: string; readonly last?: WorkerReport };

/** The longest report that the operator accepts; it depends on the worker's assignment. */
export type ReportBound = { readonly jobs: number; readonly bytes: number };

/** Which worker is to be probed, and how often: pools decide, and the probes carry it out. */
export type WorkerProbe = {
  readonly podUid: string;
  readonly url: string;
  /**
   * The version and streams that the worker is to confirm; another value starts the quick pace
   * anew.
   */
  readonly awaiting: string;
  readonly isOutstanding: boolean;
  /**
   * A stream of the worker fails, or may soon be completed: for a while it is probed more often.
   */
  readonly isWatched?: boolean;
  /** A longer answer is refused. */
  readonly most: ReportBound;
};

/** A pod's UID has 36 characters. The bound keeps messages with the UID short. */
const LONGEST_UID = 253;
const NO_REPORT = 'an invalid version report';

export function readReport(text: string): WorkerReport | undefined {
  const read = readBoundedReport(text, Number.POSITIVE_INFINITY);
  return typeof read === 'string' ? undefined : read;
}

/**
 * Returns a text that describes the answer if it is no report. Counts the jobs before it copies
 * them.
 */
export function readBoundedReport(text: string, mostJobs: number): WorkerReport | string {
  const value = parseJson(text);
  if (!isRecord(value) || !isVersion(value['version'])) return NO_REPORT;
  const { version, jobs, read } = value;
  const podUid = asString(value['podUid']) ?? '';
  if (podUid.length > LONGEST_UID)
    return `a podUid of ${podUid.length} characters; allowed are ${LONGEST_UID}`;
  const names = asList(jobs);
  if (names.length > mostJobs) return tooManyJobs(names.length, mostJobs);
  // An object or array may be nested so deeply that String() would overflow the stack.
  if (names.some((name) => typeof name === 'object')) return NO_REPORT;
  return {
    version,
    ...(Array.isArray(jobs) && { jobs: names.map(String) }),
    ...(isVersion(read) && { read }),
    ...(podUid !== '' && { podUid }),
    ...readReportedStreams(value),
  };
}

export const tooManyJobs = (jobs: number, most: number): string =>
  `${jobs} jobs; allowed are ${most} for its assignment`;

const isVersion = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= HIGHEST_VERSION;
