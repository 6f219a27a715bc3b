// What does a watch report?
import type { KubeObject } from '../../api/objects.ts';

export type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

export type Change = {
  readonly type: ChangeType;
  readonly object: KubeObject;
  /**
   * etcd was restored from a snapshot: this version may have been given before, to other contents.
   */
  readonly isRestored?: true;
};
