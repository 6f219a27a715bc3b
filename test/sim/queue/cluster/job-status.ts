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
  /** As Kubernetes writes it: `0,2-4`. */
  readonly completedIndexes: string;
};

export const statusIn = (job: KubeObject): JobStatus => ({
  conditions: [],
  ...{ active: 0, ready: 0, terminating: 0, succeeded: 0, failed: 0, completedIndexes: '' },
  ...asRecord(job['status']),
});

export const completedIn = ({ completedIndexes }: JobStatus): ReadonlySet<number> =>
  new Set(
    (asString(completedIndexes) ?? '')
      .split(',')
      .filter(Boolean)
      .flatMap((range) => {
        const [first = 0, last = first] = range.split('-').map(Number);
        return Array.from({ length: last - first + 1 }, (_, index) => first + index);
      }),
  );

/** Neighbours in one range. */
export function rangesOf(numbers: Iterable<number>): string {
  const ranges: (readonly [number, number])[] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const [first, last] = ranges.at(-1) ?? [];
    if (first !== undefined && last === number - 1) ranges.splice(-1, 1, [first, number]);
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join();
}

export const conditionOf = ({ conditions }: JobStatus, type: string): Condition | undefined =>
  conditions.find((it) => it.type === type);

export const isFinished = (status: JobStatus): boolean =>
  [conditionOf(status, 'Complete'), conditionOf(status, 'Failed')].some(
    (it) => it?.status === 'True',
  );
