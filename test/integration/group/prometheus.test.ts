// Does a metric size groups on a real API server, and does nothing happen when it is lost?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { eventually } from '../../support/processes.ts';
import { type Group, makeGroup } from '../support/group.ts';
import { type MetricsServer, serveMetrics, valueIs } from '../support/metrics-server.ts';
import { Swarm } from '../support/swarm.ts';

let swarm: Swarm;
let source: MetricsServer;
let operator: OperatorProcess;

const start = (): Promise<OperatorProcess> =>
  swarm.operator('--leader-election', 'false', '--metric-sources-file', source.file);

beforeAll(async () => {
  swarm = await Swarm.start();
  source = await serveMetrics(['load', 'same-a', 'same-b', 'lost', 'restart', 'quiet']);
  operator = await start();
});

afterAll(async () => {
  await swarm?.stop();
  await source?.close();
});

const members = ['a', 'b'].map((name) => ({ kind: 'Deployment', name }));

/** Each group has a query of its own, unless `metric` names one. */
const groupOf = (namespace: string, metric: object = {}): Promise<Group> =>
  makeGroup(swarm, namespace, {
    members: { a: {}, b: {} },
    spec: {
      members,
      policy: {
        type: 'Prometheus',
        periodSeconds: 5,
        maxReplicas: 6,
        prometheus: { query: namespace, target: '100', scaleDownAfterSeconds: 0, ...metric },
      },
    },
  });

const values = new Map<string, number>();

const wellAnswered = (query: string) => valueIs(values.get(query) ?? 100);

function sets(query: string, value: number): void {
  values.set(query, value);
  source.answer = wellAnswered;
}

const metricsOf = async (group: Group) => {
  const { status, reason, message } = (await group.condition('MetricsAvailable')) ?? {};
  return { status, reason, message };
};

const untilReason = (group: Group, reason: string) =>
  group.until(`says ${reason}`, ({ conditions = [] }) =>
    conditions.some((it) => it.type === 'MetricsAvailable' && it.reason === reason),
  );

describe('policy Prometheus', () => {
  it('policy Prometheus follows the metric, up and down, within its bounds', async () => {
    sets('load', 250);
    const group = await groupOf('load');
    await group.atSize(3);
    sets('load', 420);
    const { transition } = await group.atSize(5);
    expect(transition).toMatchObject({ reason: 'MetricAboveTarget', from: 3, to: 5 });
    sets('load', 9_000);
    await group.atSize(6);
    expect(await group.condition('Limited')).toMatchObject({ status: 'True', reason: 'AtMaximum' });
    sets('load', 110);
    await group.atSize(2);
    await expect(group.kubectl('scale', 'swarmgroup/shop', '--replicas=3')).rejects.toThrow(
      'replicas is for policy.type Manual',
    );
  });

  it('groups with the same query share one request', async () => {
    sets('shared', 200);
    const query = { query: 'shared' };
    const groups = [await groupOf('same-a', query), await groupOf('same-b', query)];
    await Promise.all(groups.map((group) => group.atSize(2)));
    const asked = (): number => source.queries.filter((it) => it === 'shared').length;
    const [before, beganAt] = [asked(), Date.now()];
    await eventually('it was asked three times more', async () => asked() >= before + 3);
    // With a request for each group there would be twice as many already.
    const periods = (Date.now() - beganAt) / 5_000;
    expect(asked() - before).toBeLessThanOrEqual(Math.ceil(periods) + 1);
  });

  it.each<[string, string, MetricsServer['answer']]>([
    ['is away', 'MetricSourceUnreachable', () => undefined],
    ['answers as of a day ago', 'MetricStale', () => valueIs(100, 86_400)],
    ['says too much', 'MetricAnswerTooLong', () => ({ body: 'x'.repeat(10_000_000) })],
    [
      'refuses the query',
      'MetricQueryWrong',
      () => ({ status: 400, body: '{"status":"error","errorType":"bad_data","error":"no"}' }),
    ],
  ])('a group keeps its size when the source %s, and says %s', async (_, reason, answer) => {
    const group = lost ?? (await groupOf('lost'));
    lost = group;
    sets('lost', 300);
    await group.atSize(3);
    await untilReason(group, 'MetricAvailable');
    source.answer = (query) => (query === 'lost' ? answer(query) : wellAnswered(query));
    const { replicas } = await untilReason(group, reason);
    expect(replicas).toBe(3);
    expect(await group.condition('Ready')).toMatchObject({ status: 'True' });
    const [status, events] = [
      JSON.stringify(await group.status()),
      await group.kubectl('get', 'events'),
    ];
    expect(events).toContain(`${reason}: `);
    for (const text of [status, events, swarm.logs()]) {
      expect(text).not.toContain(source.token);
      expect(text).not.toContain('hunter2');
      expect(text).not.toContain(source.address);
    }
  });
  let lost: Group | undefined;

  it('a source is not queried for namespaces that the administrator has not named', async () => {
    const group = await groupOf('stranger');
    await untilReason(group, 'MetricSourceUnknown');
    expect(await metricsOf(group)).toMatchObject({
      status: 'False',
      message: expect.stringContaining('this namespace has no metric source "default"'),
    });
    expect(await group.condition('Ready')).toMatchObject({ reason: 'MetricMissing' });
    expect(source.queries).not.toContain('stranger');
    expect(await group.replicas('Deployment', 'a')).toBe(1);
  });

  it('a group writes nothing while its size fits the metric', async () => {
    sets('quiet', 200);
    const group = await groupOf('quiet');
    await group.atSize(2);
    const version = async () =>
      (await swarm.api.get(kinds.SwarmGroup, { namespace: 'quiet', name: 'shop' })).metadata
        .resourceVersion;
    const asked = (): number => source.queries.filter((it) => it === 'quiet').length;
    const period = async (): Promise<void> => {
      const before = asked();
      await eventually('it is asked again', async () => asked() > before);
    };
    await group.until('says so', ({ proposal }) => proposal?.reason === 'WithinTolerance');
    const before = await version();
    for (const value of [199, 215, 185]) {
      sets('quiet', value);
      await period();
    }
    await period();
    expect(await version()).toBe(before);
  });

  it('a group keeps its size over a restart of the operator while the source is away', async () => {
    sets('restart', 400);
    const group = await groupOf('restart');
    await group.atSize(4);
    source.answer = () => undefined;
    await operator.end();
    operator = await start();
    const { replicas } = await untilReason(group, 'MetricSourceUnreachable');
    expect(replicas).toBe(4);
    sets('restart', 520);
    await group.atSize(6);
  });
});
