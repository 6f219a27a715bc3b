// Do bars show loads of capacity, and nothing where nothing is reserved?
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { top } from '../../../../src/cli/commands/top.ts';
import { FakeCluster, metadata } from '../fake-cluster.ts';
import { ran } from '../ran.ts';

const pool = (name: string, loads: readonly number[], failing?: number): object => ({
  metadata: metadata(name),
  spec: { workers: { targetRef: { name } } },
  status: {
    workers: loads.map((load, at) => ({
      name: `${name}-${at}`,
      jobs: ['x', 'y'],
      load,
      version: 1,
      ...(failing !== undefined && { failing }),
      state: 'Converged',
    })),
  },
});
const cluster = new FakeCluster({ swarmpools: [pool('light', [0]), pool('heavy', [100, 50], 1)] });
beforeAll(() => cluster.start());
afterAll(() => cluster.stop());

it('swarmctl top draws bars for pools with weights, and none for pools without', async () => {
  const { stdout } = await ran(top, '--kubeconfig', cluster.kubeconfig);
  expect(stdout.split('\n')).toEqual([
    'NAMESPACE  POOL   WORKER   LOAD   OF              STREAMS  FAILING  STATE',
    'swarm      heavy  heavy-0   100  100  ██████████        2        1  Converged',
    'swarm      heavy  heavy-1    50  100  █████             2        1  Converged',
    'swarm      light  light-0     0  100                    2        -  Converged',
    '',
  ]);
});
