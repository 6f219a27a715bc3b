// What is one operator process? The real operator on a simulated network and clock; it can be
// killed, frozen, and restarted.
import { KubeConfig } from '@kubernetes/client-node';
import type { KubeObject } from '../../../src/api/objects.ts';
import type { DecisionReport } from '../../../src/core/decision.ts';
import type { PoolDecision } from '../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import type { Running } from '../../../src/runtime/run.ts';
import type { Settings } from '../../../src/settings.ts';
import { startOperator } from '../../../src/wiring.ts';
import { ProcessClock } from '../../support/process-clock.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import type { Random } from '../random.ts';
import { fineNetwork, type Interceptor, type Network, type Sent, SimApi } from './sim-api.ts';

/**
 * Longer than a story: a resync must not hide a change that the operator missed. No other delay is
 * a part of it.
 */
const RESYNC_MS = 600_007;
/** It comes in as many steps as there are objects. */
const MOST_STEPS = 8;
const isOfResync = (ms: number): boolean =>
  Array.from({ length: MOST_STEPS }, (_, step) => RESYNC_MS / (step + 1)).some(
    (delay) => Math.abs(ms - delay) < 0.001,
  );

export const settings: Settings = {
  kubeconfig: undefined,
  context: undefined,
  kinds: ['pools', 'groups'],
  namespaces: [],
  leaderElection: true,
  leaseNamespace: 'operators',
  ledgerNamespace: undefined,
  leaseName: 'swarm-operator',
  concurrency: 4,
  resyncSeconds: RESYNC_MS / 1000,
  bindAddress: undefined,
  metricSourcesFile: undefined,
  memberKinds: [],
  probeCaFile: undefined,
  probeServerName: undefined,
  probeClientCertFile: undefined,
  probeClientKeyFile: undefined,
  probeTokenFile: undefined,
  healthPort: 0,
  metricsPort: 0,
  introspectionPort: 0,
  introspectionAddress: '127.0.0.1',
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
  readonly kinds: Settings['kinds'];
  readonly clock: Clock;
  readonly server: ApiServer;
  readonly random: Random;
  readonly ask: (url: string) => Promise<string>;
  readonly intercept: (operator: SimOperator) => Interceptor;
  readonly onWrite: (operator: SimOperator, identity: string, sent: Sent) => void;
  /** A process has read this, or was answered so. */
  readonly onTold?: (identity: string, object: KubeObject) => void;
  /** The outcome of a probe, by process; without a text, it failed. */
  readonly onAnswer: (identity: string, uid: string | undefined, text: string | undefined) => void;
  /** Which pod has an address now. */
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

/** A clock whose resyncs, one for each kind, the simulation triggers. */
class OperatorClock extends ProcessClock {
  readonly #steps = new Set<() => void>();

  override after(ms: number, run: () => void): () => void {
    if (!isOfResync(ms)) return super.after(ms, run);
    this.#steps.add(run);
    return () => void this.#steps.delete(run);
  }

  /** A whole one. */
  resync(): void {
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const steps = [...this.#steps];
      this.#steps.clear();
      for (const run of steps) this.whenAwake(run);
    }
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

  /** How wrong the clock of its machine is. */
  get wallOffsetMs(): number {
    return this.#wallOffsetMs;
  }

  get isFrozen(): boolean {
    return this.#process?.isFrozen === true;
  }

  start(): void {
    const { clock, server, random, ask, podAt, onAnswer, intercept, onWrite, onDecided, onLog } =
      this.#world;
    const { onTold = () => undefined } = this.#world;
    this.#starts += 1;
    this.isOn = true;
    const process = new OperatorClock(clock, this.#wallOffsetMs);
    this.#process = process;
    const { identity } = this;
    const own = random.fork(identity);
    let epochs = 0;
    // The watches of the previous process died with it.
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
      new SimApi({
        ...common,
        onWrite: (sent) => onWrite(this, identity, sent),
        onTold: (object) => onTold(identity, object),
      });
    const awake = (): Promise<void> => new Promise((resolve) => process.whenAwake(resolve));
    const line =
      (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, facts?: object) =>
        onLog(this, level, message, facts ?? {});
    const running = startOperator({
      settings: { ...settings, kinds: this.#world.kinds },
      kubeConfig,
      api: api(),
      leaseApi: api(),
      clock: process,
      log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
      identity,
      ownNamespace: 'operators',
      crdFiles: [],
      random: own.next,
      newEpoch: () => {
        epochs += 1;
        return `${identity}-${epochs}`;
      },
      observers: [
        {
          pools: {
            decided: (key, { world, ...rest }) => {
              if (world.kind === 'SwarmPool') onDecided(identity, key, { world, ...rest });
            },
            failed: () => undefined,
            forgotten: () => undefined,
          },
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
    this.#running = running;
    void running.failed.then((error) =>
      onLog(this, 'error', 'the operator failed', { error: String(error) }),
    );
  }

  /** SIGKILL: nothing of it runs any more, and it does not release its Lease. */
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

  /** Starts a resync now. */
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
