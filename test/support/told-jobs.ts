// Which changes does the controller of SwarmJobs see, and what does it wake? Without a cluster: a
// test tells it of each change.
import type { Kind } from '../../src/api/kinds.ts';
import { kinds } from '../../src/api/kinds.ts';
import { type LedgerEntry, ledgerObject } from '../../src/api/ledger.ts';
import type { KubeObject, ObjectMeta } from '../../src/api/objects.ts';
import { QueuedJobs } from '../../src/core/queued-jobs.ts';
import { swarmJobController } from '../../src/job/controller.ts';
import type { JobWorld } from '../../src/job/world.ts';
import { poolMarks } from '../../src/pool/controller.ts';
import { makeStore } from '../../src/runtime/store/store.ts';
import { MemoryApi } from './memory-api.ts';
import { VirtualClock } from './virtual-clock.ts';

type Type = 'ADDED' | 'MODIFIED' | 'DELETED';

const LEDGERS = 'swarm-operator';

/** A controller that is told of changes, and what it has woken since it was last asked. */
export class Told {
  readonly queuedJobs = new QueuedJobs();
  readonly api = new MemoryApi(new VirtualClock());
  readonly store = makeStore(this.api, poolMarks);
  readonly controller = swarmJobController({
    api: this.api,
    clock: new VirtualClock(),
    store: this.store,
    ledgerNamespace: LEDGERS,
    queuedJobs: this.queuedJobs,
    areWatchesBroken: () => false,
  });
  #woken: string[] = [];
  readonly #subscriptions = this.controller.subscriptions((key) => this.#woken.push(key));
  #version = 100;

  constructor() {
    this.beginEpoch('a');
  }

  /** Of the queues; undefined: they decide nothing. */
  beginEpoch(epoch: string | undefined): void {
    this.queuedJobs.endEpoch('hpc');
    if (epoch !== undefined) this.queuedJobs.beginEpoch('hpc', () => epoch);
  }

  tell(type: Type, object: KubeObject): KubeObject {
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    const told = { ...object, metadata };
    for (const { kind, onChange } of this.#subscriptions)
      if (kind.kind === object.kind) onChange({ type, object: told });
    return told;
  }

  get woken(): readonly string[] {
    const woken = [...new Set(this.#woken)].sort();
    this.#woken = [];
    return woken;
  }

  async world(name = 'sim'): Promise<JobWorld> {
    const world = await this.controller.observe(`hpc/${name}`, undefined);
    if (world === undefined) throw new Error('it is gone');
    return world;
  }
}

export const make = (kind: Kind, metadata: Partial<ObjectMeta>, rest: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: kind.kind,
  metadata: { name: 'sim', namespace: 'hpc', ...metadata },
  ...rest,
});

export const swarmJob = (name: string, status?: object, spec: object = {}): KubeObject =>
  make(
    kinds.SwarmJob,
    { name, uid: `${name}-uid` },
    {
      spec: { queueName: 'batch', image: 'busybox', command: ['run'], ...spec },
      ...(status !== undefined && { status }),
    },
  );

const groups: Readonly<Record<string, string>> = {
  SwarmJob: 'k8slab.info/v1alpha1',
  Job: 'batch/v1',
};

export const owned = (uid: string, kind = 'SwarmJob', name = 'sim'): Partial<ObjectMeta> => ({
  ownerReferences: [{ apiVersion: groups[kind] ?? 'v1', kind, name, uid, controller: true }],
});

export const batchJob = (uid = 'sim-uid'): KubeObject =>
  make(kinds.Job, { uid: 'run-uid', ...owned(uid) }, { spec: { suspend: true } });

export const pod = (jobUid = 'run-uid'): KubeObject =>
  make(kinds.Pod, {
    name: 'sim-0-x',
    uid: 'pod-uid',
    labels: { 'k8slab.info/job': 'sim' },
    ...owned(jobUid, 'Job'),
  });

export const entry = (name: string, grant = 2): LedgerEntry => ({
  uid: `${name}-uid`,
  name,
  queue: 'batch',
  size: 1,
  requests: {},
  grant,
  time: '2026-01-01T00:00:00Z',
});

export const ledger = (...entries: readonly LedgerEntry[]): KubeObject => ledgerOf('a', ...entries);

export const ledgerOf = (epoch: string, ...entries: readonly LedgerEntry[]): KubeObject =>
  ledgerObject(
    { namespace: LEDGERS, name: 'swarm-ledger-hpc' },
    {},
    { epoch, nextGrant: 100, entries },
  );

export const withoutData = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata,
});
