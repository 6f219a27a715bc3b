// Which worker is to be probed, and how eagerly? Decided by a kind, carried out by the probes.
import type { ReportBound } from '../api/report.ts';

export type WorkerProbe = {
  readonly podUid: string;
  readonly url: string;
  /** What the worker is to confirm; another value starts the quick pace anew. */
  readonly awaiting: string;
  readonly isOutstanding: boolean;
  /** A longer answer is refused. */
  readonly most: ReportBound;
};
