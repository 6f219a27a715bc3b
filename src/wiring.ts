// How do the parts make one operator? Sources feed caches, the engine decides, one replica acts.
import type { KubeConfig } from '@kubernetes/client-node';
import { swarmPoolController } from './pool/controller.ts';
import type { PoolDecision } from './pool/decision.ts';
import type { Reader } from './pool/observe/texts/long-texts.ts';
import type { OrphanWorld } from './pool/orphan.ts';
import type { PoolWorld } from './pool/world.ts';
import { WorkerProbes } from './probes/probes.ts';
import type { KubeApi } from './runtime/client/api.ts';
import { type Clock, sleep } from './runtime/clock.ts';
import { Creations } from './runtime/creations.ts';
import { Engine } from './runtime/engine/engine.ts';
import type { Observer } from './runtime/engine/observer.ts';
import { Election } from './runtime/lease.ts';
import { Thread } from './runtime/queue/thread.ts';
import type { QueueFigures, QueueObserver } from './runtime/queue/workqueue.ts';
import { SwarmOperator } from './runtime/watch/operator.ts';
import type { Settings } from './settings.ts';

const REGISTER_AGAIN_MS = 2_000;

type Line = (message: string, facts?: object) => void;
export type OperatorLog = {
  readonly debug: Line;
  readonly info: Line;
  readonly warn: Line;
  readonly error: Line;
};

export type Parts = {
  readonly settings: Settings;
  readonly kubeConfig: KubeConfig;
  readonly api: KubeApi;
  /** For the Lease, on connections of its own. */
  readonly leaseApi: KubeApi;
  readonly clock: Clock;
  readonly log: OperatorLog;
  readonly identity: string;
  /** Where this process belongs, if it is not told otherwise. */
  readonly ownNamespace: string;
  readonly crdFiles: readonly string[];
  /** What simulations put in place of the network and of chance. */
  readonly getFromWorker?: (url: string) => Promise<string>;
  readonly random?: () => number;
  /** Who looks on: they are told, and change nothing. */
  readonly observers?: readonly Observer<PoolWorld | OrphanWorld, PoolDecision>[];
  readonly meter?: Meter;
  /** Bytes that all pools together may take; left out: any number. */
  readonly memory?: number;
  /** Reads long texts on another thread; left out: on this one. */
  readonly reader?: Reader;
};

export type Meter = QueueObserver & { watchBroke(resource: string, reason: string): void };

export type Running = {
  readonly isSynced: () => boolean;
  readonly isLeading: () => boolean;
  readonly queue: () => QueueFigures;
  readonly stop: () => Promise<void>;
};

/** Answers at once; what needs the cluster goes on in the background, for as long as it takes. */
export function startOperator(parts: Parts): Running {
  const { settings, kubeConfig, api, clock, log, identity } = parts;
  const stopping = new AbortController();
  let isSynced = false;
  let isLeading = (): boolean => !settings.leaderElection;
  /** Grows with each beginning and each end of leading. */
  let term = 0;

  const workers = new WorkerProbes({
    clock,
    onChange: (key) => engine.wake(key),
    ...(parts.getFromWorker !== undefined && { get: parts.getFromWorker }),
  });
  const thread = new Thread({ clock });
  const creations = new Creations({ api, clock, onChange: (key) => engine.wake(key) });
  const controller = swarmPoolController({
    api,
    clock,
    workers,
    creations,
    thread,
    ...(parts.memory !== undefined && { memory: parts.memory }),
    ...(parts.reader !== undefined && { reader: parts.reader }),
  });
  const engine = new Engine({
    controller,
    api,
    clock,
    thread,
    log,
    identity,
    concurrency: settings.concurrency,
    resyncMs: settings.resyncSeconds * 1000,
    isLeading: () => isLeading(),
    onWritten: (kind, object) => operator.observe(kind, object),
    observers: parts.observers,
    queueObserver: parts.meter,
  });
  const operator = new SwarmOperator({
    kubeConfig,
    api,
    clock,
    logger: log,
    namespaces: settings.namespaces,
    subscriptions: controller.subscriptions(engine.wake),
    ...(parts.random !== undefined && { random: parts.random }),
    onRestored: () => void beginAnew(),
    onTrouble: (kind, error, retryInMs) => {
      parts.meter?.watchBroke(kind.plural, error.code);
      log[error.code === 'Timeout' || error.code === 'Gone' ? 'debug' : 'warn']('a watch broke', {
        kind: kind.kind,
        code: error.code,
        error: error.message,
        retryInMs: Math.round(retryInMs),
      });
    },
  });
  const begin = async (): Promise<void> => {
    term += 1;
    const own = term;
    await operator.refreshed();
    if (own === term && !stopping.signal.aborted) engine.start();
  };
  const end = async (): Promise<void> => {
    term += 1;
    await engine.pause();
    workers.forgetAll();
  };
  /**
   * etcd was restored: caches of some kinds are still of before, those of others of after, and
   * workers' answers are of before.
   */
  const beginAnew = async (): Promise<void> => {
    log.warn('etcd was restored from a snapshot: beginning anew with what is there now');
    if (!isSynced || !isLeading()) return;
    const ended = end();
    const own = term;
    await ended;
    if (own === term) await begin();
  };
  const election = new Election({
    clock,
    api: parts.leaseApi,
    namespace: settings.leaseNamespace ?? parts.ownNamespace,
    name: settings.leaseName,
    identity,
    // A watch that went silent may hide what the leader before has done: this one begins with what
    // is true now.
    onStarted: async () => {
      log.info('leading', { identity });
      await begin();
    },
    onStopped: async () => {
      log.info('not leading any more', { identity });
      await end();
      creations.forgetAll();
    },
    onTrouble: (error) =>
      log.warn('the lease could not be read or written', { error: String(error) }),
    onRestored: () => operator.restored(),
  });

  /** A server that is not up yet is waited for: a process that could never begin helps nobody. */
  const registered = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        return await operator.register(parts.crdFiles);
      } catch (error) {
        log.warn('the definitions could not be registered: trying again', { error: String(error) });
        await sleep(clock, REGISTER_AGAIN_MS, stopping.signal);
      }
    }
  };

  const run = async (): Promise<void> => {
    if (settings.registerCrds) await registered();
    if (stopping.signal.aborted) return;
    await operator.start();
    if (stopping.signal.aborted) return;
    isSynced = true;
    log.info('caches synced', {
      namespaces: settings.namespaces.length === 0 ? 'all' : settings.namespaces.join(','),
    });
    if (settings.leaderElection) {
      isLeading = () => election.isLeading;
      await election.run(stopping.signal);
    } else engine.start();
  };
  const running = run().catch((error: unknown) =>
    log.error('the operator could not start', { error: String(error) }),
  );

  return {
    isSynced: () => isSynced,
    isLeading: () => isSynced && isLeading(),
    queue: () => engine.queue.figures,
    stop: async () => {
      stopping.abort();
      // First the watches: a start that still waits for them ends with them.
      operator.stop();
      await running;
      await engine.stop();
      await operator.stopped();
      creations.forgetAll();
      await workers.stop();
    },
  };
}
