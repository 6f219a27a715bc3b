// How is a SwarmJob or a SwarmQueue parsed that a watch has reported?
import type { KubeObject } from '../api/objects.ts';
import { annotated, slimmed } from '../api/slim.ts';
import { slimSwarmJob } from '../api/slim-job.ts';
import { parseSwarmJob, type SwarmJob } from '../api/validate.ts';
import { ANNOTATION_PAUSED } from './labels.ts';
import { memoize } from './memoize.ts';

/** Parsed once, for queues and jobs. */
export const knownJob = memoize((job: KubeObject): SwarmJob => parseSwarmJob(slimSwarmJob(job)));

/** Omits foreign annotations, since there may be many queues. */
export function slimQueue(queue: KubeObject): KubeObject {
  const { metadata, spec, status } = queue;
  const { generation = 0, creationTimestamp = '' } = metadata;
  const { annotations } = annotated(metadata, ANNOTATION_PAUSED);
  const about = { generation, creationTimestamp, annotations };
  return slimmed(queue, { metadata: about, spec, status });
}
