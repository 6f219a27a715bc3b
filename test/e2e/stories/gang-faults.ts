// What becomes of gangs when nodes are too small, drained or lost, and when the operator is killed?
// On real nodes.
import { expect, it } from '@jest/globals';
import { secondsSince } from '../../../bench/instruments/measure.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import { note, seconds } from '../figures.ts';
import { Jobs } from '../jobs.ts';
import { isReady, type World } from '../world.ts';

const namespace = 'faults';
const NODE = 'node-2';

const shell = (script: string): object => ({ command: ['sh', '-c', script] });
/** As a program that saves its work ends. */
const waits = shell('trap "exit 0" TERM; while :; do sleep 0.1; done');

export function gangFaults(world: () => World): void {
  const jobs = new Jobs(world, namespace, {
    image: 'python:3.13-slim',
    launcher: { start: 'Together' },
    backoffSeconds: 1,
  });
  const timed = async (name: string, story: () => Promise<unknown>): Promise<void> => {
    const start = performance.now();
    await story();
    note({ name: `gangs: ${name}`, value: seconds(secondsSince(start)) });
  };
  const attempt = (name: string, number: number): Promise<string> =>
    jobs.kubectl(
      ...['wait', `--for=jsonpath={.status.attempt}=${number}`, `swarmjob/${name}`],
      '--timeout=180s',
    );
  /** Of its pods that run. */
  const nodesOf = async (name: string): Promise<ReadonlySet<unknown>> =>
    new Set(
      (await jobs.podsOf(name))
        .filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined)
        .map((pod) => dig(pod, 'spec', 'nodeName')),
    );
  /** A node has room for one such pod. */
  const large = async (): Promise<object> => {
    const { items } = await world().api.list(kinds.Node, undefined);
    const cores = items.map((node) => Number(dig(node, 'status', 'allocatable', 'cpu')));
    return { requests: { cpu: `${Math.round(600 * Math.max(...cores))}m` } };
  };

  it('a gang larger than the nodes is given back whole, and the next one runs', async () => {
    await world().kubectl('create', 'namespace', namespace);
    await jobs.createQueue({ pods: '4' });
    await timed(
      'larger than the nodes, startTimeoutSeconds 5: until the next has run',
      async () => {
        const begun = 'echo begun >&2; exit 1';
        await jobs.create('large', {
          ...shell(begun),
          resources: await large(),
          startTimeoutSeconds: 5,
        });
        await jobs.create('next', { ...shell('true'), size: 2 });
        await jobs.is('next', 'Complete');
      },
    );
    // None of its ranks has ever begun.
    expect(await jobs.statusOf('large')).toMatchObject({ failures: { application: 0 } });
    await jobs.delete('large', 'next');
  });

  it('two gangs that would each half fit both run', async () => {
    await timed('two that half fit, startTimeoutSeconds 5: until both have run', async () => {
      const half = { ...shell('true'), resources: await large(), size: 2, startTimeoutSeconds: 5 };
      await Promise.all(['one', 'two'].map((name) => jobs.create(name, half)));
      await Promise.all(['one', 'two'].map((name) => jobs.is(name, 'Complete')));
    });
    await jobs.delete('one', 'two');
  });

  it('a rank that fails ends the gang, at once or late, while others hang', async () => {
    const failing = shell(
      '[ "$SWARM_RANK" != 2 ] || { sleep "$AFTER"; exit 7; }; exec sleep 100000',
    );
    const message = 'attempt 1 failed: rank 2 ended with exit code 7';
    for (const after of ['0', '3']) {
      const name = `fails-${after}`;
      const what = `rank 2 fails ${after} s after its start, others hang: until Failed`;
      await timed(what, async () => {
        const env = [{ name: 'AFTER', value: after }];
        const spec = { terminationGracePeriodSeconds: 1 };
        await jobs.create(name, { ...failing, env, template: { spec } });
        await jobs.is(name, 'Finished');
      });
      expect(await jobs.statusOf(name)).toMatchObject({ exitCode: 7, message });
      await jobs.delete(name);
    }
  });

  it('a gang is suspended, gives everything back, and starts anew', async () => {
    await jobs.create('rests', waits);
    await jobs.is('rests', 'Running');
    await timed('suspended until no pod is left', async () => {
      await jobs.suspend('rests', true);
      await jobs.is('rests', 'Suspended');
      await eventually('no pod is left', async () => (await jobs.podsOf('rests')).length === 0);
    });
    await timed('resumed until all ranks run', async () => {
      await jobs.suspend('rests', false);
      await jobs.is('rests', 'Running');
    });
    await jobs.delete('rests');
  });

  it('a drained node ends the attempt, and the next one runs on the other node', async () => {
    await jobs.create('moves', waits);
    await jobs.is('moves', 'Running');
    expect((await nodesOf('moves')).size).toBe(2);
    try {
      await timed('its node is drained: until the second attempt runs', async () => {
        await world().kubectl('cordon', NODE);
        for (const pod of await jobs.podsOf('moves')) await evictFromNode(pod);
        await attempt('moves', 2);
        await jobs.is('moves', 'Running');
      });
      expect((await nodesOf('moves')).has(NODE)).toBe(false);
    } finally {
      await world().kubectl('uncordon', NODE);
    }
    expect(await jobs.statusOf('moves')).toMatchObject({ failures: { disruption: 1 } });
    await jobs.delete('moves');
  });

  async function evictFromNode(pod: KubeObject): Promise<void> {
    const { name, uid = '' } = pod.metadata;
    if (asString(dig(pod, 'spec', 'nodeName')) === NODE)
      await world().api.evict({ namespace, name, uid });
  }

  it('no rank of a job with a lost node runs twice: it starts anew once the node is back', async () => {
    const tolerations = ['not-ready', 'unreachable'].map((taint) => ({
      ...{ key: `node.kubernetes.io/${taint}`, operator: 'Exists', effect: 'NoExecute' },
      tolerationSeconds: 1,
    }));
    await jobs.create('lost', { ...waits, template: { spec: { tolerations } } });
    await jobs.is('lost', 'Running');
    expect((await nodesOf('lost')).size).toBe(2);
    const node = world().cluster.nodes[1];
    try {
      await node?.silence();
      await timed('its node is lost: until Kubernetes deletes the ranks there', () =>
        eventually(
          'the ranks there are being deleted',
          async () => !(await nodesOf('lost')).has(NODE),
          180,
        ),
      );
      // The API server cannot know whether the processes on that node have ended.
      expect(await jobs.statusOf('lost')).toMatchObject({ state: 'Running', attempt: 1 });
      expect(await jobs.podsOf('lost')).toHaveLength(4);
    } finally {
      await node?.revive();
    }
    await timed('the lost node is back: until the second attempt runs', async () => {
      await attempt('lost', 2);
      await jobs.is('lost', 'Running');
    });
    await jobs.delete('lost');
  });

  it.each([
    ['created', 'right after it was created', async () => undefined],
    ['runs', 'once its ranks run', () => jobs.is('runs', 'Running')],
    [
      'ends',
      'while its ranks end',
      () =>
        eventually('a rank has ended', async () =>
          (await jobs.podsOf('ends')).some((pod) => dig(pod, 'status', 'phase') === 'Succeeded'),
        ),
    ],
  ])('the job %s does not notice that the operator is killed %s', async (name, when, until) => {
    await eventually(
      'two replicas are Ready',
      async () => (await world().operators()).filter(isReady).length === 2,
      180,
    );
    await timed(`the leading operator is killed ${when}: created until Complete`, async () => {
      await jobs.create(name, shell('sleep 2; echo rank $SWARM_RANK'));
      await until();
      await world().signal(await world().leadingPod(), 'SIGKILL');
      await jobs.is(name, 'Complete');
    });
    expect(await jobs.statusOf(name)).toMatchObject({ attempt: 1, exitCode: 0 });
    expect(await jobs.logsOf(name)).toEqual([0, 1, 2, 3].map((rank) => `rank ${rank}\n`));
    await jobs.delete(name);
  });

  it('the namespace of the faults is deleted', () => jobs.deleteNamespace());
}
