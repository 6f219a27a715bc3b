// What does the operator do about a job, and when does time alone change the decision? This file
// only decides.
import { ANNOTATION_GRANT, type BatchJob } from '../api/batch-job.ts';
import { stillTakenBack } from '../api/grants.ts';
import { kinds } from '../api/kinds.ts';
import { hasEnded, keysTypeOf } from '../api/swarm-job.ts';
import type { SwarmJob } from '../api/validate.ts';
import { decisionFailed } from '../core/blocked.ts';
import {
  type Decision,
  type PatchOperation,
  type Refusal,
  type Step,
  versionedRefOf,
} from '../core/decision.ts';
import { atOnce } from '../core/own-status.ts';
import { hasUnseenEnds, READ_AGAIN_MS } from './attempt/certainty.ts';
import { firstRunOf } from './attempt/first-run.ts';
import { seenBatchJob } from './attempt/noted.ts';
import { rankEndsOf, withOwnEnd } from './attempt/rank-ends.ts';
import { missesPods } from './attempt/ranks.ts';
import { deadlineSeconds, nextSignalSeconds, ranMs, secondsOfAttempt } from './attempt/run-time.ts';
import { togetherSteps } from './attempt/together.ts';
import { computeDesiredState } from './desired-state.ts';
import { hostsName } from './make/hosts.ts';
import { keysObject } from './make/keys.ts';
import {
  batchJobObject,
  contentsOf,
  hostsObject,
  hostsPatch,
  labelsOf,
  serviceObject,
  takenText,
} from './make/objects.ts';
import { checkPreconditions } from './preconditions.ts';
import type { DesiredJob, State } from './situation.ts';
import { atPace, statusAmong } from './status/steps.ts';
import { statusOf, statusSeenAnew, statusWhenBlocked } from './status.ts';
import type { JobFacts, JobWorld, RememberedJob } from './world.ts';

export type JobDecision = Decision & {
  readonly remembered: RememberedJob;
  /** The job's batch Job, while some of its pods are missing. */
  readonly lacking: readonly BatchJob[];
};

export function decideJob(observed: JobWorld, now: number): JobDecision {
  const world = withEnd(observed);
  const { job, isGone, remembered, batchJob } = world;
  const lacking = batchJob !== undefined && missesPods(world) ? [batchJob] : [];
  const kept = { remembered, lacking };
  // Kubernetes deletes all objects that belong to the job.
  if (job.meta.isDeleting) return { steps: [], ...kept };
  // The list may be older than the watched job; otherwise the watch soon reports the deletion.
  if (isGone) return { steps: [], requeueAfterMs: READ_AGAIN_MS, ...kept };
  const checked = checkPreconditions(world);
  if (!checked.ok) {
    const status = statusWhenBlocked(job, stateWhenBlocked(world), checked.blocked, now);
    return { ...statusAmong(job, atOnce(status), {}), ...kept };
  }
  const facts = withMemory({ ...world, spec: checked.spec, now });
  const expires = expiresInMs(facts);
  if (expires !== undefined && expires <= 0) {
    const ref = versionedRefOf(job.meta);
    return { steps: [{ do: 'delete', kind: kinds.SwarmJob, ref }], ...kept };
  }
  const desired = computeDesiredState(facts);
  const madeUnder = desired.action === 'make' ? facts.entry?.grant : remembered.madeUnder;
  const startedUnder = desired.action === 'start' ? facts.entry?.grant : remembered.startedUnder;
  const decision = decisionOf(facts, desired, expires);
  return { ...decision, lacking, remembered: { ...facts.remembered, madeUnder, startedUnder } };
}

const withMemory = (facts: JobFacts): JobFacts => ({
  ...facts,
  remembered: {
    ...facts.remembered,
    firstRun: firstRunOf(facts),
    batchJob: seenBatchJob(facts),
  },
});

/** Adds the end of the batch Job as soon as its pods show it. */
function withEnd(world: JobWorld): JobWorld {
  const rankEnds = rankEndsOf(world);
  const remembered = { ...world.remembered, rankEnds };
  return { ...world, batchJob: withOwnEnd(world, rankEnds), remembered };
}

function decisionOf(facts: JobFacts, desired: DesiredJob, expires: number | undefined): Decision {
  const { job, refused } = facts;
  const { situation, action, nextInMs } = desired;
  const says = situation === undefined ? statusSeenAnew(job) : statusOf(facts, situation, action);
  const status = says && atPace(facts, says);
  const steps = stepsOf(facts, desired);
  const unseenInMs = hasUnseenEnds(facts) ? READ_AGAIN_MS : undefined;
  const waits = [nextInMs, expires, unseenInMs].filter((ms) => ms !== undefined);
  return statusAmong(job, status, {
    // After a refusal, the status is written first, so that it reports the refusal.
    before: refused === undefined ? steps : [],
    after: refused === undefined ? [] : steps,
    requeueAfterMs: waits.length === 0 ? undefined : Math.max(1, Math.min(...waits)),
  });
}

/** A running batch Job goes on, and the state stays as it is, so that its end is not lost. */
function stateWhenBlocked({ job, batchJob }: JobWorld): State {
  const { state = 'Waiting' } = job.status ?? {};
  const goesOn = batchJob !== undefined && batchJob.end === undefined && !batchJob.isSuspended;
  return goesOn || hasEnded(job) ? state : 'Waiting';
}

/** Reads only the job, since any other object may be the cause of the failure. */
export function decideFailed(job: SwarmJob, refused: Refusal | undefined, now: number): Decision {
  if (job.meta.isDeleting) return { steps: [] };
  const blocked = decisionFailed('job', refused, 'what runs goes on');
  const { state = 'Waiting' } = job.status ?? {};
  return statusAmong(job, atOnce(statusWhenBlocked(job, state, blocked, now)), {});
}

/** The time until an ended job is deleted, in milliseconds; undefined: it is not deleted. */
function expiresInMs({ job, spec, queue, now }: JobFacts): number | undefined {
  const { finishTime } = job.status ?? {};
  const seconds = spec.ttlSecondsAfterFinished ?? queue.ttlSecondsAfterFinished;
  if (!hasEnded(job) || finishTime === undefined || seconds === undefined) return undefined;
  return Date.parse(finishTime) + seconds * 1000 - now;
}

function stepsOf(facts: JobFacts, { action }: DesiredJob): readonly Step[] {
  switch (action) {
    case 'none':
      return [];
    case 'make':
      return [...deletion(facts), ...childSteps(facts), creation(facts)];
    case 'start':
      return [
        ...childSteps(facts),
        ...keysSteps(facts),
        ...operate(facts, [replace('/spec/suspend', false)]),
      ];
    case 'run':
      return [
        ...(facts.isOutdated ? [] : togetherSteps(facts)),
        ...childSteps(facts),
        ...deadlineSteps(facts),
      ];
    case 'takeBack': {
      const grant = String(stillTakenBack(facts.batchJob?.grant ?? 0));
      return operate(facts, [replace(grantPath, grant), replace('/spec/suspend', true)]);
    }
    case 'discard':
      return deletion(facts);
    default:
      return action satisfies never;
  }
}

const deletion = ({ batchJob }: JobFacts): readonly Step[] =>
  batchJob === undefined ? [] : [{ do: 'delete', kind: kinds.Job, ref: versionedRefOf(batchJob) }];

/** A job of one rank needs neither a Service nor a list of hosts. */
function childSteps({ job, spec, service, hosts, taken }: JobFacts): readonly Step[] {
  if (spec.size === 1) return [];
  const { meta } = job;
  const isTaken = (name: string): boolean => taken.includes(name);
  const made = { meta, spec };
  const steps: Step[] = [];
  if (hosts !== undefined && hosts.contents !== contentsOf(spec)) {
    const body = hostsPatch(meta.name, spec);
    steps.push({ do: 'patch', kind: kinds.ConfigMap, ref: hosts, body });
  }
  if (service === undefined && !isTaken(takenText('Service', meta.name)))
    steps.push({ do: 'create', kind: kinds.Service, object: serviceObject(made) });
  if (hosts === undefined && !isTaken(takenText('ConfigMap', hostsName(meta.name))))
    steps.push({ do: 'create', kind: kinds.ConfigMap, object: hostsObject(made) });
  return steps;
}

/** Before its pods are made, which mount the keys. */
function keysSteps({ job, spec, batchJob }: JobFacts): readonly Step[] {
  // Its template counts: a user may have edited the spec since.
  const keys = keysTypeOf(batchJob?.launcher);
  if (batchJob === undefined || keys === undefined) return [];
  return [{ do: 'createKeys', keys, object: keysObject(batchJob, labelsOf(job.meta, spec)) }];
}

function creation(facts: JobFacts): Step {
  const { job, spec, entry, batchJob } = facts;
  const { attempt } = job.status ?? {};
  const ranSeconds = Math.ceil(ranMs(facts) / 1000);
  const deadline = deadlineSeconds(facts);
  const signal = nextSignalSeconds(facts);
  const object = batchJobObject(
    { meta: job.meta, spec },
    {
      grant: entry?.grant ?? 0,
      attempt: (attempt ?? batchJob?.attempt ?? 0) + 1,
      ranSeconds,
      leftSeconds: deadline && secondsOfAttempt(deadline, ranSeconds, signal),
      signalSeconds: signal,
    },
  );
  // The API server then refuses a misspelt field of the template instead of dropping it.
  return { do: 'create', kind: kinds.Job, object, isStrict: true };
}

/** A user may edit the deadline while the job runs. */
function deadlineSteps(facts: JobFacts): readonly Step[] {
  const { batchJob } = facts;
  const path = '/spec/activeDeadlineSeconds';
  const deadline = deadlineSeconds(facts);
  if (batchJob?.ranSeconds === undefined) return [];
  if (deadline === undefined)
    return batchJob.deadlineSeconds === undefined ? [] : operate(facts, [{ op: 'remove', path }]);
  const left = secondsOfAttempt(deadline, batchJob.ranSeconds, batchJob.signalSeconds ?? 0);
  if (left === batchJob.deadlineSeconds) return [];
  return operate(facts, [{ op: 'add', path, value: left }]);
}

const grantPath = `/metadata/annotations/${ANNOTATION_GRANT.replaceAll('/', '~1')}`;

const replace = (path: string, value: unknown): PatchOperation => ({ op: 'replace', path, value });

/** The patch succeeds only while the batch Job has the observed grant. */
function operate({ batchJob }: JobFacts, operations: readonly PatchOperation[]): readonly Step[] {
  if (batchJob?.grant === undefined) return [];
  const { name, namespace, uid, grant } = batchJob;
  const test = { op: 'test', path: grantPath, value: String(grant) } as const;
  const ref = { name, namespace, uid };
  return [{ do: 'operate', kind: kinds.Job, ref, operations: [test, ...operations] }];
}
