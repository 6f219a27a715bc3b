// What does the operator do about the queues of a namespace? It writes the ledger at most once, and
// each status that differs. This file only decides.
import { FIRST_GRANT } from '../api/grants.ts';
import { kinds } from '../api/kinds.ts';
import { type LedgerContents, ledgerData, ledgerObject } from '../api/ledger.ts';
import type { SwarmQueue } from '../api/validate.ts';
import { NOTED_WITHIN_MS, withEndsByPods } from '../core/batch-ends.ts';
import { decisionFailed } from '../core/blocked.ts';
import {
  type Decision,
  OUTDATED_AGAIN_MS,
  type Refusal,
  type Step,
  versionedRefOf,
} from '../core/decision.ts';
import { LABEL_MANAGED_BY, MANAGER } from '../core/labels.ts';
import { computeDesiredState, type DesiredQueues } from './desired-state.ts';
import { outdatedWhySteps, plainJobs, whyStepsFor } from './labelled/plain-jobs.ts';
import { nextLateInMs } from './labelled/start-timeout.ts';
import { SEEN_WITHIN_MS } from './ledger/entries.ts';
import { neverBegunAfter } from './ledger/never-begun.ts';
import { isOfThisTerm, ledgerOfNewTerm } from './ledger/new-term.ts';
import { lastedInMs } from './quota/of-others.ts';
import { COUNTED_WITHIN_MS } from './quota/resource-quotas.ts';
import { statusSteps, statusWhenBlocked } from './status.ts';
import { verdictsOf } from './verdicts.ts';
import type { JobVerdict, QueueWorld, RememberedQueues } from './world.ts';

export type QueueDecision = Decision & {
  readonly remembered: RememberedQueues;
  /** Why each job waits, by UID; undefined: not known yet. */
  readonly verdicts: ReadonlyMap<string, JobVerdict> | undefined;
  readonly desired: DesiredQueues | undefined;
  readonly isLedgerWritten: boolean;
};

/** etcd keeps every version of a ledger for minutes, so a larger ledger is written less often. */
const BYTES_IN_A_SECOND = 1_000_000;

export function decideQueues(observed: QueueWorld, now: number): QueueDecision {
  const world = { ...observed, runs: withEndsByPods(observed.runs, observed.pods) };
  const { remembered } = world;
  const known = { remembered, verdicts: undefined, desired: undefined, isLedgerWritten: false };
  const before = ledgerBefore(world, now);
  if (before === undefined)
    return { ...known, steps: [ledgerStep(world, ledgerOfNewTerm(world, now))] };
  if (world.ledger !== undefined && isLeftOver(world)) {
    const ref = versionedRefOf(world.ledger.at);
    return { ...known, steps: [{ do: 'delete', kind: kinds.ConfigMap, ref }] };
  }
  const desired = computeDesiredState(world, before, now);
  // Unknown pods may use the quota that this pass would grant.
  if (world.isOutdated && (desired.pass.admitted.length > 0 || desired.pass.preempted.size > 0))
    return {
      ...known,
      steps: withEventsLast(desired.plainSteps),
      requeueAfterMs: OUTDATED_AGAIN_MS,
    };
  const waitMs = desired.isLedgerChanged ? untilNextWriteMs(world) : 0;
  const isWritten = desired.isLedgerChanged && waitMs === 0;
  const verdicts = verdictsOf(desired, remembered.verdicts);
  const ledgers = { before: before.entries, after: desired.ledger.entries, parts: desired.parts };
  const status = statusSteps(world, desired, now);
  const waits = [
    world.isOutdated && plainJobs(world.runs).size > 0 ? OUTDATED_AGAIN_MS : undefined,
    status.requeueAfterMs,
    waitMs === 0 ? undefined : waitMs,
    backOffEndsInMs(desired),
    nextLateInMs(world.runs, before.entries, { ...world, parts: desired.parts, now }),
    leastLeft(world.unnotedMs, NOTED_WITHIN_MS),
    leastLeft(world.unseenMs, SEEN_WITHIN_MS),
    desired.waiting.length > 0 ? leastLeft(world.freshPodsMs, COUNTED_WITHIN_MS) : undefined,
    desired.waiting.length > 0 ? lastedInMs(desired.ofOthers, world.monotonicMs) : undefined,
  ].filter((ms) => ms !== undefined);
  return {
    steps: [
      ...(isWritten ? [ledgerStep(world, desired.ledger)] : []),
      ...status.steps,
      ...withEventsLast([
        ...desired.plainSteps,
        ...outdatedWhySteps(world.runs),
        ...whyStepsFor(plainJobs(world.runs), verdicts, desired.ledger.entries),
      ]),
    ],
    ...(waits.length > 0 && { requeueAfterMs: Math.max(1, Math.min(...waits)) }),
    remembered: {
      ...remembered,
      ofOthers: desired.ofOthers,
      places: desired.places,
      ledger: isWritten ? desired.ledger : (world.ledger ?? remembered.ledger),
      verdicts,
      neverBegun: isWritten ? neverBegunAfter(world, ledgers, now) : remembered.neverBegun,
      ledgerWrittenMs: isWritten ? world.monotonicMs : remembered.ledgerWrittenMs,
    },
    verdicts,
    desired,
    isLedgerWritten: isWritten,
  };
}

/** Events come last. The other steps patch different Jobs, so a refused one stops no other. */
const withEventsLast = (steps: readonly Step[]): readonly Step[] => [
  ...steps.filter((step) => step.do !== 'event'),
  ...steps.filter((step) => step.do === 'event'),
];

/** Undefined: this leader must write the ledger first. A namespace without jobs needs no ledger. */
function ledgerBefore(world: QueueWorld, now: number): LedgerContents | undefined {
  if (isOfThisTerm(world, now)) return world.ledger;
  const isNeeded =
    world.ledger !== undefined || world.jobs.length > 0 || plainJobs(world.runs).size > 0;
  return isNeeded ? undefined : { epoch: world.epoch, nextGrant: FIRST_GRANT, entries: [] };
}

/** Reads only the queues, since any other object may be the cause of the failure. */
export function decideFailed(
  queues: readonly SwarmQueue[],
  refused: Refusal | undefined,
  now: number,
): Decision {
  const blocked = decisionFailed('namespace', refused, 'jobs that run go on, and none is admitted');
  return { steps: queues.flatMap((queue) => statusWhenBlocked(queue, blocked, now)) };
}

function ledgerStep({ ledgerRef, ledger }: QueueWorld, contents: LedgerContents): Step {
  if (ledger !== undefined) {
    const ref = versionedRefOf(ledger.at);
    return { do: 'patch', kind: kinds.ConfigMap, ref, body: { data: ledgerData(contents) } };
  }
  const labels = { [LABEL_MANAGED_BY]: MANAGER };
  const object = ledgerObject(ledgerRef, labels, contents);
  return { do: 'create', kind: kinds.ConfigMap, object };
}

/** The namespace has a ledger, but no queue and no job any more. */
const isLeftOver = ({ queues, jobs, runs, pods, ledger }: QueueWorld): boolean =>
  queues.length === 0 &&
  jobs.length === 0 &&
  ledger?.entries.length === 0 &&
  !runs.some(({ swarmJobUid }) => swarmJobUid !== undefined) &&
  plainJobs(runs).size === 0 &&
  outdatedWhySteps(runs).length === 0 &&
  pods.every((pod) => pod.jobName === undefined);

function untilNextWriteMs({ ledger, remembered, monotonicMs }: QueueWorld): number {
  const { ledgerWrittenMs: last } = remembered;
  if (last === undefined) return 0;
  const pauseMs = ((ledger?.bytes ?? 0) / BYTES_IN_A_SECOND) * 1000;
  return Math.max(0, Math.ceil(last + pauseMs - monotonicMs));
}

/** The time until the first of these ages reaches `wantedMs`. */
function leastLeft(agesMs: ReadonlyMap<string, number>, wantedMs: number): number | undefined {
  const waits = [...agesMs.values()].map((ms) => wantedMs - ms).filter((ms) => ms > 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

function backOffEndsInMs({ waiting }: DesiredQueues): number | undefined {
  const waits = waiting.map(({ backsOffForMs }) => backsOffForMs).filter((ms) => ms > 0);
  return waits.length === 0 ? undefined : waits.reduce((least, ms) => Math.min(least, ms));
}
