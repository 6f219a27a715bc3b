// How do the parts make one operator? Watches feed caches, each kind decides, one replica acts.
import type { KubeConfig } from '@kubernetes/client-node';
import { ANNOTATION_KINDS } from './core/labels.ts';
import { poolMarks, swarmPoolController } from './pool/controller.ts';
import type { PoolDecision } from './pool/decision.ts';
import type { Reader } from './pool/observe/texts/long-texts.ts';
import type { OrphanWorld } from './pool/orphan.ts';
import type { PoolWorld } from './pool/world.ts';
import { WorkerProbes } from './probes/probes.ts';
import type { KubeApi } from './runtime/client/api.ts';
import { type Clock, sleep } from './runtime/clock.ts';
import { Creations } from './runtime/creations.ts';
import { type KindReport, KindRunner, type RunningKind } from './runtime/engine/kind-runner.ts';
import type { Observer } from './runtime/engine/observer.ts';
import { Election } from './runtime/lease.ts';
import { Thread } from './runtime/queue/thread.ts';
import type { QueueFigures, QueueObserver } from './runtime/queue/workqueue.ts';
import { makeStore } from './runtime/store/store.ts';
import { SwarmOperator } from './runtime/watch/operator.ts';
import { type KindName, kindNames, type Settings } from './settings.ts';

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
  /** Of pools. They are told of decisions, and change nothing. */
  readonly observers?: readonly Observer<PoolWorld | OrphanWorld, PoolDecision>[];
  readonly meter?: Meter;
  /** Bytes that all pools together may take; left out: any number. */
  readonly memory?: number;
  /** Reads long texts on another thread; left out: on this one. */
  readonly reader?: Reader;
};

export type Meter = QueueObserver & { watchBroke(resource: string, reason: string): void };

export type Running = {
  /** Every kind has been read once, or is off. */
  readonly isSynced: () => boolean;
  readonly isLeading: () => boolean;
  readonly kinds: () => readonly KindReport[];
  readonly queue: () => QueueFigures;
  readonly stop: () => Promise<void>;
};

/** What all kinds share. */
type Shared = ReturnType<typeof sharedBy> & Parts;

const sharedBy = (
  { api, clock, log, identity, settings, meter }: Parts,
  isLeading: () => boolean,
  operator: () => SwarmOperator,
) => ({
  thread: new Thread({ clock }),
  store: makeStore(api, poolMarks),
  engine: {
    api,
    clock,
    log,
    identity,
    isLeading,
    concurrency: settings.concurrency,
    resyncMs: settings.resyncSeconds * 1000,
    queueObserver: meter,
    onWritten: (...written: Parameters<SwarmOperator['observe']>) => operator().observe(...written),
    watches: {
      readable: (...kinds: Parameters<SwarmOperator['readable']>) => operator().readable(...kinds),
      refreshed: (...kinds: Parameters<SwarmOperator['refreshed']>) =>
        operator().refreshed(...kinds),
    },
  },
});

/** A line for each kind: what it needs besides what all share. */
const runners: Readonly<Record<KindName, (shared: Shared) => RunningKind>> = {
  pools: ({ engine, thread, store, api, clock, observers, getFromWorker, memory, reader }) => {
    const onChange = (key: string): void => runner.wake(key);
    const workers = new WorkerProbes({
      clock,
      onChange,
      ...(getFromWorker !== undefined && { get: getFromWorker }),
    });
    const creations = new Creations({ api, clock, onChange });
    const controller = swarmPoolController({
      api,
      clock,
      store,
      workers,
      creations,
      thread,
      ...(memory !== undefined && { memory }),
      ...(reader !== undefined && { reader }),
    });
    const runner: KindRunner<PoolWorld | OrphanWorld, PoolDecision> = new KindRunner({
      ...engine,
      thread,
      controller,
      observers,
    });
    return runner;
  },
};

/** Answers at once; what needs the cluster goes on in the background, for as long as it takes. */
export function startOperator(parts: Parts): Running {
  const { settings, kubeConfig, api, clock, log, identity } = parts;
  const stopping = new AbortController();
  let isStarted = false;
  let isLeading = (): boolean => !settings.leaderElection;

  const shared = {
    ...parts,
    ...sharedBy(
      parts,
      () => isLeading(),
      () => operator,
    ),
  };
  const running = settings.kinds.map((name) => runners[name](shared));
  const all = async (act: (kind: RunningKind) => Promise<void>): Promise<void> =>
    void (await Promise.all(running.map(act)));
  const leftOut = kindNames.filter((name) => !settings.kinds.includes(name)).map(reportLeftOut);
  const kinds = (): readonly KindReport[] => [...running.map(({ report }) => report), ...leftOut];
  const operator = new SwarmOperator({
    kubeConfig,
    api,
    clock,
    logger: log,
    namespaces: settings.namespaces,
    subscriptions: running.flatMap(({ subscriptions }) => subscriptions),
    ...(parts.random !== undefined && { random: parts.random }),
    onReadable: () => void all((kind) => kind.readableChanged()),
    onRestored: () => {
      log.warn('etcd was restored from a snapshot: beginning anew with what is there now');
      void all((kind) => kind.beginAnew());
    },
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
  const election = new Election({
    clock,
    api: parts.leaseApi,
    namespace: settings.leaseNamespace ?? parts.ownNamespace,
    name: settings.leaseName,
    identity,
    annotations: () => ({ [ANNOTATION_KINDS]: JSON.stringify(kinds()) }),
    onStarted: () => {
      log.info('leading', { identity });
      void all((kind) => kind.lead(true));
    },
    onStopped: async () => {
      log.info('not leading any more', { identity });
      await all((kind) => kind.lead(false));
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
    isStarted = true;
    log.info('caches synced', {
      namespaces: settings.namespaces.length === 0 ? 'all' : settings.namespaces.join(','),
    });
    if (settings.leaderElection) {
      isLeading = () => election.isLeading;
      await election.run(stopping.signal);
    } else await all((kind) => kind.lead(true));
  };
  const ended = run().catch((error: unknown) =>
    log.error('the operator could not start', { error: String(error) }),
  );

  return {
    isSynced: () => isStarted,
    isLeading: () => isStarted && isLeading(),
    kinds,
    queue: () => sum(running.map(({ queue }) => queue)),
    stop: async () => {
      stopping.abort();
      // First the watches: a start that still waits for them ends with them.
      operator.stop();
      await ended;
      await all((kind) => kind.stop());
      await operator.stopped();
    },
  };
}

const reportLeftOut = (name: KindName): KindReport => ({
  kind: name,
  state: 'Off',
  reason: 'LeftOut',
  message: 'the setting --kinds leaves it out',
});

const sum = (figures: readonly QueueFigures[]): QueueFigures => ({
  waiting: figures.reduce((total, { waiting }) => total + waiting, 0),
  processing: figures.reduce((total, { processing }) => total + processing, 0),
  delayed: figures.reduce((total, { delayed }) => total + delayed, 0),
});
