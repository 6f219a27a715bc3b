// How do several kinds run in one process? They share watches, the Lease and the thread; each has
// its own engine.
import type { KubeConfig } from '@kubernetes/client-node';
import { inShort, type KindReport } from '../core/kind-report.ts';
import { ANNOTATION_KINDS } from '../core/labels.ts';
import type { KubeApi } from './client/api.ts';
import type { Clock } from './clock.ts';
import type { EngineOptions } from './engine/engine.ts';
import type { KindRunnerOptions, RunningKind } from './engine/kind-runner.ts';
import { Leadership, type OperatorReport } from './leadership.ts';
import { TurnScheduler } from './queue/turn-scheduler.ts';
import type { QueueFigures, QueueObserver } from './queue/workqueue.ts';
import { SwarmOperator } from './watch/operator.ts';

type Line = (message: string, facts?: object) => void;
type Log = {
  readonly debug: Line;
  readonly info: Line;
  readonly warn: Line;
  readonly error: Line;
};

type RuntimeSettings = {
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly leaderElection: boolean;
  readonly leaseNamespace: string | undefined;
  readonly leaseName: string;
  readonly concurrency: number;
  readonly resyncSeconds: number;
  readonly registerCrds: boolean;
};

export type RuntimeParts = {
  readonly settings: RuntimeSettings;
  readonly kubeConfig: KubeConfig;
  readonly api: KubeApi;
  /** For the Lease, on connections of its own. */
  readonly leaseApi: KubeApi;
  readonly clock: Clock;
  readonly log: Log;
  readonly identity: string;
  /**
   * Of the pod: its Lease is there unless the settings name a namespace. Undefined: this process
   * runs outside of the cluster, and looks for operators that run in it before it leads.
   */
  readonly ownNamespace: string | undefined;
  /** This pod or process, for users who look for the operator that leads. */
  readonly runsAs?: string;
  readonly crdFiles: readonly string[];
  /** Left out: Math.random. */
  readonly random?: () => number;
  readonly meter?: Meter;
};

type Meter = QueueObserver & {
  watchBroke(resource: string, reason: string): void;
  eventLost(reason: string): void;
};

/** What the runners of all kinds share. */
export type SharedParts = Omit<
  EngineOptions<unknown>,
  'controller' | 'observers' | 'queueObserver'
> &
  Pick<KindRunnerOptions<unknown, never>, 'watches' | 'queueObserver'>;

export type MakeKind = (shared: SharedParts) => RunningKind;

export type Running = {
  /** Every kind has been listed once, or is off. */
  readonly isSynced: () => boolean;
  readonly isLeading: () => boolean;
  /** Why it does not lead, and where the leader is; undefined while it leads. */
  readonly standbyReason: () => string | undefined;
  /** Those that it knows, itself included while it leads. */
  readonly operators: () => readonly OperatorReport[];
  readonly kinds: () => readonly KindReport[];
  /** Objects whose last change a listener failed to take: the operator knows an earlier state. */
  readonly undelivered: () => readonly string[];
  readonly queue: () => QueueFigures;
  /**
   * Resolves with the error that keeps the operator from starting or going on: the process is to
   * end. An API server that is away is no such error.
   */
  readonly failed: Promise<unknown>;
  readonly stop: () => Promise<void>;
};

/**
 * Returns at once; everything that needs the cluster runs in the background. `leftOut`: names of
 * kinds that the settings leave out.
 */
export function runKinds(
  parts: RuntimeParts,
  makers: readonly MakeKind[],
  leftOut: readonly string[] = [],
): Running {
  const { settings, kubeConfig, api, clock, log, identity, meter } = parts;
  const stopping = new AbortController();
  const { promise: failed, resolve: fail } = Promise.withResolvers<unknown>();
  let isStarted = false;
  let isLeading = (): boolean => !settings.leaderElection;

  const shared: SharedParts = {
    api,
    clock,
    log,
    identity,
    scheduler: new TurnScheduler({ clock }),
    isLeading: () => isLeading(),
    concurrency: settings.concurrency,
    resyncMs: settings.resyncSeconds * 1000,
    queueObserver: meter,
    onEventLost: (why) => meter?.eventLost(why),
    onWritten: (kind, object) => operator.watches.observe(kind, object),
    onForbidden: (namespace) => operator.watches.doubt(namespace),
    watches: {
      namespaces: settings.namespaces,
      readable: (needed) => operator.watches.readable(needed),
      refreshed: (needed, namespace) => operator.watches.refreshed(needed, namespace),
      isBroken: (kinds, namespace) => operator.watches.isBroken(kinds, namespace),
    },
  };
  const running = makers.map((make) => make({ ...shared, scheduler: shared.scheduler.beside() }));
  const all = async (act: (kind: RunningKind) => Promise<void>): Promise<void> =>
    void (await Promise.all(running.map(act)));
  const inBackground = (act: (kind: RunningKind) => Promise<void>): void =>
    void all(act).catch(fail);
  const kinds = (): readonly KindReport[] => [
    ...running.map(({ report }) => report),
    ...leftOut.map(reportLeftOut),
  ];
  const operator: SwarmOperator = new SwarmOperator({
    kubeConfig,
    api,
    clock,
    logger: log,
    namespaces: settings.namespaces,
    crdFiles: settings.registerCrds ? parts.crdFiles : [],
    subscriptions: running.flatMap(({ subscriptions }) => subscriptions),
    ...(parts.random !== undefined && { random: parts.random }),
    onReadable: () => inBackground((kind) => kind.readableChanged()),
    onRestored: () => {
      log.warn('etcd was restored from a snapshot: restarting from its current state');
      inBackground((kind) => kind.beginAnew());
    },
    onTrouble: (kind, error, retryInMs) => {
      meter?.watchBroke(kind.plural, error.code);
      log[error.code === 'Timeout' || error.code === 'Gone' ? 'debug' : 'warn']('a watch broke', {
        kind: kind.kind,
        code: error.code,
        error: error.message,
        retryInMs: Math.round(retryInMs),
      });
    },
  });
  const leadership = new Leadership({
    ...{ settings, clock, identity, ownNamespace: parts.ownNamespace, runsAs: parts.runsAs },
    api: parts.leaseApi,
    annotations: () => ({ [ANNOTATION_KINDS]: JSON.stringify(kinds().map(inShort)) }),
    onStarted: () => {
      log.info('leading', { identity });
      inBackground((kind) => kind.lead(true));
    },
    onStopped: async () => {
      log.info('no longer leading', { identity });
      await all((kind) => kind.lead(false)).catch(fail);
    },
    onTrouble: (error) => log.warn('cannot read or write the Lease', { error: String(error) }),
    onRestored: () => operator.watches.restored(),
    onStandby: (reason) => log.info('standing by', { reason }),
  });

  const run = async (): Promise<void> => {
    await operator.start();
    if (stopping.signal.aborted) return;
    isStarted = true;
    log.info('caches synced', {
      namespaces: settings.namespaces.length === 0 ? 'all' : settings.namespaces.join(','),
    });
    if (settings.leaderElection) {
      isLeading = () => leadership.isLeading;
      await leadership.run(stopping.signal);
    } else {
      await leadership.prepare();
      await all((kind) => kind.lead(true));
    }
  };
  const ended = run().catch(fail);

  return {
    isSynced: () => isStarted,
    isLeading: () => isStarted && isLeading(),
    standbyReason: () => leadership.standbyReason,
    operators: () => leadership.operators,
    kinds,
    undelivered: () => operator.undelivered,
    queue: () => sum(running.map(({ queue }) => queue)),
    failed,
    stop: async () => {
      // Before the Lease is given back, since these events are of decisions that were carried out.
      await all((kind) => kind.eventsDrained());
      stopping.abort();
      // The watches first: a start that waits for them ends with them.
      operator.stop();
      await ended;
      await all((kind) => kind.stop());
      await operator.stopped();
    },
  };
}

const reportLeftOut = (kind: string): KindReport => ({
  kind,
  state: 'Off',
  reason: 'LeftOut',
  message: 'the setting --kinds excludes it',
});

const sum = (figures: readonly QueueFigures[]): QueueFigures => ({
  waiting: figures.reduce((total, { waiting }) => total + waiting, 0),
  processing: figures.reduce((total, { processing }) => total + processing, 0),
  delayed: figures.reduce((total, { delayed }) => total + delayed, 0),
});
