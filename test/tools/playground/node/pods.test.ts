// What does a pod get on the playground's node? Environment, volumes, addresses, logs.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../../../../src/api/objects.ts';
import type { PlaygroundNode } from '../../../../src/playground/node/node.ts';
import { eventually } from '../../../support/processes.ts';
import { Cluster, forever, sh, untilOpen, waiting } from './cluster.ts';

let cluster: Cluster;
let node: PlaygroundNode;
beforeAll(async () => {
  cluster = await Cluster.start();
  node = await cluster.node('alpha', { configMapPeriodMs: 3_600_000 });
  await cluster.create(kinds.ConfigMap, 'settings', {
    data: { COLOR: 'red', 'config.yml': 'version: 1' },
  });
  await cluster.create(kinds.Secret, 'password', { stringData: { key: 'hunter2' } });
});

afterAll(async () => {
  await cluster?.stop();
});

describe('a pod', () => {
  it('a pod gets its environment from every source', async () => {
    const keyRef = (kind: string, name: string, key: string, optional = false) => ({
      valueFrom: { [`${kind}KeyRef`]: { name, key, optional } },
    });
    const field = (fieldPath: string) => ({ valueFrom: { fieldRef: { fieldPath } } });
    const env = [
      { name: 'PLAIN', value: 'plain' },
      { name: 'EXPANDED', value: '$(PLAIN)-$(P_COLOR)-$$(PLAIN)-$(NONE)' },
      { name: 'FROM_MAP', ...keyRef('configMap', 'settings', 'COLOR') },
      { name: 'FROM_SECRET', ...keyRef('secret', 'password', 'key') },
      { name: 'OPTIONAL', ...keyRef('secret', 'none', 'key', true) },
      { name: 'NAME', ...field('metadata.name') },
      { name: 'TEAM', ...field("metadata.labels['team']") },
      { name: 'NODE', ...field('spec.nodeName') },
      { name: 'IP', ...field('status.podIP') },
      { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1m' } } },
    ];
    const main = {
      ...sh('env | sort; echo "arguments $0 $1"'),
      args: ['$(PLAIN)', '$(NAME)'],
      env,
      envFrom: [{ prefix: 'P_', configMapRef: { name: 'settings' } }],
      resources: { limits: { cpu: '250m' } },
    };
    await cluster.pod(
      'environment',
      { restartPolicy: 'Never', containers: [main] },
      { labels: { team: 'tv' } },
    );
    const pod = await cluster.phase('environment', 'Succeeded');
    const log = await cluster.logs('environment');
    const ip = asString(dig(pod, 'status', 'podIP')) ?? '';
    for (const line of [
      'EXPANDED=plain-red-$(PLAIN)-$(NONE)',
      'FROM_MAP=red',
      'FROM_SECRET=hunter2',
      'NAME=environment',
      'TEAM=tv',
      'NODE=alpha',
      `IP=${ip}`,
      `POD_IP=${ip}`,
      'CPU=250',
      'HOSTNAME=environment',
      'P_COLOR=red',
      'arguments plain environment',
    ]) {
      expect(log.split('\n')).toContain(line);
    }
    expect(log).not.toMatch(/^(OPTIONAL|NODE_OPTIONS|JEST_WORKER_ID)=/m);
    expect(ip).toMatch(/^127\.(?!0\.)\d+\.\d+\.\d+$/);
  });

  it('a pod has its volumes at mount paths that do not exist on this machine', async () => {
    const script =
      'ls /config/deep /data; cat /config/deep/config.yml /etc/single; touch /config/deep/x; echo mine > /data/sub/file; touch /etc/written; hostname; exit 0';
    const main = {
      ...sh(script),
      volumeMounts: [
        { name: 'map', mountPath: '/config/deep', readOnly: true },
        { name: 'map', mountPath: '/etc/single', subPath: 'config.yml' },
        { name: 'scratch', mountPath: '/data' },
        { name: 'scratch', mountPath: '/data/sub', subPath: 'below' },
      ],
    };
    const volumes = [
      { name: 'map', configMap: { name: 'settings' } },
      { name: 'scratch', emptyDir: {} },
    ];
    await cluster.pod('paths', { restartPolicy: 'Never', containers: [main], volumes });
    await cluster.phase('paths', 'Succeeded');
    const log = await cluster.logs('paths');
    expect(log).toContain('/config/deep:\nCOLOR\nconfig.yml');
    expect(log).toContain('version: 1version: 1');
    expect(log).toContain("cannot touch '/config/deep/x': Read-only file system");
    expect(log).toMatch(/paths$/m);
    for (const left of ['/config', '/data', '/etc/single', '/etc/written'])
      expect(existsSync(left)).toBe(false);
  });

  it('a pod calls the API server with its own token, like any in-cluster client', async () => {
    const client = [
      `import { KubeConfig, CoreV1Api } from '${import.meta.resolve('@kubernetes/client-node')}';`,
      'const config = new KubeConfig(); config.loadFromCluster();',
      "try { await config.makeApiClient(CoreV1Api).readNamespacedPod({ namespace: 'default', name: 'none' }); } catch (error) { console.log(error.code, String(error.body)); }",
    ].join('\n');
    const main = {
      name: 'main',
      image: 'busybox',
      command: ['node', '--input-type=module', '-e', client],
    };
    await cluster.pod('client', { restartPolicy: 'Never', containers: [main] });
    await cluster.phase('client', 'Succeeded');
    expect(await cluster.logs('client')).toMatch(/^403 .*system:serviceaccount:default:default/);
  });

  it('a pod runs as its user, with access to its volumes, in a new working directory', async () => {
    const main = {
      ...sh('id -u; id -G; touch /data/mine && stat -c %g /data/mine; pwd'),
      workingDir: '/srv/not-there/app',
      volumeMounts: [{ name: 'scratch', mountPath: '/data' }],
    };
    const securityContext = { runAsUser: 4711, runAsGroup: 4712, fsGroup: 4713 };
    await cluster.pod('user', {
      restartPolicy: 'Never',
      securityContext,
      containers: [main],
      volumes: [{ name: 'scratch', emptyDir: {} }],
    });
    await cluster.phase('user', 'Succeeded');
    expect(await cluster.logs('user')).toBe('4711\n4712 4713\n4713\n/srv/not-there/app\n');
  });

  it('a pod shares a port with another pod, each at its own address', async () => {
    const server =
      "require('node:http').createServer((q, r) => r.end(process.env.HOSTNAME)).listen(9090, process.env.POD_IP)";
    const main = {
      name: 'main',
      image: 'busybox',
      command: ['node', '-e', server],
      ports: [{ name: 'web', containerPort: 9090 }],
      readinessProbe: { httpGet: { port: 'web', path: '/' }, periodSeconds: 1, timeoutSeconds: 60 },
    };
    const names = ['left', 'right'];
    await Promise.all(names.map((name) => cluster.pod(name, { containers: [main] })));
    const pods = await Promise.all(names.map(cluster.running));
    const answers = pods.map(async (pod) =>
      (await fetch(`http://${dig(pod, 'status', 'podIP')}:9090/`)).text(),
    );
    expect(await Promise.all(answers)).toEqual(names);
  });
});

describe('a mounted ConfigMap', () => {
  const volumes = [
    { name: 'map', configMap: { name: 'changing', optional: true } },
    {
      name: 'info',
      downwardAPI: {
        items: [
          {
            path: 'assigned',
            fieldRef: { fieldPath: "metadata.annotations['k8slab.info/assigned']" },
          },
        ],
      },
    },
  ];
  const main = {
    ...sh(forever),
    volumeMounts: [
      { name: 'map', mountPath: '/etc/changing' },
      { name: 'info', mountPath: '/etc/info' },
    ],
  };
  const change = (value: string): Promise<unknown> =>
    cluster.api.patch(
      kinds.ConfigMap,
      { namespace: 'default', name: 'changing' },
      { type: 'merge', body: { data: { value } } },
    );

  /** The contents of a file in a pod's volume, read on this machine. */
  const reader =
    ({ dir }: PlaygroundNode, pod: KubeObject) =>
    (volume: string, name: string) => {
      const file = path.join(dir, 'pods', pod.metadata.uid ?? '', 'volumes', volume, name);
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    };

  it('a mounted ConfigMap is updated at once when the pod is annotated', async () => {
    const read = reader(node, await cluster.pod('follower', { containers: [main], volumes }));
    await cluster.running('follower');
    expect(read('map', 'value')).toBe('');
    await cluster.create(kinds.ConfigMap, 'changing', { data: { value: 'one' } });
    await cluster.annotate('follower', { 'k8slab.info/assigned': 'first' }, 'status');
    await eventually(
      'the files follow',
      () => read('map', 'value') === 'one' && read('info', 'assigned') === 'first',
    );
  });

  it('a mounted ConfigMap is updated after the sync period', async () => {
    const beta = await cluster.node('beta', { configMapPeriodMs: 3_000, random: () => 0.5 });
    const madeAt = performance.now();
    const nodeSelector = { 'kubernetes.io/hostname': 'beta' };
    const read = reader(
      beta,
      await cluster.pod('slow-follower', { nodeSelector, containers: [main], volumes }),
    );
    await cluster.running('slow-follower');
    await change('two');
    await eventually('the file follows', () => read('map', 'value') === 'two');
    // With this random number, a quarter longer; the first sync was after the pod's creation.
    expect(performance.now() - madeAt).toBeGreaterThan(3_750);
    await beta.stop({ graceSeconds: 1 });
  });
});

describe('a pod with a missing object', () => {
  it('a pod starts when the ConfigMap of its volume exists', async () => {
    const main = { ...sh(forever), volumeMounts: [{ name: 'late', mountPath: '/etc/late' }] };
    await cluster.pod('patient', {
      containers: [main],
      volumes: [{ name: 'late', configMap: { name: 'late' } }],
    });
    expect(await cluster.event('patient', 'FailedMount')).toBe(
      'MountVolume.SetUp failed for volume "late" : configmap "late" not found',
    );
    await cluster.when('patient', 'waits', (pod) => waiting(pod) === 'ContainerCreating');
    await cluster.create(kinds.ConfigMap, 'late', { data: { a: 'b' } });
    await cluster.running('patient');
  });

  it('a pod reports a missing key with the message of a kubelet', async () => {
    const env = [
      { name: 'X', valueFrom: { configMapKeyRef: { name: 'settings', key: 'missing' } } },
    ];
    await cluster.pod('keyless', { containers: [{ ...sh(forever), env }] });
    const message = "couldn't find key missing in ConfigMap default/settings";
    const pod = await cluster.when(
      'keyless',
      'waits',
      (each) => waiting(each) === 'CreateContainerConfigError',
    );
    expect(JSON.stringify(pod['status'])).toContain(message);
  });

  it('a pod reports an unknown image with the known ones', async () => {
    await cluster.pod('unknown', {
      containers: [{ name: 'main', image: 'registry.example/nginx:1.27' }],
    });
    await cluster.when('unknown', 'backs off', (pod) =>
      JSON.stringify(pod['status']).includes('ImagePullBackOff'),
    );
    expect(await cluster.event('unknown', 'Failed')).toMatch(
      /nginx:1\.27.*knows the images alpine, busybox/,
    );
  });

  it('a pod reports a field that the node does not support', async () => {
    const volumes = [{ name: 'disk', hostPath: { path: '/' } }];
    await cluster.pod('disky', { containers: [sh(forever)], volumes, hostNetwork: true });
    await cluster.when('disky', 'waits', (pod) =>
      JSON.stringify(pod['status']).includes('spec.volumes[disk].hostPath'),
    );
    const note = 'the playground does not do this: spec.hostNetwork';
    expect(await cluster.event('disky', 'NotSupported', note)).toBe(note);
  });
});

describe('kubectl logs', () => {
  it('kubectl logs follows a container until its end', async () => {
    const gate = cluster.gate('talker');
    await cluster.pod('talker', {
      restartPolicy: 'Never',
      containers: [sh(`echo one; ${untilOpen(gate)}; echo two >&2; printf three`)],
    });
    await cluster.when('talker', 'has started', (pod) => dig(pod, 'status', 'phase') !== 'Pending');
    const child = spawn(cluster.plane.binaries.kubectl, [
      '--kubeconfig',
      cluster.plane.kubeconfig,
      'logs',
      '-f',
      'talker',
    ]);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const closed = once(child, 'close');
    await eventually('kubectl follows', () => output === 'one\n');
    gate.open();
    expect(await closed).toEqual([0, null]);
    expect(output).toBe('one\ntwo\nthree');
  });

  it('kubectl logs shows the tail, timestamps and the previous run', async () => {
    await cluster.pod('again', {
      restartPolicy: 'OnFailure',
      containers: [
        sh('[ -e /data/f ] && { echo second; exit 0; }; touch /data/f; seq 5; exit 3'),
      ].map((main) => ({
        ...main,
        volumeMounts: [{ name: 'd', mountPath: '/data' }],
      })),
      volumes: [{ name: 'd', emptyDir: {} }],
    });
    await cluster.phase('again', 'Succeeded');
    expect(await cluster.logs('again')).toBe('second\n');
    expect(await cluster.kubectl('logs', 'again', '--previous', '--tail', '2')).toBe('4\n5\n');
    expect(await cluster.kubectl('logs', 'again', '-c', 'main', '--timestamps')).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]+Z second\n$/,
    );
  });

  it('kubectl exec is refused with the reason', async () => {
    await expect(cluster.kubectl('exec', 'follower', '--', 'true')).rejects.toThrow(
      /not supported by the playground|501/,
    );
  });
});
