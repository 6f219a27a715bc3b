// Would these jobs start if they were submitted now, and if not, why? By the operator's own
// function.
import { kinds } from '../../api/kinds.ts';
import { asRecord, type KubeObject } from '../../api/objects.ts';
import type { SwarmJob } from '../../api/validate.ts';
import { checkPreconditions } from '../../job/preconditions.ts';
import { mayBeAdmitted } from '../../queue/jobs.ts';
import { type QuotaRow, quotaRows } from '../../queue/quota/rows.ts';
import { type ToldStart, toldStart } from '../../queue/starts.ts';
import { type Source, SUPPOSED_UID, withObject } from '../cluster/observe-pool.ts';
import { checkSpec } from '../validate/check.ts';
import { queueOf } from '../views/job-status.ts';
import { type DecidedQueues, decideQueues } from './observe-queues.ts';
import { placedAmong, queuedIn, waitingIn } from './queue-facts.ts';

export type JobPlan = ToldStart & {
  readonly namespace: string;
  readonly name: string;
  readonly queue: string | undefined;
  readonly starts: boolean;
  /** Why it would not start; a word and a sentence. */
  readonly reason?: string;
  readonly message?: string;
  readonly position?: number;
  readonly waiting?: number;
  /** Before it is submitted, and what it needs. */
  readonly quota: readonly QuotaRow[];
};

/** All of one namespace, as if they were applied together. */
export async function planJobs(
  source: Source,
  namespace: string,
  objects: readonly KubeObject[],
  now: number,
): Promise<readonly JobPlan[]> {
  const placed = objects.map((it) => ({ ...it, metadata: asNew(it, namespace) }));
  const after = placed.reduce(withObject, source);
  const decided = await decideQueues(after, namespace, now);
  return placed.map((object) => planOf(decided, object, namespace));
}

/** Several new ones are told apart. */
const asNew = ({ metadata: { name, annotations = {} } }: KubeObject, namespace: string) => ({
  name,
  namespace,
  uid: `${SUPPOSED_UID} ${name}`,
  annotations,
});

function planOf(decided: DecidedQueues, object: KubeObject, namespace: string): JobPlan {
  const { name } = object.metadata;
  const job = decided.world.jobs.find(({ meta }) => meta.name === name);
  const plan = { namespace, name, queue: job && queueOf(job), starts: false, quota: [] };
  const { problems } = checkSpec('SwarmJob', {
    metadata: object.metadata,
    spec: asRecord(object['spec']) ?? {},
  });
  if (problems.length > 0 || job === undefined) {
    const message = problems.map(({ field, message: text }) => `${field} ${text}`).join('; ');
    return { ...plan, reason: 'InvalidSpec', message };
  }
  const refused = whyNotDecided(decided, job);
  if (refused !== undefined) return { ...plan, ...refused };
  const queue = decided.world.queues.find(({ meta }) => meta.name === plan.queue);
  const waiting = waitingIn(decided, plan.queue ?? '');
  const own = waiting.find((it) => it.uid === job.meta.uid);
  const isNext = decided.desired.pass.admitted.some(({ uid }) => uid === job.meta.uid);
  return {
    ...plan,
    starts: isNext,
    ...(!isNext &&
      own !== undefined && { reason: own.reason, message: own.message, ...toldStart(own) }),
    ...(own?.position !== undefined && {
      position: own.position,
      waiting: placedAmong(waiting).length,
    }),
    quota:
      queue === undefined ? [] : quotaRows(decided.desired, queue, queuedIn(decided, job.meta.uid)),
  };
}

/** It is not among those that wait. */
function whyNotDecided(
  { world, desired }: DecidedQueues,
  job: SwarmJob,
): { readonly reason: string; readonly message: string } | undefined {
  const checked = checkPreconditions({ job });
  if (!checked.ok) return checked.blocked;
  if (checked.spec.suspend) return { reason: 'Suspended', message: 'spec.suspend is set' };
  const { uid } = job.meta;
  const runs = world.runs.filter((run) => run.swarmJobUid === uid);
  const isAdmitted = desired.ledger.entries.some((entry) => entry.uid === uid);
  if (isAdmitted || mayBeAdmitted(job, runs)) {
    const isNext = desired.pass.admitted.some((it) => it.uid === uid);
    if (!isAdmitted || isNext) return undefined;
  }
  const state = job.status?.state ?? 'Admitted';
  return {
    reason: state,
    message: `there is a ${kinds.SwarmJob.kind} of this name already, and it is ${state}`,
  };
}
