// Which jobs exist, and which Services and ConfigMaps have their names? Indexed, so that a change
// wakes only the jobs that it affects.
import { kinds } from '../../api/kinds.ts';
import { controllerUid, type KubeObject } from '../../api/objects.ts';
import { identityOf } from '../../api/observed.ts';
import { annotated, slimmed } from '../../api/slim.ts';
import { parseSwarmQueue, type SwarmJob } from '../../api/validate.ts';
import { knownJob } from '../../core/known-job.ts';
import { Cache } from '../../runtime/watch/cache.ts';
import { ANNOTATION_CONTENTS } from '../make/objects.ts';
import type { Child, QueueSays } from '../world.ts';

export const inNamespace = (namespace: string, of: string): string => `${namespace}/${of}`;

export class JobCaches {
  readonly jobs = new Cache(knownJob, {
    namespace: ({ meta }: SwarmJob) => [meta.namespace],
    uid: ({ meta }: SwarmJob) => [inNamespace(meta.namespace, meta.uid)],
    queue: ({ meta, spec }: SwarmJob) =>
      spec.ok ? [inNamespace(meta.namespace, spec.value.queueName)] : [],
  });
  readonly queues = new Cache(queueSays, {});
  readonly services = new Cache(parseChild, {});
  /** ConfigMaps that may contain the hosts of a job. */
  readonly hosts = new Cache(parseChild, {});
}

/** `ownerUid` is the UID of the controlling SwarmJob. */
export type OwnedChild = Child & { readonly ownerUid: string | undefined };

function parseChild(object: KubeObject): OwnedChild {
  const { annotations = {} } = object.metadata;
  return {
    ...identityOf(object),
    ownerUid: controllerUid(object, kinds.SwarmJob),
    contents: annotations[ANNOTATION_CONTENTS],
  };
}

export const slimChild = (object: KubeObject): KubeObject =>
  slimmed(object, { metadata: annotated(object.metadata, ANNOTATION_CONTENTS) });

function queueSays(object: KubeObject): QueueSays {
  const { spec } = parseSwarmQueue(object);
  if (!spec.ok) return {};
  const { jobDefaults, maxActiveDeadlineSeconds } = spec.value;
  const { priority: _, ...times } = jobDefaults;
  return { ...times, maxActiveDeadlineSeconds };
}
