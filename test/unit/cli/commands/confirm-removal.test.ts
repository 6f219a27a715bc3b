// Does `swarmctl confirm-removal` confirm just what the pool holds?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { confirmRemoval } from '../../../../src/cli/commands/confirm-removal.ts';
import { FakeCluster, metadata } from '../fake-cluster.ts';
import { ran } from '../ran.ts';

const pool = (name: string, status: object): object => ({
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmPool',
  metadata: metadata(name),
  spec: { streams: [], workers: { targetRef: { kind: 'StatefulSet', name } } },
  status,
});

const removal = { total: 26, digest: '4f1c2a9b', message: '26 of 27 streams would be removed' };
const cluster = new FakeCluster({
  swarmpools: [pool('tv', { removal }), pool('calm', { version: 3 })],
});

beforeAll(() => cluster.start());

afterAll(() => cluster.stop());

const confirm = (name: string) => ran(confirmRemoval, name, '--kubeconfig', cluster.kubeconfig);

describe('confirm-removal', () => {
  it('confirm-removal annotates the pool with the digest in its status, and says what that confirms', async () => {
    const { code, stdout } = await confirm('tv');
    expect(stdout).toBe(
      'SwarmPool swarm/tv: 26 of 27 streams would be removed; confirmed (4f1c2a9b)\n',
    );
    expect(code).toBe(0);
    expect(cluster.writes).toEqual([
      [
        'PATCH',
        'swarmpools/tv',
        { metadata: { annotations: { 'k8slab.info/confirm-removal': '4f1c2a9b' } } },
      ],
    ]);
  });

  it('confirm-removal writes nothing where the pool holds no removal', async () => {
    const { code, stdout } = await confirm('calm');
    expect([code, stdout]).toEqual([
      1,
      'SwarmPool swarm/calm is not holding a removal; nothing to confirm\n',
    ]);
    expect(cluster.writes).toHaveLength(1);
  });
});
