// When does `swarmctl logs --follow` end, though the user does not end it?
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { withCluster } from '../../../../src/cli/cluster/connect.ts';
import { followStream } from '../../../../src/cli/cluster/follow-stream.ts';
import { observePool } from '../../../../src/cli/cluster/observe-pool.ts';
import { logs } from '../../../../src/cli/commands/logs.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import type { FakeCluster } from '../fake-cluster.ts';
import { logCluster } from '../log-cluster.ts';
import { ran } from '../ran.ts';

const streams = ['cars', 'busy'];
const empty = (): string => '';
let answers = 0;
/** A connection that ends is made again after a second. */
const lateLog = (): string => {
  answers += 1;
  return answers > 9 ? '1970-01-01T00:00:01Z [cars] late\n' : '';
};
const clusters = {
  withStream: logCluster(streams, lateLog),
  withoutLog: logCluster(streams, undefined),
  withoutWorker: logCluster(streams, empty, ['busy']),
  withoutStream: logCluster(['busy'], empty),
};
clusters.withoutLog.forbidden = ['log'];
const all = Object.values(clusters);
beforeAll(() => Promise.all(all.map((cluster) => cluster.start())));
afterAll(() => {
  for (const cluster of all) cluster.stop();
});

const valuesOf = ({ kubeconfig }: FakeCluster) => ({
  kubeconfig,
  namespace: undefined,
  context: undefined,
});
const firstWorld = (): Promise<PoolWorld> =>
  withCluster(valuesOf(clusters.withStream), ({ api }) =>
    observePool(api, 'swarm', 'tv', { probes: false }),
  );

/** The stream had a worker; the cluster is what has become of it. */
async function followed(cluster: FakeCluster, timeoutMs: number) {
  const first = await firstWorld();
  const said: string[] = [];
  const ended = new AbortController();
  const what = {
    stream: 'cars',
    worker: 'worker-0',
    options: { follow: true, tail: undefined, container: undefined },
    isMeant: () => true,
    show: (line: string): void => {
      said.push(line);
      ended.abort();
    },
    timeoutMs,
  };
  const terminal = { problem: (text: string) => void said.push(text), note: () => undefined };
  const why = await withCluster(valuesOf(cluster), (connected) =>
    followStream(connected, first, what, ended, terminal),
  );
  return { why, said };
}

const HOUR_MS = 3_600_000;

describe('logs --follow', () => {
  it('logs --follow ends after --timeout while the log of the worker cannot be read', async () => {
    const { kubeconfig } = clusters.withoutLog;
    const args = ['tv', 'cars', '--follow', '--timeout', '1s', '--kubeconfig', kubeconfig];
    const problem = 'cannot read the log of worker-0: {"kind":"Status","reason":"Forbidden"}';
    const { code, stdout, stderr } = await ran(logs, ...args);
    expect([code, stdout]).toEqual([1, '']);
    const after = 'after 1s (--timeout) still waiting for the log of worker-0';
    // On a slow machine the time is over before the API server has refused.
    expect([`${problem}\n${after} (${problem})\n`, `${after}\n`]).toContain(stderr);
  });

  it('logs --follow ends after --timeout while the stream has no worker', async () => {
    const { why } = await followed(clusters.withoutWorker, 4_000);
    expect(why).toBe('after 4s (--timeout) still waiting for a worker that has cars');
  });

  it('logs --follow ends when the stream is removed from its pool', async () =>
    expect(await followed(clusters.withoutStream, HOUR_MS)).toEqual({
      why: 'cars is no longer a stream of SwarmPool tv',
      said: [],
    }));

  it('logs --follow waits without a bound for the next line of a log that can be read', async () =>
    expect(await followed(clusters.withStream, 8_000)).toEqual({
      why: undefined,
      said: ['1970-01-01T00:00:01Z [cars] late'],
    }));
});
