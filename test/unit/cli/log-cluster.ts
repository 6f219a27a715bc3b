// A cluster whose pool has one worker, worker-0, with all streams, or those that are assigned, and
// this log.
import { FakeCluster, metadata } from './fake-cluster.ts';

const owner = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  name: 'w',
  uid: 'worker',
  controller: true,
};

export const logCluster = (
  streams: readonly string[],
  log: ((query: URLSearchParams) => string) | undefined,
  assigned = streams,
): FakeCluster =>
  new FakeCluster(
    {
      swarmpools: [
        {
          metadata: metadata('tv'),
          spec: {
            workers: { targetRef: { name: 'worker' } },
            streams: streams.map((name) => ({ name })),
          },
        },
      ],
      statefulsets: [
        {
          metadata: metadata('worker'),
          spec: { replicas: 1, selector: { matchLabels: { app: 'w' } } },
        },
      ],
      pods: [{ metadata: metadata('worker-0', { ownerReferences: [owner] }) }],
      configmaps: [
        {
          metadata: metadata('tv-assignments', { labels: { 'k8slab.info/pool': 'tv' } }),
          data: {
            'config.yml': `workloads: { worker-0: { jobs: ${JSON.stringify(assigned)}, version: 1 } }\nversion: 1\n`,
          },
        },
      ],
    },
    log === undefined ? {} : { 'worker-0': log },
  );

/** What a kubelet sends of these lines; each begins with its time. */
export function answerOf(lines: readonly string[], query: URLSearchParams): string {
  const tail = Number(query.get('tailLines') ?? lines.length);
  const last = lines.slice(Math.max(0, lines.length - tail));
  const sent = query.has('sinceTime')
    ? last.filter((line) => timeOf(line) >= sinceIn(query))
    : last;
  return sent
    .map((line) => `${query.has('timestamps') ? line : line.slice(line.indexOf(' ') + 1)}\n`)
    .join('');
}

const timeOf = (line: string): number => Date.parse(line.slice(0, line.indexOf(' ')));

/** A time in a query has whole seconds. */
const sinceIn = (query: URLSearchParams): number =>
  Math.floor(Date.parse(query.get('sinceTime') ?? '') / 1000) * 1000;
