// Does a pool report, in the API server's words, that a quota refuses its pods?
import { afterAll, beforeAll, it } from '@jest/globals';
import type { SwarmPoolStatus } from '../../../../src/api/validate.ts';
import { names } from '../../support/shape.ts';
import { Swarm } from '../../support/swarm.ts';

let swarm: Swarm;

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.operator('--leader-election', 'false');
});

afterAll(() => swarm.stop());

it.each(['StatefulSet', 'Deployment'] as const)(
  'a quota that refuses the pods of a %s is reported in the words of the API server',
  async (kind) => {
    const namespace = kind.toLowerCase();
    const kubectl = (...args: readonly string[]): Promise<string> =>
      swarm.kubectl('-n', namespace, ...args);
    const pool = await swarm.pool(namespace, { kind, streams: names(6), workers: 0 });
    await swarm.apply({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'two', namespace },
      spec: { hard: { pods: '2' } },
    });
    await kubectl(
      'wait',
      '--for=jsonpath={.status.hard.pods}=2',
      'resourcequota/two',
      '--timeout=120s',
    );
    await kubectl('scale', `${namespace}/worker`, '--replicas=3');
    const isTold = ({ workers }: SwarmPoolStatus): boolean =>
      workers?.some(
        ({ message }) =>
          message?.startsWith('it has no pod (') === true &&
          message.includes('exceeded quota: two'),
      ) === true;
    await pool.until('status names the quota', isTold);
    await kubectl('delete', 'resourcequota/two');
    // Any change of the object makes its controller try again at once.
    await kubectl('annotate', `${namespace}/worker`, 'looked-at=again');
    await pool.converged(names(6), 3);
  },
);
