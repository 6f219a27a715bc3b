// How do the parts make one operator? The table of kinds: what each needs besides what all share.
import { randomUUID } from 'node:crypto';
import { kinds } from './api/kinds.ts';
import { memberKindIn } from './api/member-kinds.ts';
import { QueuedJobs } from './core/queued-jobs.ts';
import { swarmGroupController } from './group/controller.ts';
import type { GroupDecision } from './group/decide.ts';
import type { GroupWorld } from './group/world.ts';
import { swarmJobController } from './job/controller.ts';
import type { JobDecision } from './job/decide.ts';
import { creationOfRank } from './job/observe/creations.ts';
import type { JobWorld } from './job/world.ts';
import { poolMarks, swarmPoolController } from './pool/controller.ts';
import type { PoolDecision } from './pool/decide.ts';
import { creationOfWorker } from './pool/observe/creations.ts';
import type { Reader } from './pool/observe/texts/long-texts.ts';
import type { OrphanWorld, PoolWorld } from './pool/world.ts';
import { WorkerProbes } from './probes/probes.ts';
import type { ProbeTrust } from './probes/trust.ts';
import { swarmQueueController } from './queue/controller.ts';
import type { QueueDecision } from './queue/decide.ts';
import type { QueueWorld } from './queue/world.ts';
import type { Observer } from './runtime/engine/controller.ts';
import { KindRunner } from './runtime/engine/kind-runner.ts';
import { leaseNamespaceOf } from './runtime/leadership.ts';
import { MetricReadings, type MetricRequestReport } from './runtime/metric-sources/readings.ts';
import type { MetricSource } from './runtime/metric-sources/source.ts';
import {
  type MakeKind,
  type Running,
  type RuntimeParts,
  runKinds,
  type SharedParts,
} from './runtime/run.ts';
import { ScaleReadings } from './runtime/scales/readings.ts';
import { Creations } from './runtime/store/creations.ts';
import { makeStore, type Store } from './runtime/store/store.ts';
import { type KindName, kindNames, type Settings } from './settings.ts';

/** For each kind: it is told of decisions, and changes nothing. */
type OperatorObserver = {
  readonly pools?: Observer<PoolWorld | OrphanWorld, PoolDecision>;
  readonly groups?: Observer<GroupWorld, GroupDecision>;
  readonly queues?: Observer<QueueWorld, QueueDecision>;
  readonly jobs?: Observer<JobWorld, JobDecision>;
};

type Parts = RuntimeParts & {
  readonly settings: Settings;
  /** A simulation puts its own in place of the network. */
  readonly getFromWorker?: (url: string) => Promise<string>;
  readonly observers?: readonly OperatorObserver[];
  /** Of workers that are probed over HTTPS. */
  readonly trust?: () => ProbeTrust;
  /** That groups may ask; left out: none. */
  readonly metricSources?: readonly MetricSource[];
  readonly metricAsked?: (report: MetricRequestReport) => void;
  /** Bytes that all pools together may take; left out: any number. */
  readonly memory?: number;
  /** Another text each time; a simulation has its own. */
  readonly newEpoch?: () => string;
  /** Reads long texts on another thread; left out: on this one. */
  readonly reader?: Reader;
};

export function startOperator(parts: Parts): Running {
  const makers = kindsOf(parts, makeStore(parts.api, poolMarks));
  const isWanted = (name: KindName): boolean => parts.settings.kinds.includes(name);
  return runKinds(
    parts,
    kindNames.filter(isWanted).map((name) => makers[name]),
    kindNames.filter((name) => !isWanted(name)).map((name) => reportedNames[name]),
  );
}

/** A kind that works and one that is left out are reported by the same name. */
const reportedNames: Readonly<Record<KindName, string>> = {
  pools: 'SwarmPool',
  groups: 'SwarmGroup',
  queues: 'SwarmQueue',
  jobs: 'SwarmJob',
};

export const kindsOf = (parts: Parts, store: Store): Readonly<Record<KindName, MakeKind>> => ({
  ...poolsAndGroups(parts, store),
  ...queuesAndJobs(parts, store),
});

const poolsAndGroups = (parts: Parts, store: Store) => ({
  pools: (shared: SharedParts) => {
    const { api, clock, scheduler } = shared;
    const { getFromWorker: get, trust, memory, reader } = parts;
    const onChange = (key: string): void => runner.wake(key);
    const controller = swarmPoolController({
      api,
      clock,
      store,
      scheduler,
      workers: new WorkerProbes({
        clock,
        onChange,
        ...(trust !== undefined && { trust }),
        ...(get !== undefined && { get }),
      }),
      creations: new Creations({
        api,
        clock,
        onChange,
        kind: 'StatefulSet',
        read: creationOfWorker,
      }),
      ...(memory !== undefined && { memory }),
      ...(reader !== undefined && { reader }),
    });
    const runner = new KindRunner<PoolWorld | OrphanWorld, PoolDecision>({
      ...shared,
      controller,
      observers: parts.observers?.flatMap(({ pools }) => pools ?? []),
    });
    return runner;
  },
  groups: (shared: SharedParts) => {
    const { settings } = parts;
    const metrics = new MetricReadings({
      clock: shared.clock,
      sources: parts.metricSources ?? [],
      onAnswer: (key) => runner.wake(key),
      observe: parts.metricAsked,
    });
    const { api, clock } = shared;
    const scales = new ScaleReadings({ api, clock, kinds: settings.memberKinds.map(memberKindIn) });
    const controller = swarmGroupController({ clock, store, metrics, scales });
    const observers = parts.observers?.flatMap((it) => it.groups ?? []);
    const runner = new KindRunner<GroupWorld, GroupDecision>({ ...shared, controller, observers });
    return runner;
  },
});

/** The queues say in `queuedJobs` why each job waits, and which admissions are valid. */
function queuesAndJobs(parts: Parts, { batchJobs, configMaps }: Store) {
  const { settings, newEpoch = randomUUID } = parts;
  const { namespaces, ledgerNamespace = leaseNamespaceOf(parts) } = settings;
  const isClusterWide = namespaces.length === 0;
  const isWatched = (name: string): boolean => isClusterWide || namespaces.includes(name);
  const queuedJobs = new QueuedJobs();
  const areBroken =
    ({ watches }: SharedParts) =>
    (namespace: string): boolean =>
      watches.isBroken([kinds.SwarmQueue, kinds.SwarmJob, kinds.Job, kinds.Pod], namespace);
  const queues: MakeKind = (shared) => {
    const controller = swarmQueueController({
      ...{ clock: shared.clock, batchJobs, configMaps, ledgerNamespace, isWatched, isClusterWide },
      ...{ newEpoch, queuedJobs, areWatchesBroken: areBroken(shared) },
    });
    const observers = parts.observers?.flatMap((it) => it.queues ?? []);
    return new KindRunner<QueueWorld, QueueDecision>({ ...shared, controller, observers });
  };
  const jobs: MakeKind = (shared) => {
    const { api, clock } = shared;
    const store = { batchJobs, configMaps };
    const onChange = (key: string): void => runner.wake(key);
    const creations = new Creations({ api, clock, onChange, kind: 'Job', read: creationOfRank });
    const controller = swarmJobController({
      ...{ api, clock, store, creations, ledgerNamespace, queuedJobs },
      areWatchesBroken: areBroken(shared),
    });
    const observers = parts.observers?.flatMap((it) => it.jobs ?? []);
    const runner = new KindRunner<JobWorld, JobDecision>({ ...shared, controller, observers });
    return runner;
  };
  return { queues, jobs };
}
