// The attacker, in a thread of its own, so that its work does not delay the measurements.
import { parentPort, workerData } from 'node:worker_threads';
import { KubeClient } from '../../src/runtime/client/client.ts';
import { loadKubeConfig } from '../../src/runtime/client/load-config.ts';
import { Random } from '../sim/random.ts';
import { AttackOrder } from './attack-order.ts';
import type { AttackerOptions, Command, Report } from './attacker.ts';
import { HostileKubelet } from './kubelet.ts';

const LAST_RUNS = 12;
const port = parentPort;
if (port === null) throw new Error('this is a thread');
const options = workerData as AttackerOptions;

const config = loadKubeConfig({ file: options.kubeconfig }, { headersTimeoutMs: 60_000 });
const order = new AttackOrder({
  ...options,
  api: new KubeClient(config, { userAgent: 'attacker' }),
  random: new Random(options.seed),
});
const kubelet = await HostileKubelet.start(
  options.adminKubeconfig,
  options.namespaces,
  options.victim,
);
const tell = (report: Report): void => port.postMessage(report);
const ending = new AbortController();
let playing: Promise<void> = Promise.resolve();

const report = (): Report => ({
  tallies: [...order.tallies].map(([kind, tally]) => ({ kind, ...tally })),
  expected: [...order.expected],
  last: order.runs.slice(-LAST_RUNS),
  believed: [...kubelet.believed],
  mistakes: order.mistakes,
});

async function obey(command: Command): Promise<void> {
  switch (command) {
    case 'begin':
      playing = order.start(ending.signal);
      return;
    case 'report':
      return tell(report());
    case 'rest':
      ending.abort();
      await playing;
      return tell(report());
    case 'end':
      ending.abort();
      await playing;
      await kubelet.stop();
      await config.closeConnections();
      tell(report());
      port?.close();
  }
}

port.on('message', (command: Command) => void obey(command));
tell(report());
