// What has to be read before a job is observed? The ledger of its namespace, once for each version;
// its pods, before something is concluded from those that are missing; and the job itself, before
// what was made for it and has vanished is made again: the watch may be late.
import type { BatchJob } from '../api/batch-job.ts';
import { isOfBatchJob, type JobPod, parseJobPod, slimJobPod } from '../api/job-pod.ts';
import { kinds } from '../api/kinds.ts';
import { ledgerName, type QueueLedger } from '../api/ledger.ts';
import { parseSwarmJob, type SwarmJob } from '../api/validate.ts';
import { entriesOf, ledgerIn } from '../core/ledgers.ts';
import type { KubeApi } from '../runtime/client/api.ts';
import type { ConfigMaps } from '../runtime/store/config-maps.ts';
import { contradictsStatus, isMadeAgain, mustKnowPods } from './attempt/certainty.ts';
import { selectorText } from './make/objects.ts';
import type { RememberedJob } from './world.ts';

/** Undefined: the watch knows of no ledger, or another writer has edited it. */
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
  /** The batch Job that has the job's name. */
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
 * Reads the whole spec where a batch Job is to be made of it. Undefined: the cached spec is enough,
 * or the job was changed meanwhile. Uses a list, since the operator has no right to get a SwarmJob.
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

/** Is the job gone, or replaced by another of its name, and the watch has not reported that yet? */
export async function readIsGone(api: Pick<KubeApi, 'list'>, known: Known): Promise<boolean> {
  if (!isMadeAgain(attemptsOf(known))) return false;
  const { name, namespace, uid } = known.job.meta;
  // Uses a list, since the operator has no right to get a SwarmJob.
  const fieldSelector = `metadata.name=${name}`;
  const { items } = await api.list(kinds.SwarmJob, namespace, { fieldSelector });
  return !items.some(({ metadata }) => metadata.uid === uid);
}
