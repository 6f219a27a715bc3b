// What does a watch report?
import type { KubeObject } from '../../api/objects.ts';

type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

export type Change = {
  readonly type: ChangeType;
  readonly object: KubeObject;
  /** After etcd was restored from a snapshot: an equal version may have had other contents. */
  readonly isRestored?: true;
};
