// How often is computed what a waiting job requests? A template may have thousands of requests.
import { expect, it } from '@jest/globals';
import type { SwarmJob } from '../../../../src/api/validate.ts';
import { runToEnd } from '../../../../src/core/work.ts';
import { decideQueues } from '../../../../src/queue/decide.ts';
import { readRequests } from '../../../../src/queue/jobs.ts';
import type { NamespaceQuota } from '../../../../src/queue/world.ts';
import { atRest, jobOf, NOW, queueOf, worldOf } from '../../../support/queue-worlds.ts';

/** A job that waits, and how often the requests of its second container were read. */
function observed(name: string): { readonly job: SwarmJob; readonly reads: () => number } {
  let reads = 0;
  const second = {
    name: 'second',
    get resources() {
      reads += 1;
      return { requests: { cpu: '1' } };
    },
  };
  const { spec, ...job } = jobOf(name, { size: 9 });
  if (!spec.ok) throw new Error('it is invalid');
  const template = { spec: { containers: [{ name: 'main' }, second] } };
  return {
    job: { ...job, spec: { ok: true, value: { ...spec.value, template } } },
    reads: () => reads,
  };
}

const quotaOf = (name: string): NamespaceQuota => ({
  name,
  hard: new Map([['requests.cpu', 10n ** 12n]]),
  used: new Map(),
  scopes: [{ name: 'NotBestEffort', operator: 'Exists', values: [] }],
});

it('the requests of a waiting job are read once, for all ResourceQuotas and decisions', () => {
  const { job, reads } = observed('a');
  const resourceQuotas = [quotaOf('one'), quotaOf('two')];
  const world = worldOf({ queues: [queueOf({ pods: '4' })], jobs: [job], resourceQuotas });
  runToEnd(readRequests(world));
  const once = reads();
  expect(once).toBeGreaterThan(0);
  const rest = atRest(world);
  expect(decideQueues(rest, NOW).desired?.waiting).toHaveLength(1);
  expect(reads()).toBe(once);
});

it('the requests of a thousand jobs are read in a thousand turns', () => {
  const jobs = Array.from({ length: 1_000 }, (_, at) => observed(`job-${at}`));
  const work = readRequests(worldOf({ jobs: jobs.map(({ job }) => job) }));
  for (let turn = 0; turn < 500; turn += 1) work.next();
  expect(jobs.filter(({ reads }) => reads() > 0)).toHaveLength(499);
});
