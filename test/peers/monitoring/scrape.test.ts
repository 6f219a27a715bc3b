// Does a real Prometheus scrape the metrics of operator and workers, and do rules and dashboard
// find theirs?
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { asList, asString, dig } from '../../../src/api/objects.ts';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { makeGroup } from '../../integration/support/group.ts';
import {
  type MetricsServer,
  serveMetrics,
  valueIs,
} from '../../integration/support/metrics-server.ts';
import type { Pool } from '../../integration/support/pool.ts';
import { names } from '../../integration/support/shape.ts';
import { Swarm } from '../../integration/support/swarm.ts';
import { eventually } from '../../support/processes.ts';
import { Prometheus, programs, type Target } from '../../support/prometheus.ts';
import { honorsLabels, panels, ruleFile, variables } from './manifests.ts';

const streams = names(12);
let swarm: Swarm;
let operator: OperatorProcess;
let pool: Pool;
let prometheus: Prometheus;
let source: MetricsServer;
let workers: readonly Target[] = [];

async function textOf(address: string): Promise<string> {
  const { statusCode, headers, body } = await request(`http://${address}/metrics`, { reset: true });
  expect(statusCode).toBe(200);
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
  return body.text();
}

const operatorAddress = (): string => `127.0.0.1:${operator.metricsPort}`;
const metricsIn = (text: string): readonly string[] =>
  [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name);

/** As in a dashboard, with all pools and groups selected. */
const filledIn = (query: string): string =>
  query
    .replaceAll(/\$(namespace|pool|group)\b/g, '.*')
    .replaceAll('$__rate_interval', '10m')
    .replaceAll('$__range', '10m');

beforeAll(async () => {
  if (programs === undefined) return;
  // The test restarts the API server, which refuses all requests until it has read its roles.
  swarm = await Swarm.start({ controlPlane: {}, keepsAudit: false });
  source = await serveMetrics(['shops']);
  source.answer = () => valueIs(100);
  operator = await swarm.operator('--metric-sources-file', source.file);
  const jobs = [
    {
      job: 'swarm-operator',
      honorLabels: honorsLabels,
      targets: () => [{ address: operatorAddress(), labels: { namespace: 'swarm-operator' } }],
    },
    { job: 'swarm-workers', honorLabels: false, targets: () => workers },
  ];
  prometheus = new Prometheus(jobs, ruleFile);
  await prometheus.start(programs, swarm.playground.guard);
  await eventually('Prometheus scrapes the operator', async () =>
    [...(await prometheus.query('up{job="swarm-operator"}')).values()].includes(1),
  );
  pool = await swarm.pool('live', { streams, workers: 2 });
  await pool.converged(streams, 2);
  workers = (await pool.pods()).map(({ metadata: { name }, status }) => ({
    address: `${asString(dig(status, 'podIP'))}:9090`,
    labels: { namespace: 'live', pod: name },
  }));
  prometheus.aim();
  await eventually('Prometheus sees the pool and its workers', async () => {
    const [seen, told] = [
      await prometheus.query('swarm_pool_converged == 1'),
      await prometheus.query('swarm_worker_streams'),
    ];
    return seen.size === 1 && told.size === 2;
  });
  await pool.scale(3);
  await pool.converged(streams, 3);
  await pool.streams([...streams, 'one-more']);
  await pool.converged([...streams, 'one-more'], 3);
  const prometheusPolicy = { query: 'load', target: '100' };
  const group = await makeGroup(swarm, 'shops', {
    members: { web: {}, cart: {} },
    spec: {
      members: ['web', 'cart'].map((name) => ({ kind: 'Deployment', name })),
      policy: {
        type: 'Prometheus',
        periodSeconds: 5,
        maxReplicas: 6,
        prometheus: prometheusPolicy,
      },
    },
  });
  // Its histograms have to be seen at zero first.
  await eventually('Prometheus sees the group', async () =>
    [...(await prometheus.query('swarm_group_metric_value')).values()].includes(100),
  );
  source.answer = () => valueIs(250);
  await group.atSize(3);
});

afterAll(async () => {
  await prometheus?.stop();
  await swarm?.stop();
  await source?.close();
});

(programs === undefined ? describe.skip : describe)('a Prometheus', () => {
  it('Prometheus finds the pool under its own namespace, with its numbers', async () => {
    // All values of one scrape: a target that times out has none until the next one.
    let figures: Record<string, number> = {};
    await eventually('Prometheus sees the last change', async () => {
      const seen = await prometheus.query('{namespace="live",pool="tv"} or swarm_operator_leader');
      figures = Object.fromEntries(
        [...seen].map(([labels, value]) => [JSON.parse(labels).__name__, value]),
      );
      return figures['swarm_pool_streams'] === 13 && figures['swarm_pool_converged'] === 1;
    });
    const { history = [], version } = (await pool.status()) ?? {};
    expect(figures).toMatchObject({
      swarm_pool_workers_desired: 3,
      swarm_pool_workers_converged: 3,
      swarm_pool_streams_without_owner: 0,
      // From 6 and 6 streams to 4, 4 and 4; another worker moves none.
      swarm_pool_moves_total: 4,
      swarm_pool_version: version,
      swarm_pool_changes_total: history.length,
      swarm_operator_leader: 1,
    });
    expect(figures['swarm_pool_convergence_seconds_count']).toBeGreaterThanOrEqual(2);
  });

  it('Prometheus finds the group under its own namespace, with its size, metric and transition', async () => {
    let figures: Record<string, number> = {};
    await eventually('Prometheus sees that it is ready', async () => {
      const seen = await prometheus.query('{namespace="shops",group="shop"}');
      figures = Object.fromEntries(
        [...seen].map(([labels, value]) => {
          const { __name__: name, outcome, reason } = JSON.parse(labels);
          return [[name, outcome ?? reason].filter((it) => it !== undefined).join(' '), value];
        }),
      );
      return figures['swarm_group_size'] === 3 && figures['swarm_group_ready'] === 1;
    });
    expect(figures).toMatchObject({
      swarm_group_size: 3,
      swarm_group_size_wanted: 3,
      swarm_group_metric_value: 250,
      swarm_group_metric_target: 100,
      'swarm_group_reason AllReady': 1,
      'swarm_group_transitions_total Completed': 1,
      'swarm_group_transition_failures_total Other': 0,
    });
  });

  it('Prometheus sees watches break when the API server goes away', async () => {
    await swarm.playground.plane.restart(['apiServer']);
    await eventually(
      'all watches were opened again',
      async () => (await prometheus.query('swarm_operator_watch_restarts_total')).size >= 7,
    );
    await eventually(
      'the operator decides about the pool',
      async () => [...(await prometheus.query('swarm_pool_converged')).values()].includes(1),
      60,
    );
  });

  it('Prometheus counts every write by verb, resource and result', async () => {
    const wanted = [
      { resource: 'configmaps', result: '200', verb: 'patch' },
      { resource: 'configmaps', result: '201', verb: 'create' },
      { resource: 'swarmpools/status', result: '200', verb: 'update' },
    ];
    const writes =
      'sum by (verb, resource, result) (swarm_operator_api_requests_total{verb!~"get|list|watch"})';
    await eventually('all kinds of writes were counted', async () => {
      const seen = await prometheus.query(writes);
      return wanted.every((write) => seen.has(JSON.stringify(write)));
    });
  });

  it('Prometheus gets no name of a stream, worker or pod from the operator', async () => {
    const text = await textOf(operatorAddress());
    const labels = new Set([...text.matchAll(/(\w+)="/g)].map(([, name]) => name));
    expect(
      [...labels].filter((name) => ['stream', 'worker', 'pod', 'uid'].includes(name ?? '')),
    ).toEqual([]);
    expect(text).not.toMatch(/one-more|worker-0/);
  });

  it('promtool accepts all names and types of metrics', async () => {
    if (programs === undefined) return;
    const ours = (await textOf(operatorAddress()))
      .split('\n')
      .filter((line) => /^(# \w+ )?swarm_/.test(line));
    const { stdout, stderr, status } = spawnSync(programs.promtool, ['check', 'metrics'], {
      input: `${ours.join('\n')}\n`,
      encoding: 'utf8',
    });
    expect({ stdout, stderr, status }).toEqual({ stdout: '', stderr: '', status: 0 });
  });

  it('Prometheus accepts every rule, and can evaluate each', async () => {
    let health: readonly unknown[] = [];
    await eventually('all were evaluated', async () => {
      const groups = asList(dig(await prometheus.ask('rules'), 'groups'));
      health = groups.flatMap((group) =>
        asList(dig(group, 'rules')).map((rule) => dig(rule, 'health')),
      );
      return !health.includes('unknown');
    });
    expect(new Set(health)).toEqual(new Set(['ok']));
  });

  it.each(panels.flatMap(({ title, queries }) => queries.map((query) => [title, query] as const)))(
    'Prometheus has data for %s: %s',
    async (_, query) => {
      const hasData = async (): Promise<boolean> =>
        [...(await prometheus.query(filledIn(query))).values()].some((it) => !Number.isNaN(it));
      await eventually(`data for ${filledIn(query)}`, hasData);
    },
  );

  const offered: Readonly<Record<string, readonly string[]>> = {
    namespace: ['live', 'shops'],
    pool: ['tv'],
    group: ['shop'],
  };

  it.each(variables)(
    'the dashboard offers values for the variable $name',
    async ({ series, label }) => {
      const data = asList(
        await prometheus.ask(`series?match[]=${encodeURIComponent(filledIn(series))}`),
      );
      expect(new Set(data.map((it) => dig(it, label)))).toEqual(new Set(offered[label]));
    },
  );
});

(programs === undefined ? describe.skip : describe)('docs/reference/metrics.md', () => {
  const told = [
    ...readFileSync(
      new URL('../../../docs/reference/metrics.md', import.meta.url),
      'utf8',
    ).matchAll(/^\| `(\w+)`/gm),
  ].map(([, name = '']) => name);

  it('the docs have every metric of the operator, and no unknown one', async () => {
    const served = metricsIn(await textOf(operatorAddress()));
    expect([...served].sort()).toEqual(
      told.filter((name) => !name.startsWith('swarm_worker_')).sort(),
    );
  });

  it('the docs have every metric of a worker', async () => {
    const served = metricsIn(await textOf(workers[0]?.address ?? ''));
    expect(served.length).toBeGreaterThan(0);
    expect(told).toEqual(expect.arrayContaining([...served]));
  });
});

(programs === undefined ? describe.skip : describe)('a pool that is deleted', () => {
  it('a pool that is deleted loses its metrics', async () => {
    await swarm.kubectl('-n', 'live', 'delete', 'swarmpool/tv');
    await eventually(
      'the operator has no metrics of it',
      async () => !(await textOf(operatorAddress())).includes('pool="tv"'),
    );
    await eventually(
      'Prometheus has none either',
      async () => (await prometheus.query('{__name__=~"swarm_pool_.+"}')).size === 0,
    );
  });
});
