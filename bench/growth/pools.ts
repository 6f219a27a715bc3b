// How does the cost of an operator grow from ten pools to ten thousand? A separate process, with an
// API server that only answers.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createListener, type Server as Listener } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dump } from 'js-yaml';
import { claimAddresses } from '../../src/playground/node/addresses.ts';
import { Figures, untilFigure } from '../instruments/figures.ts';
import { secondsSince } from '../instruments/measure.ts';
import { startInspectedWith } from '../instruments/operator.ts';
import { processorSeconds } from '../instruments/processor.ts';
import { CannedApi } from './canned-api.ts';
import { type RestingWorld, restingWorld } from './resting-world.ts';

const POOLS = [10, 100, 1_000, 10_000] as const;
const ADDRESSES = 200;
const READY_SECONDS = 1_800;
/** More than the limit in deploy/, to find where the operator really ends. */
const HEAP_MIB = 2_048;

export type PoolsCost = {
  readonly pools: number;
  readonly pods: number;
  readonly syncSeconds: number;
  readonly syncProcessorSeconds: number;
  readonly confirmedSeconds: number;
  readonly heapMiB: number;
  readonly residentMiB: number;
  readonly decideMs: number;
  readonly writes: number;
};

type Crowd = {
  readonly addresses: readonly string[];
  readonly port: number;
  stop(): Promise<void>;
};

/** All answer the same at many addresses, with an old version of the protocol without `jobs`. */
async function crowd(): Promise<Crowd> {
  const range = await claimAddresses();
  const server = createServer((_, response) => response.end('{"version":1}'));
  const addresses = Array.from({ length: ADDRESSES }, () => range.take() ?? '127.0.0.1');
  const listeners: Listener[] = [];
  let port = 0;
  for (const address of addresses) {
    const listener = createListener((socket) => server.emit('connection', socket));
    await new Promise<void>((resolve, reject) =>
      listener.once('error', reject).listen(port, address, resolve),
    );
    listeners.push(listener);
    const bound = listener.address();
    if (bound !== null && typeof bound === 'object') port = bound.port;
  }
  return {
    addresses,
    port,
    stop: async () => {
      for (const listener of listeners) listener.close();
      server.closeAllConnections();
      await range.close();
    },
  };
}

/** Up to this number of pools. */
export async function poolsCosts(most: number): Promise<readonly PoolsCost[]> {
  const workers = await crowd();
  const costs: PoolsCost[] = [];
  try {
    for (const pools of POOLS.filter((it) => it <= most)) {
      costs.push(await costOf(restingWorld(pools, workers.addresses, workers.port), pools));
      console.log(`  ${JSON.stringify(costs.at(-1))}`);
    }
  } finally {
    await workers.stop();
  }
  return costs;
}

async function costOf(world: RestingWorld, pools: number): Promise<PoolsCost> {
  const folder = mkdtempSync(path.join(tmpdir(), 'swarm-growth-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  const api = await CannedApi.start(world);
  try {
    writeFileSync(kubeconfig, dump(api.kubeconfig));
    const start = performance.now();
    const operator = await startInspectedWith({
      kubeconfig,
      heapMiB: HEAP_MIB,
      readySeconds: READY_SECONDS,
    });
    const { process, inspector, syncedSeconds } = operator;
    const syncProcessorSeconds = processorSeconds([process.pid]);
    await untilFigure(
      process,
      'all workers have confirmed',
      (it) => it.sum('swarm_pool_workers_converged') === world.pods,
      READY_SECONDS,
    );
    const confirmedSeconds = secondsSince(start);
    const figures = await Figures.of(process);
    const decisions = (what: string): number =>
      figures.sum(`swarm_operator_decision_duration_seconds_${what}`);
    const { heapMiB, residentMiB } = await inspector.memory();
    await operator.end();
    const decideMs = (1_000 * decisions('sum')) / decisions('count');
    return {
      pools,
      pods: world.pods,
      syncSeconds: syncedSeconds,
      syncProcessorSeconds,
      confirmedSeconds,
      heapMiB,
      residentMiB,
      decideMs,
      writes: api.writes,
    };
  } finally {
    await api.stop();
    rmSync(folder, { recursive: true });
  }
}
