// Does a group follow a real Prometheus, up and down, and keep its size while that cannot tell?
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { SwarmGroupStatus } from '../../../src/api/validate.ts';
import type { OperatorProcess } from '../../../src/playground/operator-process.ts';
import { type Group, makeGroup } from '../../integration/support/group.ts';
import { Swarm } from '../../integration/support/swarm.ts';
import { metricRequests } from '../../support/metric-requests.ts';
import { eventually } from '../../support/processes.ts';
import { Prometheus, programs } from '../../support/prometheus.ts';
import { ScrapedService } from '../../support/scraped-service.ts';

const RATE = 'sum(rate(requests_total[10s]))';
/** Without what was scraped too long ago, as the guide has it. */
const QUEUE = 'sum(queue_length and (time() - timestamp(queue_length) < 10))';
const PERIOD_SECONDS = 5;
/** The window of the rate and a period, as the guide says. */
const SCALE_DOWN_SECONDS = 15;
/** Requests a second; one unit of size is for 4. */
const [FEW, MANY] = [2, 10];

let folder: string;
let swarm: Swarm;
let operator: OperatorProcess;
let service: ScrapedService;
let prometheus: Prometheus;
let group: Group;

beforeAll(async () => {
  if (programs === undefined) return;
  folder = mkdtempSync(path.join(tmpdir(), 'swarm-peers-'));
  swarm = await Swarm.start();
  service = await ScrapedService.start();
  service.queueLength = 9;
  service.use(FEW);
  prometheus = new Prometheus([
    { job: 'shop', honorLabels: false, targets: () => [{ address: service.address }] },
    // Nothing listens there: one target of all is away.
    { job: 'away', honorLabels: false, targets: () => [{ address: '127.0.0.1:1' }] },
  ]);
  await prometheus.start(programs, swarm.playground.guard);
  const file = path.join(folder, 'sources.yaml');
  const source = { name: 'default', address: prometheus.url, namespaces: ['shop'] };
  writeFileSync(file, JSON.stringify({ sources: [source] }));
  operator = await swarm.operator('--leader-election', 'false', '--metric-sources-file', file);
  group = await makeGroup(swarm, 'shop', {
    members: { web: {}, db: {} },
    spec: {
      members: [
        { kind: 'Deployment', name: 'web', ratio: '2' },
        { kind: 'Deployment', name: 'db', maxReplicas: 2 },
      ],
      policy: {
        type: 'Prometheus',
        periodSeconds: PERIOD_SECONDS,
        maxReplicas: 6,
        prometheus: { query: RATE, target: '4', scaleDownAfterSeconds: SCALE_DOWN_SECONDS },
      },
    },
  });
});

afterAll(async () => {
  await prometheus?.stop();
  await service?.close();
  await swarm?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true });
});

const untilMetric = (reason: string): Promise<SwarmGroupStatus> =>
  group.until(`says ${reason}`, ({ conditions = [] }) =>
    conditions.some((it) => it.type === 'MetricsAvailable' && it.reason === reason),
  );

/** In spec.replicas of each member. */
const sizes = async (): Promise<readonly (number | undefined)[]> => [
  await group.replicas('Deployment', 'web'),
  await group.replicas('Deployment', 'db'),
];

const edit = (query: string): Promise<unknown> => group.edit({ policy: { prometheus: { query } } });

const answers = (result: string): Promise<number> => metricRequests(operator.metricsPort, result);

/** So many answers that the size would have fallen, were they numbers. */
async function untilPatienceIsOver(result: string): Promise<void> {
  const wanted = (await answers(result)) + SCALE_DOWN_SECONDS / PERIOD_SECONDS + 2;
  await eventually(`${wanted} answers: ${result}`, async () => (await answers(result)) >= wanted);
}

(programs === undefined ? describe.skip : describe)('a group with a real Prometheus', () => {
  it('a group follows the rate of requests up', async () => {
    await group.atSize(1);
    service.use(MANY);
    const { transition } = await group.atSize(3);
    expect(transition).toMatchObject({ reason: 'MetricAboveTarget', state: 'Completed', to: 3 });
    expect(await sizes()).toEqual([6, 2]);
    expect(await group.condition('MetricsAvailable')).toMatchObject({ status: 'True' });
  });

  it.each([
    ['finds no series', 'sum(rate(nothing_total[10s]))', 'MetricEmpty', 'returned no series'],
    ['finds several', 'rate(requests_total[10s])', 'MetricAmbiguous', 'for example with sum()'],
    ['is no PromQL', 'sum(rate(requests_total))', 'MetricQueryWrong', 'expected type range vector'],
    ['divides by 0', `${RATE} / 0`, 'MetricNotANumber', '(+Inf)'],
    ['is negative', `-${RATE}`, 'MetricNegative', 'negative'],
    [
      'wants all targets to be up',
      `${RATE} and (sum(up) == count(up))`,
      'MetricEmpty',
      'returned no series',
    ],
  ])('a group keeps its size when the query %s, and says so', async (_, query, reason, words) => {
    await edit(query);
    const { replicas, conditions } = await untilMetric(reason);
    expect(replicas).toBe(3);
    expect(conditions?.find(({ type }) => type === 'MetricsAvailable')).toMatchObject({
      status: 'False',
      message: expect.stringContaining(words),
    });
    expect(await sizes()).toEqual([6, 2]);
  });

  it('a group goes on with a query that finds a number again', async () => {
    await edit(`${RATE} and (sum(up{job="shop"}) == count(up{job="shop"}))`);
    const { replicas, proposal } = await untilMetric('MetricAvailable');
    expect({ replicas, reason: proposal?.reason }).toEqual({
      replicas: 3,
      reason: 'WithinTolerance',
    });
    await edit(RATE);
  });

  it('a group scales down when there are fewer requests for scaleDownAfterSeconds', async () => {
    const began = performance.now();
    service.use(FEW);
    const { replicas } = await group.until(
      'waits',
      ({ proposal }) => proposal?.reason === 'ScaleDownDelayed',
    );
    expect(replicas).toBe(3);
    await group.until('has another size', (status) => status.replicas !== 3);
    expect(performance.now() - began).toBeGreaterThan(SCALE_DOWN_SECONDS * 1_000);
    const { transition } = await group.atSize(1);
    expect(transition).toMatchObject({ reason: 'MetricBelowTarget', state: 'Completed', to: 1 });
    expect(await sizes()).toEqual([2, 1]);
  });

  it('a group keeps its size while a rate ends because the service is not scraped', async () => {
    service.use(MANY);
    await group.atSize(3);
    service.isScraped = false;
    const { history } = await untilMetric('MetricEmpty');
    await untilPatienceIsOver('empty');
    expect(await sizes()).toEqual([6, 2]);
    expect((await group.status())?.history).toEqual(history);
    expect(history?.[0]).toMatchObject({ to: 3, outcome: 'Completed' });
  });

  it('a group keeps its size while a rate begins again, which is too low at first', async () => {
    const { history } = (await group.status()) ?? {};
    service.isScraped = true;
    await group.until(
      'has waited for the whole rate',
      ({ proposal }) => proposal?.reason === 'WithinTolerance',
    );
    await untilPatienceIsOver('sample');
    expect((await group.status())?.history).toEqual(history);
  });

  it('a group keeps its size while Prometheus is away, and says so', async () => {
    await prometheus.end();
    service.use(FEW);
    const { replicas, conditions, proposal } = await untilMetric('MetricSourceUnreachable');
    expect({ replicas, reason: proposal?.reason }).toEqual({
      replicas: 3,
      reason: 'MetricMissing',
    });
    expect(conditions?.find(({ type }) => type === 'MetricsAvailable')).toMatchObject({
      status: 'False',
      message: 'the source cannot be reached (ECONNREFUSED)',
    });
    expect(await group.condition('Ready')).toMatchObject({ status: 'True' });
    await untilPatienceIsOver('unreachable');
    expect(await sizes()).toEqual([6, 2]);
  });

  it('a group gets no gauge from before a restart of Prometheus, where the query excludes it', async () => {
    service.isScraped = false;
    await prometheus.startAgain();
    await eventually('the first scrape has failed', async () =>
      [...(await prometheus.query('up{job="shop"}')).values()].includes(0),
    );
    expect([...(await prometheus.query('sum(queue_length)')).values()]).toEqual([9]);
    await edit(QUEUE);
    const { replicas } = await untilMetric('MetricEmpty');
    expect(replicas).toBe(3);
  });

  it('a group goes on when Prometheus scrapes again, and waits again before it scales down', async () => {
    const began = performance.now();
    service.isScraped = true;
    await edit(RATE);
    await untilMetric('MetricAvailable');
    await group.until('has another size', (status) => status.replicas !== 3);
    expect(performance.now() - began).toBeGreaterThan(SCALE_DOWN_SECONDS * 1_000);
    await group.atSize(1);
    // Its samples of before are still there.
    const highest = await prometheus.query(`max_over_time(${RATE}[10m:1s])`);
    expect(Math.max(...highest.values())).toBeGreaterThan(4 * 2);
    expect([...(await prometheus.query(QUEUE)).values()]).toEqual([9]);
  });
});
