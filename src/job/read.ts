// What must be read before a job is observed? The ledger of its namespace, once for each version;
// the pods, before missing ones count; its batch Job, before that counts as deleted; and the job
// itself, before a vanished object of it is created again, since the watch may lag.
import type { BatchJob } from '../api/batch-job.ts';
import { isOfBatchJob, type JobPod, parseJobPod, slimJobPod } from '../api/job-pod.ts';
import { kinds } from '../api/kinds.ts';
import { ledgerName, type QueueLedger } from '../api/ledger.ts';
import { controllerUid } from '../api/objects.ts';
import { parseSwarmJob, type SwarmJob } from '../api/validate.ts';
import { entriesOf, ledgerIn } from '../core/ledgers.ts';
import type { KubeApi } from '../runtime/client/api.ts';
import type { ConfigMaps } from '../runtime/store/config-maps.ts';
import { contradictsStatus, isMadeAgain, mustKnowPods } from './attempt/certainty.ts';
import { selectorText } from './make/objects.ts';
import type { RememberedJob } from './world.ts';

/** Undefined: the watch knows no ledger, or another writer has edited it. */
export async function readLedgerOf(
  configMaps: Pick<ConfigMaps, 'get'>,
  ledgerNamespace: string,
  namespace: string,
): Promise<QueueLedger | undefined> {
  const found = await configMaps.get({ namespace: ledgerNamespace, name: ledgerName(namespace) });
  const ledger = found && ledgerIn(found);
  return ledger?.isEdited === false ? ledger : undefined;
}

type Known = {
  readonly job: SwarmJob;
  /** The batch Job with the name of the job. */
  readonly named: BatchJob | undefined;
  readonly ledger: QueueLedger | undefined;
  readonly remembered: RememberedJob;
};

const attemptsOf = ({ job, named, ledger, remembered }: Known) => ({
  job,
  batchJob: named?.swarmJobUid === job.meta.uid ? named : undefined,
  entry: ledger && entriesOf(ledger).get(job.meta.uid),
  remembered,
});

/**
 * Reads the whole spec if a batch Job is to be created from it. Undefined: the cached spec is
 * enough, or the job has changed meanwhile. Uses a list, since the operator may not get a SwarmJob.
 */
export async function readSpecOf(
  api: Pick<KubeApi, 'list'>,
  known: Known,
): Promise<SwarmJob['spec'] | undefined> {
  const { meta, isWithheld } = known.job;
  const { name, namespace, uid, generation } = meta;
  const { entry, batchJob } = attemptsOf(known);
  const isMade = batchJob !== undefined && batchJob.grant === entry?.grant;
  if (isWithheld !== true || entry === undefined || isMade) return undefined;
  const fieldSelector = `metadata.name=${name}`;
  const { items } = await api.list(kinds.SwarmJob, namespace, { fieldSelector });
  const found = items.find(({ metadata }) => metadata.uid === uid);
  return found?.metadata.generation === generation ? parseSwarmJob(found).spec : undefined;
}

export function mustReadPods(known: Known): boolean {
  const attempts = attemptsOf(known);
  return mustKnowPods(attempts) || contradictsStatus(attempts);
}

/** Undefined: the pods that the watch has reported are enough. */
export async function readPodsOf(
  api: Pick<KubeApi, 'list'>,
  known: Known,
): Promise<readonly JobPod[] | undefined> {
  const { job } = known;
  if (!mustReadPods(known)) return undefined;
  const labelSelector = selectorText(job);
  const { items } = await api.list(kinds.Pod, job.meta.namespace, { labelSelector });
  const pods = items.map((pod) => parseJobPod(slimJobPod(pod)));
  return pods.filter((pod) => isOfBatchJob(pod) && pod.swarmJobUid !== undefined);
}

/** Its status says that the batch Job runs, and the watch knows none. */
export function seemsDeleted(known: Known): boolean {
  const { job, batchJob } = attemptsOf(known);
  const { state } = job.status ?? {};
  return batchJob === undefined && (state === 'Starting' || state === 'Running');
}

/** Undefined: no batch Job is missing. */
export async function readIsUnreported(
  api: Pick<KubeApi, 'list'>,
  known: Known,
): Promise<boolean | undefined> {
  if (!seemsDeleted(known)) return undefined;
  const { name, namespace, uid } = known.job.meta;
  const fieldSelector = `metadata.name=${name}`;
  const { items } = await api.list(kinds.Job, namespace, { fieldSelector });
  return items.some((it) => controllerUid(it, kinds.SwarmJob) === uid);
}

/** Was the job deleted, or replaced by another one of its name, without a report of the watch? */
export async function readIsGone(api: Pick<KubeApi, 'list'>, known: Known): Promise<boolean> {
  if (!isMadeAgain(attemptsOf(known))) return false;
  const { name, namespace, uid } = known.job.meta;
  // Uses a list, since the operator may not get a SwarmJob.
  const fieldSelector = `metadata.name=${name}`;
  const { items } = await api.list(kinds.SwarmJob, namespace, { fieldSelector });
  return !items.some(({ metadata }) => metadata.uid === uid);
}
