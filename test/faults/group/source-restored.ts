// What becomes of a size when Prometheus is killed, and comes back with the data of an older day?
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { metricRequests } from '../../support/metric-requests.ts';
import { eventually } from '../../support/processes.ts';
import { Prometheus, programs } from '../../support/prometheus.ts';
import { ScrapedService } from '../../support/scraped-service.ts';
import type { GroupCell } from './group-cell.ts';
import type { Move } from './group-checks.ts';
import type { GroupFault, MakeGroupFault } from './group-faults.ts';

const PERIOD_SECONDS = 5;
const SCALE_DOWN_SECONDS = 15;
/** One unit of size is for so many that wait. */
const TARGET = 10;
const DAY_SECONDS = 86_400;

/** It is busy; what Prometheus has of the older day is what it has when it is restored: little. */
export const sourceRestored =
  ({ from, to }: Move): MakeGroupFault =>
  async (cell): Promise<GroupFault> => {
    const { service, prometheus } = await startScraped(cell);
    service.queueLength = from * TARGET;
    const file = path.join(cell.folder, 'sources.yaml');
    const source = { name: 'default', address: prometheus.url, namespaces: [cell.namespace] };
    writeFileSync(file, JSON.stringify({ sources: [source] }));
    return {
      replicas: [{ environment: { SWARM_METRIC_SOURCES_FILE: file } }],
      policy: {
        type: 'Prometheus',
        periodSeconds: PERIOD_SECONDS,
        maxReplicas: to,
        prometheus: {
          query: 'sum(queue_length)',
          target: String(TARGET),
          scaleDownAfterSeconds: SCALE_DOWN_SECONDS,
        },
      },
      inject: async () => {
        service.queueLength = to * TARGET;
        await cell.untilCompleted(to);
        await prometheus.end('SIGKILL');
        service.isScraped = false;
        await untilMetric(cell, 'MetricSourceUnreachable');
        prometheus.restore(yesterday(from * TARGET));
        await prometheus.startAgain();
        const days = await prometheus.query('sum(last_over_time(queue_length[2d]))');
        if (days.get('{}') !== from * TARGET) throw new Error('the older day was not restored');
        await untilMetric(cell, 'MetricEmpty');
        await untilPatienceIsOver(cell, 'empty');
        const freshAt = performance.now();
        service.queueLength = from * TARGET;
        service.isScraped = true;
        await cell.group.until('has another size', ({ transition }) => transition?.to === from);
        const fellAfterMs = performance.now() - freshAt;
        if (fellAfterMs < SCALE_DOWN_SECONDS * 1_000)
          throw new Error(`${cell.namespace}: it fell after ${fellAfterMs} ms of fresh samples`);
      },
    };
  };

async function startScraped(cell: GroupCell) {
  if (programs === undefined) throw new Error('there is no Prometheus');
  const service = await ScrapedService.start();
  cell.whenClosed(() => service.close());
  const prometheus = new Prometheus([
    { job: 'shop', honorLabels: false, targets: () => [{ address: service.address }] },
  ]);
  cell.whenClosed(() => prometheus.stop());
  await prometheus.start(programs, cell.swarm.playground.guard);
  return { service, prometheus };
}

/** A minute of a day ago, in the format of OpenMetrics. */
function yesterday(queueLength: number): string {
  const start = Math.floor(Date.now() / 1_000) - DAY_SECONDS;
  const samples = Array.from(
    { length: 60 },
    (_, second) => `queue_length{job="shop"} ${queueLength} ${start + second}`,
  );
  return ['# TYPE queue_length gauge', ...samples, '# EOF\n'].join('\n');
}

const untilMetric = ({ group }: GroupCell, reason: string): Promise<unknown> =>
  group.until(`says ${reason}`, ({ conditions = [] }) =>
    conditions.some((it) => it.type === 'MetricsAvailable' && it.reason === reason),
  );

/** So many answers that the size would have fallen, were they numbers. */
async function untilPatienceIsOver({ replica, namespace }: GroupCell, result: string) {
  const answers = (): Promise<number> => metricRequests(replica.process.metricsPort, result);
  const wanted = (await answers()) + SCALE_DOWN_SECONDS / PERIOD_SECONDS + 2;
  const isOver = async (): Promise<boolean> => (await answers()) >= wanted;
  await eventually(`${namespace}: ${wanted} answers: ${result}`, isOver);
}
