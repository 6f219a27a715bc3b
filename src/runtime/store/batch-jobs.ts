// Which batch Jobs are there, and which pods belong to them? Cached once for all kinds. A pod
// belongs to its controller, by namespace and UID; by labels only where it has none any more.
import { type BatchJob, parseBatchJob, slimBatchJob } from '../../api/batch-job.ts';
import { isOfBatchJob, type JobPod, parseJobPod, slimJobPod } from '../../api/job-pod.ts';
import { kinds } from '../../api/kinds.ts';
import type { Ref } from '../../api/objects.ts';
import type { Change } from '../client/api.ts';
import { Cache } from '../watch/cache.ts';
import type { Subscription } from '../watch/subscriptions.ts';

/**
 * Batch Jobs of this namespace, or pods of them, have changed: the Jobs that are still known, and
 * the names of SwarmJobs that the labels of the pods have.
 */
type Listener = (
  namespace: string,
  jobs: readonly BatchJob[],
  labelled: ReadonlySet<string>,
) => void;

export class BatchJobs {
  readonly #listeners: Listener[] = [];
  readonly #jobs = new Cache(parseBatchJob, {
    namespace: ({ namespace }: BatchJob) => [namespace],
    uid: ({ namespace, uid }: BatchJob) => [inNamespace(namespace, uid)],
    owner: ({ namespace, swarmJobUid }: BatchJob) =>
      swarmJobUid === undefined ? [] : [inNamespace(namespace, swarmJobUid)],
  });
  readonly #pods = new Cache(parseJobPod, {
    namespace: (pod: JobPod) => (isOfBatchJob(pod) ? [pod.namespace] : []),
    job: ({ namespace, jobUid }: JobPod) =>
      jobUid === undefined ? [] : [inNamespace(namespace, jobUid)],
    label: (pod: JobPod) =>
      isOfBatchJob(pod) && pod.jobName !== undefined
        ? [inNamespace(pod.namespace, pod.jobName)]
        : [],
  });

  readonly subscriptions: readonly Subscription[] = [
    {
      kind: kinds.Job,
      slim: slimBatchJob,
      onChange: (change) => {
        const { before, after } = this.#jobs.apply(change);
        this.#tell(change, [before, after], []);
      },
    },
    {
      kind: kinds.Pod,
      slim: slimJobPod,
      onChange: (change) => {
        const { before, after } = this.#pods.apply(change);
        const known = [before, after].filter((pod) => pod !== undefined && isOfBatchJob(pod));
        if (known.length === 0) return;
        const uids = new Set(known.flatMap((pod) => pod?.jobUid ?? []));
        const namespace = namespaceOf(change);
        const jobs = [...uids].flatMap((uid) => this.#jobs.by('uid', inNamespace(namespace, uid)));
        this.#tell(change, jobs, [before?.jobName, after?.jobName]);
      },
    },
  ];

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  get(ref: Ref): BatchJob | undefined {
    return this.#jobs.get(ref);
  }

  in(namespace: string): readonly BatchJob[] {
    return this.#jobs.by('namespace', namespace);
  }

  /** Those that a SwarmJob controls: one, or two while the earlier one is being deleted. */
  of(namespace: string, swarmJobUid: string): readonly BatchJob[] {
    return this.#jobs.by('owner', inNamespace(namespace, swarmJobUid));
  }

  podsOf({ namespace, uid }: Pick<BatchJob, 'namespace' | 'uid'>): readonly JobPod[] {
    return this.#pods.by('job', inNamespace(namespace, uid));
  }

  /** Those of all batch Jobs, of deleted ones, too. */
  podsIn(namespace: string): readonly JobPod[] {
    return this.#pods.by('namespace', namespace);
  }

  /** Those with the label of this SwarmJob, and that belong to no batch Job that is known. */
  orphansOf({ namespace = '', name }: Ref): readonly JobPod[] {
    return this.#pods
      .by('label', inNamespace(namespace, name))
      .filter(({ jobUid = '' }) => !this.#jobs.has('uid', inNamespace(namespace, jobUid)));
  }

  #tell(
    change: Change,
    jobs: readonly (BatchJob | undefined)[],
    labels: readonly (string | undefined)[],
  ): void {
    const known = jobs.filter((job) => job !== undefined);
    const labelled = new Set(labels.filter((name) => name !== undefined));
    for (const listener of this.#listeners) listener(namespaceOf(change), known, labelled);
  }
}

/** What can be asked of them. */
export type KnownBatchJobs = Pick<
  BatchJobs,
  'get' | 'in' | 'of' | 'orphansOf' | 'podsOf' | 'podsIn'
>;

const namespaceOf = ({ object }: Change): string => object.metadata.namespace ?? '';

const inNamespace = (namespace: string, uid: string): string => `${namespace}/${uid}`;
