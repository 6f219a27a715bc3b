// When is the status written, and which events follow? A change of state or reason is written at
// once, progress every two seconds.
import { kinds } from '../../api/kinds.ts';
import type { SwarmJob, SwarmJobStatus } from '../../api/validate.ts';
import type { Decision, EventText } from '../../core/decision.ts';
import { isSameJson } from '../../core/json.ts';
import {
  type AroundStatus,
  atOnce,
  type DueStatus,
  ownStatusSteps,
  paceInMs,
  withStatus,
} from '../../core/own-status.ts';
import { runIsToldInMs } from '../attempt/first-run.ts';
import type { JobFacts } from '../world.ts';

/** The only place where the status is written. If `says` is undefined, it stays as it is. */
export function statusAmong(
  job: SwarmJob,
  status: DueStatus<SwarmJobStatus> | undefined,
  around: AroundStatus,
): Decision {
  const { says, dueInMs } = status ?? atOnce<SwarmJobStatus | undefined>(undefined);
  const steps = says === undefined ? [] : ownStatusSteps(kinds.SwarmJob, job, says, eventsOf);
  return withStatus(steps, dueInMs, around);
}

export const atPace = (facts: JobFacts, says: SwarmJobStatus): DueStatus<SwarmJobStatus> => ({
  says,
  dueInMs: () => {
    const toldInMs = says.state === 'Running' ? runIsToldInMs(facts) : undefined;
    return toldInMs ?? paceInMs(facts.job.status, says, newsIn, facts.statusMs);
  },
});

/** The fields that are written at once. All other fields are progress. */
const newsIn = (status: SwarmJobStatus | undefined): readonly unknown[] => [
  status?.observedGeneration,
  status?.state,
  status?.reason,
  status?.attempt,
  status?.failures,
  status?.conditions?.map(({ type, status: is }) => [type, is]),
];

type Told = Pick<NonNullable<SwarmJobStatus['history']>[number], 'message' | 'reason' | 'state'>;

const REFUSED = 'PodsRefused';

const warns: ReadonlySet<string> = new Set(['Failed', 'Suspending', 'Admitted']);

/** An event for each change of state, the oldest first, and one when pods are refused. */
function eventsOf(before: SwarmJobStatus | undefined, after: SwarmJobStatus): readonly EventText[] {
  const changes = changesOf(before, after);
  const { state, reason = '', message = '' } = after;
  const isRefused = reason === REFUSED && reason !== before?.reason;
  if (state !== undefined && isRefused && state === before?.state)
    return [...changes, { state, reason, message }].map(eventOf);
  return changes.map(eventOf);
}

/** The changes that are new in the history. */
function changesOf(
  before: SwarmJobStatus | undefined,
  { history = [] }: SwarmJobStatus,
): readonly Told[] {
  const [last] = before?.history ?? [];
  const known = last === undefined ? -1 : history.findIndex((it) => isSameJson(it, last));
  return (known < 0 ? history : history.slice(0, known)).toReversed();
}

function eventOf({ state, reason, message }: Told): EventText {
  const isExpected = !warns.has(state) && reason !== REFUSED && reason !== 'BackingOff';
  const isAsked = reason === 'SuspendRequested' || reason === 'PodsEnding';
  const type = isExpected || isAsked ? 'Normal' : 'Warning';
  return { type, reason, action: 'Decide', message: `${state}: ${message}` };
}
