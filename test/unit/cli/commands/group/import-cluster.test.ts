// Does swarmctl propose a group with which each present member keeps the replicas that it has?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { groupImport } from '../../../../../src/cli/commands/group/import.ts';
import { readAsKubectl } from '../../../../../src/cli/files/kubectl-yaml.ts';
import { proposedSpec } from '../../../../../src/cli/group/from-cluster.ts';
import { problemsIn } from '../../../../../src/cli/validate/check.ts';
import { ownObjectsIn } from '../../../../../src/cli/validate/documents.ts';
import { FakeCluster } from '../../fake-cluster.ts';
import { ran } from '../../ran.ts';

const metadata = (name: string) => ({
  ...{ name, namespace: 'swarm', uid: `${name}-uid`, resourceVersion: '1' },
  labels: { app: 'shop', app_name: 'teastore' },
});
const workload = (name: string, replicas?: number): object => ({
  metadata: metadata(name),
  spec: { ...(replicas !== undefined && { replicas }), template: {} },
});
const pool = (name: string, workers: object): object => ({
  metadata: metadata(name),
  spec: { workers },
});

const cluster = new FakeCluster({
  deployments: [workload('web', 6), workload('auth', 4), workload('single')],
  statefulsets: [workload('db', 4), workload('workers', 3)],
  swarmpools: [
    pool('tv', { scaling: 'Lead', replicas: 3, targetRef: { name: 'workers' } }),
    pool('radio', { scaling: 'Follow', targetRef: { name: 'db' } }),
  ],
});
beforeAll(() => cluster.start());
afterAll(() => cluster.stop());

const imported = (...args: readonly string[]) =>
  ran(groupImport, '--from-cluster', ...args, '--kubeconfig', cluster.kubeconfig);

describe('swarmctl group import --from-cluster', () => {
  it('group import prints a group of named members with ratios from their sizes, and no label', async () => {
    const { code, stdout } = await imported('web', 'auth', 'statefulset/db');
    expect([code, readAsKubectl(stdout)]).toEqual([
      0,
      [
        {
          apiVersion: 'k8slab.info/v1alpha1',
          kind: 'SwarmGroup',
          metadata: { name: 'web', namespace: 'swarm' },
          spec: {
            replicas: 4,
            members: [
              { kind: 'Deployment', name: 'web', ratio: '1.5' },
              { kind: 'Deployment', name: 'auth' },
              { kind: 'StatefulSet', name: 'db' },
            ],
          },
        },
      ],
    ]);
    const { own } = ownObjectsIn({ file: 'stdout', text: stdout });
    expect(own.flatMap(problemsIn)).toEqual([]);
  });

  it('group import takes what a selector finds, and a pool in place of the workload that it scales', async () => {
    const { stdout } = await imported('-l', 'app=shop', '--name', 'shop', '--app-name', 'shop');
    expect(readAsKubectl(stdout)).toMatchObject([
      {
        metadata: { name: 'shop', labels: { app_name: 'shop' } },
        spec: {
          replicas: 4,
          members: [
            { kind: 'Deployment', name: 'auth' },
            { kind: 'Deployment', name: 'single', ratio: '0.25' },
            { kind: 'Deployment', name: 'web', ratio: '1.5' },
            { kind: 'StatefulSet', name: 'db' },
            { kind: 'SwarmPool', name: 'tv', ratio: '0.75' },
          ],
        },
      },
    ]);
  });

  it('group import gives ratios for the size of --replicas', async () => {
    const { stdout } = await imported('web', 'auth', '--replicas', '2');
    expect(readAsKubectl(stdout)).toMatchObject([
      { spec: { replicas: 2, members: [{ ratio: 3 }, { ratio: 2 }] } },
    ]);
  });

  it.each([
    ['no member', [], '--from-cluster needs names of members, or --selector'],
    ['a member that does not exist', ['wbe'], 'there is no Deployment wbe in namespace swarm'],
    ['another kind', ['service/web'], '"service/web" is no member; expected NAME of a Deployment'],
    ['a pool that follows', ['swarmpool/radio'], 'SwarmPool radio cannot be a member'],
  ])('group import from a cluster refuses %s', async (_, args, message) => {
    const { code, stderr } = await imported(...args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it('group import refuses the flags of a cluster without one', async () =>
    expect(await ran(groupImport, 'groups.txt', '-l', 'app=shop')).toMatchObject({
      code: 2,
      stderr: '--selector needs --from-cluster\n(see --help)\n',
    }));

  it('no group is proposed where no ratio fits', () => {
    const objects = ['web', 'idle'].map((name, at) => ({
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } },
      spec: { replicas: at === 0 ? 3 : 0 },
    }));
    expect(() => proposedSpec(objects, undefined)).toThrow(
      'gives each member its replicas (Deployment/web 3, Deployment/idle 0): scale those with 0 up',
    );
  });
});
