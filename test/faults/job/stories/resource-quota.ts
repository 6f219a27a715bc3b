// The namespace's own ResourceQuota is smaller than the queue: no pod is ever refused, and jobs
// that wait for it say so, until it grows.
import { kinds } from '../../../../src/api/kinds.ts';
import { asString, dig } from '../../../../src/api/objects.ts';
import { isSameJson } from '../../../../src/core/json.ts';
import type { JobCell } from '../job-cell.ts';
import { type JobFault, one } from '../job-faults.ts';

const waiting = [
  [
    'second',
    'ResourceQuotaLacks',
    'ResourceQuota narrow: needs 2 pods, 1 is free; needs 200m requests.cpu, 100m are free',
  ],
  [
    'wide',
    'TooLargeEver',
    'needs 4 pods and 400m requests.cpu, all of ResourceQuota narrow is 3 pods and 300m requests.cpu',
  ],
].map(([name, reason, message]) => ({ name, reason, message }));

const small = [1, 2, 3, 4, 5, 6].map((number) => `small-${number}`);

export const smallResourceQuota: JobFault = {
  replicas: one,
  quota: 8,
  inject: async (cell) => {
    await cell.kubectl('create', 'quota', 'narrow', '--hard=pods=3,requests.cpu=300m');
    // What the quota controller has not counted yet bounds nothing.
    await cell.untilStatus(kinds.ResourceQuota, 'narrow', 'is counted', (status) =>
      Object.hasOwn(Object(dig(status, 'used')), 'pods'),
    );
    const resources = { requests: { cpu: '100m' } };
    await cell.submit('first', { resources });
    await cell.until('first', 'Running');
    await cell.submit('second', { resources });
    await cell.submit('wide', { resources, size: 4 });
    await cell.until('second', 'Waiting', 'ResourceQuotaLacks: ResourceQuota narrow: needs 2 pods');
    await cell.until('wide', 'Waiting', 'TooLargeEver');
    await cell.untilStatus(kinds.SwarmQueue, 'batch', 'says why both wait', (status) =>
      isSameJson(dig(status, 'waiting'), waiting),
    );
    // No end of a pod and no edit of a job wakes the queue now.
    await cell.patch('quota/narrow', { spec: { hard: { pods: '4', 'requests.cpu': '400m' } } });
    await cell.until('second', 'Running');
    await cell.until('wide', 'Waiting', 'ResourceQuotaLacks');
  },
  settle: async (cell) => {
    for (const name of small) {
      await cell.submit(name, { resources: { requests: { cpu: '100m' } }, size: 1 });
      cell.tellToEnd(name);
    }
    await cell.finish('first');
    await cell.finish('second');
    await cell.finish('wide');
    for (const name of small) await cell.until(name, 'Succeeded');
    for (const name of ['first', 'second', 'wide', ...small]) await cell.mustHave(name, 1, 0);
    await mustRefuseNoPod(cell);
  },
};

async function mustRefuseNoPod({ swarm, namespace }: JobCell): Promise<void> {
  const { items } = await swarm.api.list(kinds.Event, namespace);
  const refused = items.filter((event) => dig(event, 'reason') === 'FailedCreate');
  const notes = refused.map((event) => asString(dig(event, 'message')) ?? '');
  if (notes.length > 0) throw new Error(`${namespace}: pods were refused: ${notes.join('; ')}`);
}
