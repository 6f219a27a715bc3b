// The attacker, in a thread of its own, so that its work does not delay the measurements.
import { parentPort, workerData } from 'node:worker_threads';
import { KubeClient } from '../../src/runtime/client/client.ts';
import { loadKubeConfig } from '../../src/runtime/client/config.ts';
import { Random } from '../sim/random.ts';
import { Deck } from './attack-order.ts';
import type { AttackerOptions, Order, Report } from './attacker.ts';
import { HostileKubelet } from './kubelet.ts';

const LAST_STRIKES = 12;
const port = parentPort;
if (port === null) throw new Error('this is a thread');
const options = workerData as AttackerOptions;

const config = loadKubeConfig({ file: options.kubeconfig }, { headersTimeoutMs: 60_000 });
const deck = new Deck({
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

const told = (): Report => ({
  tallies: [...deck.tallies].map(([kind, tally]) => ({ kind, ...tally })),
  expected: [...deck.expected],
  last: deck.strikes.slice(-LAST_STRIKES),
  believed: [...kubelet.believed],
  mistakes: deck.mistakes,
});

async function obey(order: Order): Promise<void> {
  switch (order) {
    case 'begin':
      playing = deck.play(ending.signal);
      return;
    case 'report':
      return tell(told());
    case 'rest':
      ending.abort();
      await playing;
      return tell(told());
    case 'end':
      ending.abort();
      await playing;
      await kubelet.stop();
      await config.closeConnections();
      tell(told());
      port?.close();
  }
}

port.on('message', (order: Order) => void obey(order));
tell(told());
