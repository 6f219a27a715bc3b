// Servers that listen on all addresses, as replicas on one machine: does each have its own address?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { asString, dig } from '../../../../src/api/objects.ts';
import type { PlaygroundNode } from '../../../../src/playground/node/node.ts';
import {
  commandLineOf,
  familyOf,
  listProcesses,
} from '../../../../src/playground/processes/processes.ts';
import { eventually } from '../../../support/processes.ts';
import { Cluster, container, sh } from './cluster.ts';

let cluster: Cluster;
const nodes: Record<string, PlaygroundNode> = {};

beforeAll(async () => {
  cluster = await Cluster.start();
  nodes['mounting'] = await cluster.node('mounting');
  nodes['mapping'] = await cluster.node('mapping', { mounts: 'rewrite' });
});

afterAll(async () => {
  await cluster?.stop();
});

/** Tells its name and where it listens; ends with code 0 on SIGTERM. */
const answering = (listen: string): string => `
  const { createServer } = require('node:http');
  const tell = () => process.env.HOSTNAME + ' ' + server.address().address;
  const server = createServer((_, response) => response.end(tell())).${listen};
  process.on('SIGTERM', () => { console.log('bye'); process.exit(0); });`;

const onNode = (name: string): object => ({ 'kubernetes.io/hostname': name });

async function answersOf(set: string): Promise<string[]> {
  await eventually(
    `both pods of ${set} are Ready`,
    async () => dig(await cluster.get(set, kinds.StatefulSet), 'status', 'readyReplicas') === 2,
  );
  const pods = await Promise.all([`${set}-0`, `${set}-1`].map(cluster.running));
  const urls = pods.map((pod) => `http://${dig(pod, 'status', 'podIP')}:9090/`);
  const told = await Promise.all(urls.map(async (url) => (await fetch(url)).text()));
  return told.map((text, at) => {
    const podIP = asString(dig(pods[at], 'status', 'podIP')) ?? '';
    return text.replaceAll(podIP, 'POD_IP');
  });
}

async function scaleTo(set: string, replicas: number): Promise<void> {
  const ref = { namespace: 'default', name: set };
  await cluster.api.patch(kinds.StatefulSet, ref, { type: 'merge', body: { spec: { replicas } } });
}

describe.each(['mounting', 'mapping'])('on a node that is %s volumes', (node) => {
  it.each([
    { family: 'v4', listen: "listen(9090, '0.0.0.0')", at: 'POD_IP' },
    { family: 'both', listen: 'listen(9090)', at: '::ffff:POD_IP' },
  ])('two replicas that listen on $listen answer at their own addresses', async (row) => {
    const name = `${node}-${row.family}`;
    const labels = { app: name };
    const main = {
      name: 'main',
      image: 'debian',
      command: ['node', '-e', answering(row.listen)],
      readinessProbe: { httpGet: { port: 9090 }, periodSeconds: 1, timeoutSeconds: 60 },
      // A volume hides the folder that the playground keeps its programs in.
      volumeMounts: [{ name: 'home', mountPath: process.env['HOME'] ?? '/root' }],
    };
    const template = {
      metadata: { labels },
      spec: {
        nodeSelector: onNode(node),
        terminationGracePeriodSeconds: 60,
        containers: [main],
        volumes: [{ name: 'home', emptyDir: {} }],
      },
    };
    await cluster.create(kinds.StatefulSet, name, {
      spec: {
        replicas: 2,
        podManagementPolicy: 'Parallel',
        selector: { matchLabels: labels },
        template,
      },
    });
    expect(await answersOf(name)).toEqual([`${name}-0 ${row.at}`, `${name}-1 ${row.at}`]);
    await scaleTo(name, 0);
    await eventually('both have ended', async () => !(await cluster.exists(`${name}-1`)));
    const events = await cluster.eventsOf(`${name}-1`);
    expect(events.map(({ reason }) => reason)).not.toContain('BackOff');
  });

  it("a program's exit code, signal and descriptors are its own", async () => {
    const once = (name: string, script: string): Promise<unknown> =>
      cluster.pod(`${node}-${name}`, {
        restartPolicy: 'Never',
        nodeSelector: onNode(node),
        containers: [sh(script)],
      });
    await once('seven', 'ls /proc/self/fd | wc -l; exit 7');
    await once('aborted', 'kill -ABRT $$$$');
    const seven = await cluster.phase(`${node}-seven`, 'Failed');
    expect(container(seven)).toMatchObject({ state: { terminated: { exitCode: 7 } } });
    // Input, output, errors, and the folder that ls reads.
    expect(await cluster.logs(`${node}-seven`)).toBe('4\n');
    const aborted = await cluster.phase(`${node}-aborted`, 'Failed');
    expect(container(aborted)).toMatchObject({
      state: { terminated: { exitCode: 134, signal: 6 } },
    });
  });

  it('a program that does not exist ends with StartError', async () => {
    await cluster.pod(`${node}-typo`, {
      restartPolicy: 'Never',
      nodeSelector: onNode(node),
      containers: [{ name: 'main', image: 'busybox', command: ['no-such-program'] }],
    });
    const pod = await cluster.phase(`${node}-typo`, 'Failed');
    expect(container(pod)).toMatchObject({
      state: { terminated: { exitCode: 128, reason: 'StartError' } },
    });
    expect(JSON.stringify(container(pod))).toContain('no-such-program');
  });

  it('SIGTERM ends a pod gracefully, and no process is left', async () => {
    const name = `${node}-polite`;
    const gate = cluster.gate(name);
    await cluster.pod(name, {
      terminationGracePeriodSeconds: 60,
      nodeSelector: onNode(node),
      containers: [
        sh(`trap 'touch ${gate.file}; exit 0' TERM; echo set; while :; do sleep 0.1; done`),
      ],
    });
    await cluster.running(name);
    await eventually('the trap is set', async () => (await cluster.logs(name)) === 'set\n');
    const roots = nodes[node]?.pods.filter((pod) => pod.name === name) ?? [];
    const family = familyOf(new Set(roots.flatMap(({ pids }) => pids)), listProcesses());
    expect(family.map(({ pid }) => commandLineOf(pid)).join('\n')).toContain('trap');
    await cluster.delete(name);
    await eventually('it has ended', async () => !(await cluster.exists(name)));
    await cluster.event(name, 'Started');
    const left = new Set(family.map(({ pid }) => pid));
    expect(listProcesses().filter(({ pid }) => left.has(pid))).toEqual([]);
    gate.shut();
  });
});

it('no node had to retry a request', () => {
  expect(cluster.troubles).toEqual([]);
});
