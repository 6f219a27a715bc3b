// How does a queue start, suspend or annotate a labelled Job? Each patch requires the observed
// version of the Job.
import { ANNOTATION_GRANT, ANNOTATION_WAITING, type BatchJob } from '../../api/batch-job.ts';
import { takenBack } from '../../api/grants.ts';
import { kinds } from '../../api/kinds.ts';
import { type Step, versionedRefOf } from '../../core/decision.ts';

/**
 * After the start, Kubernetes replaces a pod only when it has ended. By default it would replace a
 * terminating pod at once: more pods than were admitted.
 */
export const start = (job: BatchJob, grant: number, others: object): Step =>
  withGrant(job, grant, others, { suspend: false, podReplacementPolicy: 'Failed' });

export const suspend = (job: BatchJob, grant: number, others: object = {}): Step =>
  withGrant(job, takenBack(grant), others, { suspend: true });

const withGrant = (job: BatchJob, grant: number, others: object, spec: object): Step =>
  annotate(
    job,
    {
      [ANNOTATION_GRANT]: String(grant),
      ...others,
      ...(job.waits !== undefined && { [ANNOTATION_WAITING]: null }),
    },
    { spec },
  );

export const annotate = (job: BatchJob, annotations: object, besides: object = {}): Step => ({
  do: 'patch',
  kind: kinds.Job,
  ref: versionedRefOf(job),
  isIndependent: true,
  body: { metadata: { annotations }, ...besides },
});
