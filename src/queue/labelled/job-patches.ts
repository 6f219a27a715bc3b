// How does a queue start, suspend or annotate a Job that joined it by a label? The version of the
// Job is a precondition.
import { ANNOTATION_GRANT, ANNOTATION_WAITING, type BatchJob } from '../../api/batch-job.ts';
import { takenBack } from '../../api/grants.ts';
import { kinds } from '../../api/kinds.ts';
import { type Step, versionedRefOf } from '../../core/decision.ts';

/**
 * From then on Kubernetes replaces a pod only when it has ended. By its default the new one is
 * made at once, beside one that is terminating: more pods than were admitted.
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
