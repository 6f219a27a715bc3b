// What does a watch show the witness, and what does it find?
import type { KubeObject } from '../../../src/api/objects.ts';

/** One change of one object. */
export type Seen = {
  /** Of etcd as a whole: it orders the changes of all kinds. */
  readonly revision: number;
  readonly atMs: number;
  readonly isDeleted: boolean;
  readonly object: KubeObject;
};

export type Finding = {
  /** Which promise was broken. */
  readonly check: string;
  readonly atMs: number;
  readonly text: string;
};
