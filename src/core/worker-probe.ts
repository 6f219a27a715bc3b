// Which worker is to be probed, and how eagerly? Decided by a kind, carried out by the probes.
import type { ReportBound } from '../api/report.ts';

/** Often while a confirmation is outstanding, now and then otherwise. */
export type WorkerProbe = {
  readonly podUid: string;
  readonly url: string;
  /** What is waited for; another one starts the quick pace anew. */
  readonly awaiting: string;
  readonly isOutstanding: boolean;
  /** A longer answer is refused. */
  readonly most: ReportBound;
};
