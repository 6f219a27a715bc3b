// When is status written, and which events follow? A change of state or reason at once, progress
// every two seconds.
import { kinds } from '../../api/kinds.ts';
import type { SwarmJob, SwarmJobStatus } from '../../api/validate.ts';
import type { Decision, EventText } from '../../core/decision.ts';
import {
  type AroundStatus,
  atOnce,
  type DueStatus,
  ownStatusSteps,
  paceInMs,
  withStatus,
} from '../../core/own-status.ts';
import type { JobWorld } from '../world.ts';

/** The only place where status is written. `says` undefined: it stays as it is. */
export function statusAmong(
  job: SwarmJob,
  status: DueStatus<SwarmJobStatus> | undefined,
  around: AroundStatus,
): Decision {
  const { says, dueInMs } = status ?? atOnce<SwarmJobStatus | undefined>(undefined);
  const steps = says === undefined ? [] : ownStatusSteps(kinds.SwarmJob, job, says, eventsOf);
  return withStatus(steps, dueInMs, around);
}

export const atPace = (
  { job, statusMs }: Pick<JobWorld, 'job' | 'statusMs'>,
  says: SwarmJobStatus,
): DueStatus<SwarmJobStatus> => ({
  says,
  dueInMs: () => paceInMs(job.status, says, newsIn, statusMs),
});

/** All else is only progress. */
const newsIn = (status: SwarmJobStatus | undefined): readonly unknown[] => [
  status?.observedGeneration,
  status?.state,
  status?.reason,
  status?.attempt,
  status?.failures,
  status?.conditions?.map(({ type, status: is }) => [type, is]),
];

const warns: ReadonlySet<string | undefined> = new Set(['Failed', 'Suspending', 'Admitted']);

/** Each change of state, and that pods are refused: then it does not start by itself. */
function eventsOf(before: SwarmJobStatus | undefined, after: SwarmJobStatus): readonly EventText[] {
  const { state, reason = '', message = '' } = after;
  const isRefused = reason === 'PodsRefused' && reason !== before?.reason;
  if (state === undefined || (state === before?.state && !isRefused)) return [];
  const isExpected = !warns.has(state) && !isRefused && reason !== 'BackingOff';
  const isAsked = reason === 'SuspendRequested' || reason === 'PodsEnding';
  const type = isExpected || isAsked ? 'Normal' : 'Warning';
  return [{ type, reason, action: 'Decide', message: `${state}: ${message}` }];
}
