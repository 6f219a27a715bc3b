// How does the cluster see a node of the playground? Scheduling, failures, and the end of the
// playground.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { asList, asString, dig, isRecord } from '../../../../src/api/objects.ts';
import type { PlaygroundNode } from '../../../../src/playground/node/node.ts';
import { eventually, living } from '../../../support/processes.ts';
import { Cluster, condition, container, forever, sh, traces } from './cluster.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await Cluster.start({ nodeMonitorGraceSeconds: 10 });
});

afterAll(async () => {
  await cluster?.stop();
});

const start = (name: string): Promise<PlaygroundNode> => cluster.node(name, { heartbeatMs: 500 });
const nodeReady = async (name: string): Promise<unknown> =>
  condition(await cluster.api.get(kinds.Node, { name }), 'Ready');
const on = (node: string) => ({ nodeSelector: { 'kubernetes.io/hostname': node } });
const pidsOf = (node: PlaygroundNode): number[] => node.pods.flatMap(({ pids }) => [...pids]);

/** Leaves a silent node after a second, not after five minutes. */
const quick = ['not-ready', 'unreachable'].map((state) => ({
  key: `node.kubernetes.io/${state}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 1,
}));

describe('pods without a node', () => {
  it('pods are spread over the nodes, and stay pending when no node fits', async () => {
    const [left, right] = await Promise.all([start('share-left'), start('share-right')]);
    // One after the other, so that each scheduling decision sees the earlier ones.
    for (const name of ['one', 'two', 'three', 'four']) {
      await cluster.pod(name, { containers: [sh(forever)] });
      await cluster.running(name);
    }
    expect([left.pods.length, right.pods.length]).toEqual([2, 2]);

    await cluster.pod('nowhere', { ...on('elsewhere'), containers: [sh(forever)] });
    const pod = await cluster.when(
      'nowhere',
      'is unschedulable',
      (each) => condition(each, 'PodScheduled') === 'False',
    );
    const message = "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.";
    expect(dig(pod, 'status', 'conditions')).toMatchObject([{ reason: 'Unschedulable', message }]);
    expect(await cluster.event('nowhere', 'FailedScheduling')).toBe(message);

    // It is scheduled as soon as a node fits.
    await cluster.api.patch(
      kinds.Node,
      { name: 'share-left' },
      { type: 'merge', body: { metadata: { labels: { 'kubernetes.io/hostname': 'elsewhere' } } } },
    );
    await cluster.running('nowhere');

    const pids = [...pidsOf(left), ...pidsOf(right)];
    await Promise.all([left.stop({ graceSeconds: 1 }), right.stop({ graceSeconds: 1 })]);
    expect(living(pids)).toEqual([]);
    expect((await cluster.api.list(kinds.Node, undefined)).items).toEqual([]);
    expect([...traces('share-left'), ...traces('share-right')]).toEqual([]);
  });
});

describe('a node that is lost', () => {
  it('the pods of a node without power are evicted and replaced on another node', async () => {
    const [left, right] = await Promise.all([start('a-left'), start('b-right')]);
    const template = {
      metadata: { labels: { app: 'moved' } },
      spec: { terminationGracePeriodSeconds: 1, tolerations: quick, containers: [sh(forever)] },
    };
    await cluster.create(kinds.Deployment, 'moved', {
      spec: { replicas: 2, selector: { matchLabels: { app: 'moved' } }, template },
    });
    const areReady = async () =>
      dig(await cluster.get('moved', kinds.Deployment), 'status', 'readyReplicas') === 2;
    await eventually('both are Ready', areReady);
    const [lost, safe] = left.pods.length > 0 ? [left, right] : [right, left];
    const pids = pidsOf(lost);
    const name = lost.pods[0]?.name ?? '';

    await lost.vanish();
    expect(living(pids)).toEqual([]);
    expect(traces(lost.name)).toEqual([]);
    await eventually(
      'the node is marked as lost',
      async () => (await nodeReady(lost.name)) === 'Unknown',
    );
    await eventually(
      'the pod is evicted',
      async () => (await cluster.get(name)).metadata.deletionTimestamp !== undefined,
    );
    // No kubelet has reported its end.
    expect(container(await cluster.get(name))).toMatchObject({
      ready: true,
      state: { running: expect.anything() },
    });
    await eventually(
      'both are Ready again, elsewhere',
      async () => safe.pods.length === 2 && (await areReady()),
    );
    await cluster.api.delete(kinds.Deployment, { namespace: 'default', name: 'moved' });
    await eventually('they are gone', () => safe.pods.length === 0);
  });

  it('a node without network keeps its pods, and reports them when it is back', async () => {
    const node = await start('c-cut');
    await cluster.pod('survivor', { ...on('c-cut'), containers: [sh(forever)] });
    await cluster.pod('doomed', { ...on('c-cut'), containers: [sh(forever)] });
    await Promise.all(['survivor', 'doomed'].map(cluster.running));
    const pids = pidsOf(node);
    node.disconnect();
    await eventually(
      'the node is marked as lost',
      async () => (await nodeReady('c-cut')) === 'Unknown',
    );
    await cluster.when(
      'survivor',
      'becomes not Ready',
      (pod) => condition(pod, 'Ready') === 'False',
    );
    await cluster.delete('doomed');
    expect(living(pids)).toEqual(pids);
    await expect(cluster.logs('survivor')).rejects.toThrow();
    node.reconnect();
    await cluster.running('survivor');
    await eventually('the node is Ready', async () => (await nodeReady('c-cut')) === 'True');
    await eventually('the deleted pod is gone', async () => !(await cluster.exists('doomed')));
    expect(living(pids)).toHaveLength(1);
    await node.stop({ graceSeconds: 1 });
  });
});

describe('a node without mount namespaces', () => {
  it('a node without mount namespaces maps the paths of volumes, and reports it in an event', async () => {
    const node = await cluster.node('d-plain', { heartbeatMs: 500, mounts: 'rewrite' });
    await cluster.create(kinds.ConfigMap, 'mapped', { data: { file: 'content' } });
    const main = {
      ...sh('cat /etc/mapped/file $WHERE/file; [ -e /etc/mapped ] || echo untouched'),
      env: [{ name: 'WHERE', value: '/etc/mapped' }],
      volumeMounts: [{ name: 'map', mountPath: '/etc/mapped' }],
    };
    await cluster.pod('mapped', {
      ...on('d-plain'),
      restartPolicy: 'Never',
      containers: [main],
      volumes: [{ name: 'map', configMap: { name: 'mapped' } }],
    });
    await cluster.phase('mapped', 'Succeeded');
    expect(await cluster.logs('mapped')).toMatch(/^contentcontent/);
    await cluster.event('mapped', 'NotSupported', 'volumeMounts at their paths');
    await node.stop({ graceSeconds: 1 });
  });
});

describe('a playground that is killed', () => {
  it('a playground that is killed leaves neither processes nor folders nor mounts', async () => {
    const script = path.join(import.meta.dirname, 'parent.ts');
    const parent = spawn(
      process.execPath,
      [script, cluster.plane.kubeconfig, 'e-killed', cluster.plane.nodeClient],
      {
        env: { ...process.env, NODE_OPTIONS: '' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    await cluster.pod('orphan', {
      ...on('e-killed'),
      containers: [sh('setsid sleep 400 & sleep 401')],
    });
    const [line] = await once(parent.stdout, 'data');
    const said: unknown = JSON.parse(String(line));
    const pids = asList(dig(said, 'pids')).filter((pid) => typeof pid === 'number');
    expect(isRecord(said) && existsSync(asString(said['dir']) ?? '')).toBe(true);
    expect(living(pids)).toEqual(pids);
    parent.kill('SIGKILL');
    await eventually(
      'nothing is left',
      () => living(pids).length === 0 && traces('e-killed').length === 0,
    );
    expect(readdirSync('/etc')).not.toContain('mapped');
  });
});

// The last test: it stops the control plane.
describe('a node whose control plane has stopped', () => {
  it('a node whose control plane has stopped ends its pods and leaves nothing behind', async () => {
    const node = await start('f-alone');
    await cluster.pod('alone', {
      ...on('f-alone'),
      terminationGracePeriodSeconds: 30,
      containers: [sh(forever)],
    });
    await cluster.running('alone');
    const pids = pidsOf(node);
    await cluster.plane.stop();
    expect(living(pids)).toEqual(pids);
    await node.stop();
    expect(living(pids)).toEqual([]);
    expect(traces('f-alone')).toEqual([]);
    expect(cluster.troubles.join()).toContain('ends unreported');
  });
});
