// Which facts about a kind have no place in its CRD?
import { ASSIGNED_ANNOTATION } from '../../src/api/assignment.ts';
import { DELETION_COST_ANNOTATION } from '../../src/api/observed.ts';
import { ANNOTATION_PAUSED, LABEL_MANAGED_BY, MANAGER } from '../../src/core/labels.ts';
import {
  ANNOTATION_CHANGE,
  ANNOTATION_MOVED_TO,
  ANNOTATION_POOL,
  ANNOTATION_WHEN_DELETED,
  LABEL_POOL,
} from '../../src/pool/publish/config-map.ts';
import { ANNOTATION_RESTART } from '../../src/pool/streams/restarts.ts';

export type Notes = {
  readonly seeAlso: string;
  /** Type, and meaning. */
  readonly conditions?: readonly (readonly [string, string])[];
  /** Name, object, author, purpose. */
  readonly marks?: readonly (readonly [string, string, string, string])[];
};

const swarmPool: Notes = {
  seeAlso:
    'An example is [samples/tv](../../samples/tv/pool.yaml). What workers read is described in [the ConfigMap](configmap.md).',
  conditions: [
    [
      'Ready',
      '`True`: every stream has a worker, and every worker has confirmed its streams. `False`: the reason says what is missing. `Unknown`: the pool is paused.',
    ],
    [
      'Converged',
      '`True`: every desired worker has confirmed its assigned streams. The message names those that have not.',
    ],
    [
      'Reconciling',
      '`True`: the operator is working, or waiting for something that may still appear, such as the target.',
    ],
    [
      'Stalled',
      '`True`: the operator cannot continue until a user acts. The reason says why: `InvalidSpec`, `InvalidStreams`, `TargetConflict` (an older pool has the target) or `AssignmentsConflict` (a ConfigMap of that name belongs to another owner).',
    ],
    [
      'Overcommitted',
      '`True`: more capacity is reserved than the workers have. Without weights always `False`.',
    ],
    [
      'Mounted',
      '`True`: the pods of the target mount the ConfigMap that the pool writes. `False`: the message names both.',
    ],
    [
      'ProbeUnreachable',
      '`True`: a worker is Ready but does not answer the probe of `spec.probe`. The operator does not restart it for that.',
    ],
    [
      'StreamsHealthy',
      '`True`: every worker reports that its streams are running. `False`: some are failing; `status.failing` has the first 20, each with its worker and its last error. `Unknown`: a worker does not report their states.',
    ],
    [
      'Complete',
      'Only with `spec.streamPolicy.completion: Once`. `True`: every stream has completed, or its worker has given up on it.',
    ],
  ],
  marks: [
    [LABEL_POOL, 'label of the ConfigMap', 'the operator', 'The pool that owns the assignment.'],
    [LABEL_MANAGED_BY, 'label of the ConfigMap', 'the operator', `Always \`${MANAGER}\`.`],
    [
      ANNOTATION_CHANGE,
      'annotation of the ConfigMap',
      'the operator',
      'The last change, as in `status.history`; the cordoned workers at that time, whether a removal was held, and when one was last confirmed.',
    ],
    [
      ANNOTATION_MOVED_TO,
      'annotation of a ConfigMap',
      'the operator',
      'The assignment was in this ConfigMap before; the value names the current one (`assignments.configMapName`, `assignments.shards`).',
    ],
    [
      ANNOTATION_WHEN_DELETED,
      'annotation of the ConfigMap',
      'the operator',
      'The operator deletes it with its pool (`assignments.whenDeleted: Delete`).',
    ],
    [
      DELETION_COST_ANNOTATION,
      "annotation of a Deployment's pod",
      'the operator',
      'With `scaling: Lead`: this pod was emptied and is deleted first when the Deployment shrinks.',
    ],
    [
      ANNOTATION_POOL,
      'annotation of a ConfigMap',
      'you',
      'The name of a pool: that pool may use this ConfigMap, as long as it does not contain the key of the assignment.',
    ],
    [
      ANNOTATION_PAUSED,
      'annotation of the pool',
      'you',
      'Pauses the pool when it is `"true"`, like `spec.paused`; a spec from Git does not undo it.',
    ],
    [
      ANNOTATION_RESTART,
      'annotation of the pool',
      'you, `swarmctl restart`',
      'A line `NAME TOKEN` for each stream to restart; the worker restarts it once for each new token.',
    ],
    [
      ASSIGNED_ANNOTATION,
      "annotation of a worker's pod",
      'the operator',
      'Version and digest of the streams that this pod must run. Writing it makes the kubelet update the mounted file at once.',
    ],
  ],
};

const notServedYet: Notes = { seeAlso: 'The operator does not serve this kind yet.' };

export const notes: Readonly<Record<string, Notes>> = {
  SwarmPool: swarmPool,
  SwarmQueue: notServedYet,
  SwarmJob: notServedYet,
};
