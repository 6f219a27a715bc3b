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
} from '../../src/pool/labels.ts';

export type Notes = {
  readonly seeAlso: string;
  /** Type, and meaning. */
  readonly conditions: readonly (readonly [string, string])[];
  /** Name, object, author, purpose. */
  readonly marks: readonly (readonly [string, string, string, string])[];
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
      '`True`: every worker that the target desires has confirmed what it was assigned. The message names those that have not.',
    ],
    [
      'Reconciling',
      '`True`: the operator is at work, or waits for something that is still to appear, such as the target.',
    ],
    [
      'Stalled',
      '`True`: nothing will happen until somebody changes something. The reason says what: `InvalidSpec`, `InvalidStreams`, `TargetConflict` (an older pool has the target) or `AssignmentsConflict` (a ConfigMap of that name belongs to somebody else).',
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
      '`True`: a worker is Ready and does not answer the request of `spec.probe`. It is never restarted for that.',
    ],
  ],
  marks: [
    [LABEL_POOL, 'label of the ConfigMap', 'the operator', 'The pool whose assignment it is.'],
    [LABEL_MANAGED_BY, 'label of the ConfigMap', 'the operator', `Always \`${MANAGER}\`.`],
    [
      ANNOTATION_CHANGE,
      'annotation of the ConfigMap',
      'the operator',
      'The last change, as it will stand in `status.history`.',
    ],
    [
      ANNOTATION_MOVED_TO,
      'annotation of a ConfigMap',
      'the operator',
      'The pool was published here before; this is where it is published now (`assignments.configMapName`, `assignments.shards`).',
    ],
    [
      ANNOTATION_WHEN_DELETED,
      'annotation of the ConfigMap',
      'the operator',
      'It goes when its pool does (`assignments.whenDeleted: Delete`).',
    ],
    [
      DELETION_COST_ANNOTATION,
      "annotation of a Deployment's pod",
      'the operator',
      'With `scaling: Lead`: this pod was emptied and is to go first when the Deployment shrinks.',
    ],
    [
      ANNOTATION_POOL,
      'annotation of a ConfigMap',
      'you',
      'The name of a pool: it may take this ConfigMap over, as long as the key of the assignment is not in it.',
    ],
    [
      ANNOTATION_PAUSED,
      'annotation of the pool',
      'you',
      'Pauses the pool when it is `"true"`, as `spec.paused` does; a spec that is held in Git does not undo it.',
    ],
    [
      ASSIGNED_ANNOTATION,
      "annotation of a worker's pod",
      'the operator',
      'Version and digest of the streams that this very pod is to run. Writing it makes the kubelet update the mounted file at once.',
    ],
  ],
};

export const notes: Readonly<Record<string, Notes>> = { SwarmPool: swarmPool };
