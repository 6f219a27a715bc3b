// A pod that was told to end and has not: the quota of its whole job is held, and that is told.
import { kinds } from '../../../../src/api/kinds.ts';
import { asList, dig, type KubeObject } from '../../../../src/api/objects.ts';
import { isSameJson } from '../../../../src/core/json.ts';
import type { JobCell } from '../job-cell.ts';
import type { JobFault } from '../job-faults.ts';

/** As `kubectl get swarmqueue -o yaml` shows it. The next job waits for all of its own pods. */
export async function holdsQuota(
  cell: JobCell,
  job: string,
  pod: KubeObject,
  next: string,
): Promise<void> {
  const { name } = pod.metadata;
  const message = `pod ${name} on node ${dig(pod, 'spec', 'nodeName')} has not ended`;
  await cell.untilStatus(kinds.SwarmQueue, 'batch', `names pod ${name}`, (status) => {
    const [held, ...more] = asList(dig(status, 'held'));
    return (
      more.length === 0 &&
      dig(held, 'name') === job &&
      dig(held, 'pods') === 1 &&
      dig(held, 'message') === message &&
      dig(status, 'usage', 'pods') === '2' &&
      isSameJson(dig(status, 'waiting'), [
        { name: next, reason: 'WaitingForQuota', message: 'needs 2 pods, 0 are free' },
      ])
    );
  });
}

/** The first job was disturbed twice, and is tried again beside the third: both end well. */
export const endsAfterTwoDisturbances: JobFault['settle'] = async (cell) => {
  cell.tellToEnd('third');
  cell.tellToEnd('first');
  await cell.until('third', 'Succeeded');
  await cell.until('first', 'Succeeded');
  await cell.mustHave('first', 3, 2);
  await cell.mustHave('third', 1, 0);
};
