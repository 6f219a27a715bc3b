// Which batch Jobs wait for a queue by their label, and how is each? They have no status of ours:
// their own says it, and the annotation in which the operator writes why they wait.
import { type BatchJob, LABEL_JOB, LABEL_QUEUE, parseBatchJob } from '../../api/batch-job.ts';
import { kinds } from '../../api/kinds.ts';
import type { KubeObject } from '../../api/objects.ts';
import { plural } from '../../core/text.ts';
import { hasCode } from '../../runtime/client/errors.ts';
import { CommandError } from '../arguments/command.ts';
import { type Cluster, readObject } from '../cluster/connect.ts';

type Scope = Pick<Cluster, 'api' | 'namespace'>;

/** In the words of SwarmJobs, as far as a batch Job has them. */
export type LabelledState = {
  readonly state: 'Failed' | 'Running' | 'Succeeded' | 'Suspending' | 'Unknown' | 'Waiting';
  /** A word, and a sentence. Neither: no operator has reconciled it yet. */
  readonly reason?: string;
  readonly message?: string;
};

export function stateOfLabelled(job: BatchJob): LabelledState {
  const { end, waits, isSuspended, isResumed, active, terminating, ready, parallelism } = job;
  if (end !== undefined) {
    const state = end.type === 'Complete' ? 'Succeeded' : 'Failed';
    return { state, reason: end.reason, message: end.message };
  }
  if (!isSuspended)
    return { state: 'Running', message: `${ready} of ${plural(parallelism, 'pod')} ready` };
  if (isResumed || active + terminating > 0)
    return { state: 'Suspending', message: 'its pods are ending' };
  if (waits === undefined) return { state: 'Unknown' };
  const [, reason, message] = /^(\w+): (.*)$/s.exec(waits) ?? [];
  return reason === undefined || message === undefined
    ? { state: 'Waiting', message: waits }
    : { state: 'Waiting', reason, message };
}

/** It has succeeded, or its pods run. */
export function isWellLabelled(job: BatchJob): boolean {
  const { state } = stateOfLabelled(job);
  return (
    state === 'Succeeded' || (state === 'Running' && job.active > 0 && job.ready >= job.active)
  );
}

/** None for a user who may not read batch Jobs. */
export async function readLabelledJobs(
  { api, namespace }: Scope,
  isEverywhere: boolean,
): Promise<readonly BatchJob[]> {
  const selectors = { labelSelector: `${LABEL_QUEUE},!${LABEL_JOB}` };
  try {
    const { items } = await api.list(kinds.Job, isEverywhere ? undefined : namespace, selectors);
    return items.map(parseBatchJob).filter(isLabelled);
  } catch (error) {
    if (hasCode(error, 'Forbidden')) return [];
    throw error;
  }
}

const isLabelled = ({ queue, swarmJobUid }: BatchJob): boolean =>
  queue !== undefined && swarmJobUid === undefined;

/** Undefined: there is none of this name that waits for a queue, or the user may not read it. */
export async function findLabelledJob(
  { api, namespace }: Scope,
  name: string,
): Promise<KubeObject | undefined> {
  try {
    const object = await api.get(kinds.Job, { namespace, name });
    return isLabelled(parseBatchJob(object)) ? object : undefined;
  } catch (error) {
    if (hasCode(error, 'Forbidden', 'NotFound')) return undefined;
    throw error;
  }
}

/** `use`: the command that takes the SwarmJob, where the batch Job is that of one. */
export async function readLabelledJob(
  scope: Scope,
  name: string,
  use: 'cancel' | 'why',
): Promise<KubeObject> {
  const object = await readObject(scope, kinds.Job, name);
  const { swarmJobUid, queue, hasQueueLabel } = parseBatchJob(object);
  const owner = object.metadata.ownerReferences?.find(({ uid }) => uid === swarmJobUid);
  if (owner !== undefined)
    throw new CommandError(
      `batch Job ${name} is that of a SwarmJob: swarmctl job ${use} ${owner.name}`,
    );
  if (queue !== undefined) return object;
  const why = hasQueueLabel ? 'Kueue manages it' : `it has no label ${LABEL_QUEUE}`;
  throw new CommandError(`batch Job ${name} waits for no SwarmQueue: ${why}`);
}
