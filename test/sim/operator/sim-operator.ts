// What is one operator process? The real operator on a simulated network and clock; it can be
// killed, frozen, and started again.
import { KubeConfig } from '@kubernetes/client-node';
import type { DecisionReport } from '../../../src/core/decision.ts';
import type { PoolDecision } from '../../../src/pool/decision.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import type { Running } from '../../../src/runtime/run.ts';
import type { Settings } from '../../../src/settings.ts';
import { startOperator } from '../../../src/wiring.ts';
import { ProcessClock } from '../../support/process-clock.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import type { Random } from '../random.ts';
import { fineNetwork, type Interceptor, type Network, type Sent, SimApi } from './sim-api.ts';

/** As it is by default: what is overlooked must not be found by a look at everything. */
const RESYNC_SECONDS = 600;

export const settings: Settings = {
  kubeconfig: undefined,
  context: undefined,
  kinds: ['pools'],
  namespaces: [],
  leaderElection: true,
  leaseNamespace: 'operators',
  leaseName: 'swarm-operator',
  concurrency: 4,
  resyncSeconds: RESYNC_SECONDS,
  bindAddress: undefined,
  healthPort: 0,
  metricsPort: 0,
  introspectionPort: 0,
  logLevel: 'debug',
  logFormat: 'json',
  registerCrds: false,
};

const kubeConfig = new KubeConfig();
kubeConfig.loadFromClusterAndUser(
  { name: 'simulated', server: 'http://127.0.0.1:1', skipTLSVerify: true },
  { name: 'operator' },
);

export type OperatorWorld = {
  readonly clock: Clock;
  readonly server: ApiServer;
  readonly random: Random;
  readonly ask: (url: string) => Promise<string>;
  readonly intercept: (operator: SimOperator) => Interceptor;
  readonly onWrite: (operator: SimOperator, identity: string, sent: Sent) => void;
  /** What came of a question, by process; no text: nothing did. */
  readonly onAnswer: (identity: string, uid: string | undefined, text: string | undefined) => void;
  /** Which pod is at an address now. */
  readonly podAt: (url: string) => string | undefined;
  readonly onDecided: (
    identity: string,
    key: string,
    report: DecisionReport<PoolWorld, PoolDecision>,
  ) => void;
  readonly onLog: (
    operator: SimOperator,
    level: 'debug' | 'info' | 'warn' | 'error',
    message: string,
    facts: object,
  ) => void;
};

/** It looks at everything again when it is told to. */
class OperatorClock extends ProcessClock {
  #resync: (() => void) | undefined;

  override after(ms: number, run: () => void): () => void {
    if (ms !== RESYNC_SECONDS * 1000) return super.after(ms, run);
    this.#resync = run;
    return () => {
      if (this.#resync === run) this.#resync = undefined;
    };
  }

  resync(): void {
    const run = this.#resync;
    this.#resync = undefined;
    if (run !== undefined) this.whenAwake(run);
  }
}

export class SimOperator {
  readonly name: string;
  readonly network: Network = fineNetwork();
  #world: OperatorWorld;
  #starts = 0;
  #wallOffsetMs = 0;
  #process: OperatorClock | undefined;
  #running: Running | undefined;
  isOn = false;

  constructor(name: string, world: OperatorWorld) {
    this.name = name;
    this.#world = world;
  }

  get identity(): string {
    return `${this.name}-${this.#starts}`;
  }

  get isLeading(): boolean {
    return this.#running?.isLeading() === true && !this.isFrozen;
  }

  get hasSynced(): boolean {
    return this.#running?.isSynced() === true;
  }

  get isFrozen(): boolean {
    return this.#process?.isFrozen === true;
  }

  start(): void {
    const { clock, server, random, ask, podAt, onAnswer, intercept, onWrite, onDecided, onLog } =
      this.#world;
    this.#starts += 1;
    this.isOn = true;
    const process = new OperatorClock(clock, this.#wallOffsetMs);
    this.#process = process;
    const { identity } = this;
    const own = random.fork(identity);
    // Of one process: the watches of the one before died with it.
    this.network.watches.clear();
    const common = {
      clock,
      process,
      server,
      random: own,
      network: this.network,
      intercept: intercept(this),
    };
    const api = (): SimApi =>
      new SimApi({ ...common, onWrite: (sent) => onWrite(this, identity, sent) });
    const awake = (): Promise<void> => new Promise((resolve) => process.whenAwake(resolve));
    const line =
      (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, facts?: object) =>
        onLog(this, level, message, facts ?? {});
    this.#running = startOperator({
      settings,
      kubeConfig,
      api: api(),
      leaseApi: api(),
      clock: process,
      log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
      identity,
      ownNamespace: 'operators',
      crdFiles: [],
      random: own.next,
      observers: [
        {
          decided: (key, { world, ...rest }) => {
            if (world.kind === 'SwarmPool') onDecided(identity, key, { world, ...rest });
          },
          failed: () => undefined,
          forgotten: () => undefined,
        },
      ],
      getFromWorker: async (url) => {
        await awake();
        const uid = podAt(url);
        try {
          const answer = await ask(url).finally(awake);
          await awake();
          onAnswer(identity, uid, answer);
          return answer;
        } catch (error) {
          onAnswer(identity, uid, undefined);
          throw error;
        }
      },
    });
  }

  /** SIGKILL: nothing of it runs any more, and its lease is not given back. */
  kill(): void {
    this.isOn = false;
    this.#process?.kill();
    this.#running = undefined;
    this.network.watches.clear();
  }

  /** SIGTERM. */
  async stop(): Promise<void> {
    const running = this.#running;
    this.isOn = false;
    this.#running = undefined;
    await running?.stop();
  }

  /** The time has come to look at everything again. */
  resync(): void {
    this.#process?.resync();
  }

  freeze(): void {
    this.#process?.freeze();
  }

  thaw(): void {
    this.#process?.thaw();
  }

  setWallOffset(ms: number): void {
    this.#wallOffsetMs = ms;
    this.#process?.setWallOffset(ms);
  }
}
