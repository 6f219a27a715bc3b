// What does the status of a batch Job say? As the Job controller writes it.
import { asRecord, asString, type KubeObject } from '../../../../src/api/objects.ts';

type Condition = {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
};

export type JobStatus = {
  readonly conditions: readonly Condition[];
  readonly startTime?: string;
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  /** As a list of numbers; Kubernetes writes ranges. */
  readonly completedIndexes: string;
};

export const statusIn = (job: KubeObject): JobStatus => ({
  conditions: [],
  ...{ active: 0, ready: 0, terminating: 0, succeeded: 0, failed: 0, completedIndexes: '' },
  ...asRecord(job['status']),
});

export const completedIn = ({ completedIndexes }: JobStatus): ReadonlySet<number> =>
  new Set((asString(completedIndexes) ?? '').split(',').filter(Boolean).map(Number));

export const conditionOf = ({ conditions }: JobStatus, type: string): Condition | undefined =>
  conditions.find((it) => it.type === type);

export const isFinished = (status: JobStatus): boolean =>
  [conditionOf(status, 'Complete'), conditionOf(status, 'Failed')].some(
    (it) => it?.status === 'True',
  );
