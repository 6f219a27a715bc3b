// What happens to a pod's containers? Restarts, probes, the order of their start, their end.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { asNumber, dig } from '../../../../src/api/objects.ts';
import type { PlaygroundNode } from '../../../../src/playground/node/node.ts';
import { familyOf, listProcesses } from '../../../../src/playground/processes/processes.ts';
import { eventually, living } from '../../../support/processes.ts';
import {
  asking,
  Cluster,
  condition,
  container,
  forever,
  restarts,
  sh,
  untilOpen,
  waiting,
} from './cluster.ts';

let cluster: Cluster;
let node: PlaygroundNode;

beforeAll(async () => {
  cluster = await Cluster.start();
  node = await cluster.node('alpha');
});

afterAll(async () => {
  await cluster?.stop();
});

/** All processes of a pod, also grandchildren. */
function processesOf(name: string): number[] {
  const roots = new Set(node.pods.filter((pod) => pod.name === name).flatMap(({ pids }) => pids));
  return familyOf(roots, listProcesses()).map(({ pid }) => pid);
}

const scratch = { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] };
const volumes = [{ name: 'scratch', emptyDir: {} }];

/** Becomes Ready once its SIGTERM handler is set. */
const onTerm = (action: string) => ({
  ...sh(`trap "${action}" TERM; touch /scratch/ready; while :; do sleep 0.1; done`),
  ...scratch,
  readinessProbe: asking('test', '-e', '/scratch/ready'),
});

describe('a container that crashes', () => {
  it('a container that crashes is restarted with a growing back-off, and reports CrashLoopBackOff', async () => {
    await cluster.pod('crasher', { containers: [sh('echo run; exit 3')] });
    const pod = await cluster.when(
      'crasher',
      'waits after some crashes',
      (each) => restarts(each) >= 2 && waiting(each) === 'CrashLoopBackOff',
    );
    expect(container(pod)).toMatchObject({
      ready: false,
      lastState: { terminated: { exitCode: 3, reason: 'Error' } },
    });
    expect(dig(pod, 'status', 'phase')).toBe('Running');
    expect(await cluster.event('crasher', 'BackOff')).toBe(
      'Back-off restarting failed container main',
    );
    // Now and then it runs for a moment.
    const table = (): Promise<string> => cluster.kubectl('get', 'pod', 'crasher');
    await eventually('kubectl shows that it waits', async () =>
      /crasher +0\/1 +CrashLoopBackOff +\d/.test(await table()),
    );
  });

  it('a crashed container is not restarted with restartPolicy Never, and its pod is Failed', async () => {
    await cluster.pod('once', {
      restartPolicy: 'Never',
      containers: [sh('echo "this is why" >&2; exit 7')].map((main) => ({
        ...main,
        terminationMessagePolicy: 'FallbackToLogsOnError',
      })),
    });
    const pod = await cluster.phase('once', 'Failed');
    expect(container(pod)).toMatchObject({
      restartCount: 0,
      state: { terminated: { exitCode: 7, message: 'this is why' } },
    });
  });

  it('a container reports StartError when its program does not exist', async () => {
    await cluster.pod('typo', {
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: 'busybox', command: ['no-such-program'] }],
    });
    const pod = await cluster.phase('typo', 'Failed');
    expect(container(pod)).toMatchObject({
      state: { terminated: { exitCode: 128, reason: 'StartError' } },
    });
    expect(JSON.stringify(container(pod))).toContain('executable file not found in $PATH');
  });
});

describe('probes', () => {
  it('a readiness probe changes readiness without a restart', async () => {
    const gate = cluster.gate('moody');
    gate.open();
    const readinessProbe = { ...asking('test', '-e', gate.file), failureThreshold: 1 };
    await cluster.pod('moody', { containers: [{ ...sh(forever), readinessProbe }] });
    await cluster.running('moody');
    gate.shut();
    const pod = await cluster.when(
      'moody',
      'is not Ready any more',
      (each) => condition(each, 'Ready') === 'False',
    );
    expect(restarts(pod)).toBe(0);
    expect(await cluster.event('moody', 'Unhealthy')).toMatch(/^Readiness probe failed/);
  });

  it('a failing liveness probe restarts its container', async () => {
    const main = {
      ...sh(forever),
      livenessProbe: { tcpSocket: { port: 9 }, periodSeconds: 1, failureThreshold: 1 },
    };
    await cluster.pod('dead', { containers: [main] });
    await cluster.when('dead', 'is restarted', (pod) => restarts(pod) >= 1);
    expect(await cluster.event('dead', 'Killing')).toBe(
      'Container main failed liveness probe, will be restarted',
    );
  });

  it('other probes start after the startup probe has succeeded', async () => {
    const gate = cluster.gate('slow');
    const probe = asking('test', '-e', gate.file);
    const main = {
      ...sh(forever),
      startupProbe: { ...probe, failureThreshold: 600 },
      livenessProbe: { ...probe, failureThreshold: 1 },
    };
    await cluster.pod('slow', { containers: [main] });
    await cluster.event('slow', 'Unhealthy');
    const pod = await cluster.when(
      'slow',
      'runs',
      (each) => dig(container(each), 'state', 'running') !== undefined,
    );
    expect(container(pod)).toMatchObject({ started: false, ready: false });
    gate.open();
    expect(restarts(await cluster.running('slow'))).toBe(0);
  });
});

describe('init containers', () => {
  it('init containers run in order, with a sidecar until the end of the pod', async () => {
    const say = (word: string) => `echo ${word} >> /scratch/order`;
    const initContainers = [
      { ...sh(`sleep 0.3; ${say('first')}`), name: 'first', ...scratch },
      {
        ...sh(
          `${say('sidecar')}; trap "${say('ended')}; exit 0" TERM; while :; do sleep 0.1; done`,
        ),
        name: 'sidecar',
        restartPolicy: 'Always',
        ...scratch,
      },
      { ...sh(say('second')), name: 'second', ...scratch },
    ];
    await cluster.pod('ordered', {
      restartPolicy: 'Never',
      initContainers,
      containers: [{ ...sh(`sleep 0.5; ${say('main')}; cat /scratch/order`), ...scratch }],
      volumes,
    });
    const pod = await cluster.phase('ordered', 'Succeeded');
    expect(
      (await cluster.kubectl('logs', 'ordered', '-c', 'main'))
        .split('\n')
        .filter((word) => word !== 'sidecar'),
    ).toEqual(['first', 'second', 'main', '']);
    expect(container(pod, 'initContainerStatuses')).toMatchObject({
      name: 'first',
      state: { terminated: { reason: 'Completed' } },
    });
    expect(living(processesOf('ordered'))).toEqual([]);
  });

  it('main containers wait while an init container fails', async () => {
    await cluster.pod('stuck', {
      initContainers: [{ ...sh('exit 1'), name: 'first' }],
      containers: [sh(forever)],
    });
    const pod = await cluster.when(
      'stuck',
      'waits',
      (each) =>
        dig(container(each, 'initContainerStatuses'), 'state', 'waiting', 'reason') ===
        'CrashLoopBackOff',
    );
    expect(waiting(pod)).toBe('PodInitializing');
    expect(dig(pod, 'status', 'phase')).toBe('Pending');
  });
});

describe('the end of a pod', () => {
  it('a pod that ends gets SIGTERM, and its object is deleted when all processes have ended', async () => {
    const gate = cluster.gate('polite');
    await cluster.pod('polite', {
      terminationGracePeriodSeconds: 600,
      containers: [onTerm(`${untilOpen(gate)}; exit 0`)],
      volumes,
    });
    await cluster.running('polite');
    const pids = processesOf('polite');
    await cluster.delete('polite');
    await cluster.when('polite', 'is not Ready', (pod) => condition(pod, 'Ready') === 'False');
    expect(living(pids)).not.toEqual([]);
    gate.open();
    await eventually('its object is deleted', async () => !(await cluster.exists('polite')));
    expect(living(pids)).toEqual([]);
  });

  it('a pod gets SIGKILL after the grace period, also its processes in other sessions', async () => {
    await cluster.pod('stubborn', {
      terminationGracePeriodSeconds: 1,
      containers: [
        sh(
          'trap "" TERM; setsid sleep 300 & setsid sh -c "sleep 301 & sleep 302" & while :; do sleep 0.1; done',
        ),
      ],
    });
    await cluster.running('stubborn');
    await eventually('all run', () => processesOf('stubborn').length >= 5);
    const pids = processesOf('stubborn');
    const askedAt = performance.now();
    await cluster.delete('stubborn');
    await eventually('its object is deleted', async () => !(await cluster.exists('stubborn')));
    expect(performance.now() - askedAt).toBeGreaterThan(950);
    expect(living(pids)).toEqual([]);
  });

  it('a pod that ends waits for its preStop hook', async () => {
    const main = {
      ...onTerm('exec cat /scratch/hook'),
      lifecycle: {
        preStop: { exec: { command: ['sh', '-c', 'sleep 0.3; echo hooked > /scratch/hook'] } },
      },
    };
    await cluster.pod(
      'hooked',
      { terminationGracePeriodSeconds: 600, containers: [main], volumes, restartPolicy: 'Never' },
      { finalizers: ['k8slab.info/test'] },
    );
    await cluster.running('hooked');
    await cluster.delete('hooked');
    await cluster.phase('hooked', 'Succeeded');
    await cluster.api.patch(
      kinds.Pod,
      { namespace: 'default', name: 'hooked' },
      { type: 'merge', body: { metadata: { finalizers: null } } },
    );
  });

  it('the forced deletion of its object ends a pod', async () => {
    await cluster.pod('forced', { containers: [onTerm('')], volumes });
    await cluster.running('forced');
    const pids = processesOf('forced');
    await cluster.delete('forced', 0);
    expect(await cluster.exists('forced')).toBe(false);
    await cluster.pod('forced', { containers: [sh(forever)] });
    expect((await cluster.running('forced')).metadata.uid).toBeDefined();
    await eventually('the old processes are gone', () => living(pids).length === 0);
    expect(processesOf('forced').length).toBeGreaterThan(0);
  });

  it('a pod ends at its active deadline', async () => {
    await cluster.pod('late', { activeDeadlineSeconds: 1, containers: [sh(forever)] });
    const pod = await cluster.phase('late', 'Failed');
    expect(dig(pod, 'status', 'reason')).toBe('DeadlineExceeded');
  });

  it('an eviction ends a pod', async () => {
    const pod = await cluster.pod('evicted', { containers: [sh(forever)] });
    await cluster.running('evicted');
    await cluster.api.evict({ namespace: 'default', name: 'evicted', uid: pod.metadata.uid ?? '' });
    await eventually('its object is deleted', async () => !(await cluster.exists('evicted')));
  });
});

describe('workloads', () => {
  const template = (main: object) => ({
    metadata: { labels: { app: 'web' } },
    spec: { terminationGracePeriodSeconds: 1, containers: [main] },
  });

  it('a StatefulSet of three starts in order, and kubectl shows it', async () => {
    const spec = {
      replicas: 3,
      serviceName: 'web',
      selector: { matchLabels: { app: 'web' } },
      template: template({ ...sh(forever), readinessProbe: asking('true') }),
    };
    await cluster.create(kinds.StatefulSet, 'web', { spec });
    await eventually(
      'three are Ready',
      async () => dig(await cluster.get('web', kinds.StatefulSet), 'status', 'readyReplicas') === 3,
    );
    const table = await cluster.kubectl('get', 'pods', '-l', 'app=web', '-o', 'wide');
    for (const index of [0, 1, 2])
      expect(table).toMatch(
        new RegExp(`web-${index} +1/1 +Running +0 +\\S+ +127\\.[\\d.]+ +alpha`),
      );
    expect(await cluster.kubectl('get', 'statefulset', 'web')).toMatch(/web +3\/3/);
  });

  it('an Indexed Job runs to completion', async () => {
    const Job = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };
    const spec = {
      completions: 2,
      parallelism: 2,
      completionMode: 'Indexed',
      template: {
        spec: { restartPolicy: 'Never', containers: [sh('echo $JOB_COMPLETION_INDEX')] },
      },
    };
    await cluster.create(Job, 'batch', { spec });
    await eventually(
      'the job succeeds',
      async () => asNumber(dig(await cluster.get('batch', Job), 'status', 'succeeded')) === 2,
    );
  });
});

it('no node had to retry a request', () => {
  expect(cluster.troubles).toEqual([]);
});
