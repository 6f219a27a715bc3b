// What wakes a job, and what is its world made of?
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Kind } from '../../../src/api/kinds.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { type LedgerEntry, ledgerObject } from '../../../src/api/ledger.ts';
import type { KubeObject, ObjectMeta } from '../../../src/api/objects.ts';
import { swarmJobController } from '../../../src/job/controller.ts';
import { decideJob } from '../../../src/job/decide.ts';
import type { JobWorld } from '../../../src/job/world.ts';
import { poolMarks } from '../../../src/pool/controller.ts';
import { makeStore } from '../../../src/runtime/store/store.ts';
import { textsOf } from '../../support/job-cluster.ts';
import { MemoryApi } from '../../support/memory-api.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

type Type = 'ADDED' | 'MODIFIED' | 'DELETED';

const LEDGERS = 'swarm-operator';

/** A controller that is told of changes, and what it has woken since it was last asked. */
class Told {
  /** Of the queues. */
  epoch: string | undefined = 'a';
  readonly api = new MemoryApi(new VirtualClock());
  readonly store = makeStore(this.api, poolMarks);
  readonly controller = swarmJobController({
    api: this.api,
    clock: new VirtualClock(),
    store: this.store,
    ledgerNamespace: LEDGERS,
    epoch: () => this.epoch,
  });
  #woken: string[] = [];
  readonly #subscriptions = this.controller.subscriptions((key) => this.#woken.push(key));
  #version = 100;

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

const make = (kind: Kind, metadata: Partial<ObjectMeta>, rest: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: kind.kind,
  metadata: { name: 'sim', namespace: 'hpc', ...metadata },
  ...rest,
});

const swarmJob = (name: string, status?: object, spec: object = {}): KubeObject =>
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

const owned = (uid: string, kind = 'SwarmJob', name = 'sim'): Partial<ObjectMeta> => ({
  ownerReferences: [{ apiVersion: groups[kind] ?? 'v1', kind, name, uid, controller: true }],
});

const batchJob = (uid = 'sim-uid'): KubeObject =>
  make(kinds.Job, { uid: 'run-uid', ...owned(uid) }, { spec: { suspend: true } });

const pod = (jobUid = 'run-uid'): KubeObject =>
  make(kinds.Pod, {
    name: 'sim-0-x',
    uid: 'pod-uid',
    labels: { 'k8slab.info/job': 'sim' },
    ...owned(jobUid, 'Job'),
  });

const entry = (name: string, grant = 2): LedgerEntry => ({
  uid: `${name}-uid`,
  name,
  queue: 'batch',
  size: 1,
  requests: {},
  grant,
  time: '2026-01-01T00:00:00Z',
});

const ledger = (...entries: readonly LedgerEntry[]): KubeObject => ledgerOf('a', ...entries);

const ledgerOf = (epoch: string, ...entries: readonly LedgerEntry[]): KubeObject =>
  ledgerObject(
    { namespace: LEDGERS, name: 'swarm-ledger-hpc' },
    {},
    { epoch, nextGrant: 100, entries },
  );

const withoutData = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata,
});

let told: Told;

beforeEach(() => {
  told = new Told();
  for (const name of ['sim', 'other']) told.tell('ADDED', swarmJob(name));
  expect(told.woken).toEqual(['hpc/other', 'hpc/sim']);
});

describe('what wakes a job', () => {
  it('a change of its batch Job or of a pod of that wakes a job', () => {
    told.tell('ADDED', batchJob());
    expect(told.woken).toEqual(['hpc/sim']);
    told.tell('ADDED', pod());
    expect(told.woken).toEqual(['hpc/sim']);
  });

  it('a deleted pod wakes its job although the batch Job is gone', () => {
    told.tell('ADDED', batchJob());
    told.tell('ADDED', pod());
    told.tell('DELETED', batchJob());
    expect(told.woken).toEqual(['hpc/sim']);
    told.tell('DELETED', pod());
    expect(told.woken).toEqual(['hpc/sim']);
  });

  it('a change of its Service or of the ConfigMap with its hosts wakes a job', () => {
    told.tell('ADDED', make(kinds.Service, owned('sim-uid')));
    expect(told.woken).toEqual(['hpc/sim']);
    told.tell('ADDED', make(kinds.ConfigMap, { name: 'sim-hosts', ...owned('sim-uid') }));
    expect(told.woken).toEqual(['hpc/sim']);
    told.tell('ADDED', make(kinds.ConfigMap, { name: 'sim' }));
    expect(told.woken).toEqual([]);
  });

  it('a write of the ledger wakes the jobs whose entries it changes, and no others', () => {
    told.tell('ADDED', ledger(entry('other')));
    told.woken;
    told.tell('MODIFIED', ledger(entry('other'), entry('sim')));
    expect(told.woken).toEqual(['hpc/sim']);
    told.tell('MODIFIED', ledger(entry('other', 4), entry('sim')));
    expect(told.woken).toEqual(['hpc/other']);
    told.tell('MODIFIED', ledger(entry('other', 4)));
    expect(told.woken).toEqual(['hpc/sim']);
  });

  it('the first write of a ledger in a term wakes every job, though it changes no entry', () => {
    told.tell('ADDED', ledger(entry('other')));
    told.woken;
    told.tell('MODIFIED', ledgerOf('b', entry('other')));
    expect(told.woken).toEqual(['hpc/other', 'hpc/sim']);
  });

  it('a ledger with unknown contents wakes all jobs but those whose status has their verdict', () => {
    const verdict = { reason: 'QueuePaused', message: 'SwarmQueue batch is paused' };
    told.tell('MODIFIED', swarmJob('sim', { state: 'Waiting', ...verdict }));
    told.tell('MODIFIED', swarmJob('other', { state: 'Waiting', reason: 'Queued' }));
    for (const name of ['sim', 'other'])
      told.controller.takeVerdict({ namespace: 'hpc', name }, `${name}-uid`, verdict);
    told.woken;
    told.tell('ADDED', withoutData(ledger()));
    expect(told.woken).toEqual(['hpc/other']);
  });

  it('a ConfigMap with the name of a ledger in another namespace wakes no job', () => {
    told.tell('ADDED', {
      ...ledger(entry('sim')),
      metadata: { name: 'swarm-ledger-hpc', namespace: 'hpc' },
    });
    expect(told.woken).toEqual([]);
  });

  it('a new verdict of its queue wakes a job once', async () => {
    const verdict = { reason: 'QueuePaused', message: 'SwarmQueue batch is paused' };
    const ref = { namespace: 'hpc', name: 'sim' };
    told.controller.takeVerdict(ref, 'sim-uid', verdict);
    expect(told.woken).toEqual(['hpc/sim']);
    told.controller.takeVerdict(ref, 'sim-uid', { ...verdict });
    expect(told.woken).toEqual([]);
    expect((await told.world()).waits).toEqual(verdict);
    told.controller.takeVerdict(ref, 'sim-uid', undefined);
    expect(told.woken).toEqual(['hpc/sim']);
    expect((await told.world()).waits).toBeUndefined();
  });

  it('new defaults of its queue wake a job that has ended, and a pause of the queue does not', () => {
    told.tell('MODIFIED', swarmJob('sim', { state: 'Succeeded' }));
    told.tell('MODIFIED', swarmJob('other', undefined, { queueName: 'another' }));
    told.woken;
    const queue = (spec: object) =>
      make(kinds.SwarmQueue, { name: 'batch' }, { spec: { quota: {}, ...spec } });
    told.tell('ADDED', queue({ jobDefaults: { ttlSecondsAfterFinished: 60 } }));
    expect(told.woken).toEqual(['hpc/sim']);
    told.tell('MODIFIED', queue({ paused: true, jobDefaults: { ttlSecondsAfterFinished: 60 } }));
    expect(told.woken).toEqual([]);
  });
});

describe('the world of a job', () => {
  it('the world of a job has the ledger entry with its UID', async () => {
    expect(await told.world()).toMatchObject({ isLedgerKnown: false, entry: undefined });
    told.tell('ADDED', ledger(entry('sim')));
    expect(await told.world()).toMatchObject({ isLedgerKnown: true, entry: entry('sim') });
    told.tell('MODIFIED', ledger({ ...entry('sim'), uid: 'of-an-earlier-one' }));
    expect(await told.world()).toMatchObject({ isLedgerKnown: true, entry: undefined });
  });

  it('the world of a job says whether this leader has written the ledger in its term', async () => {
    told.tell('ADDED', ledger(entry('sim')));
    expect(await told.world()).toMatchObject({ isOfThisTerm: true });
    told.epoch = undefined;
    expect(await told.world()).toMatchObject({ isOfThisTerm: false, entry: entry('sim') });
    told.epoch = 'b';
    expect(await told.world()).toMatchObject({ isOfThisTerm: false });
    told.tell('MODIFIED', ledgerOf('b', entry('sim')));
    expect(await told.world()).toMatchObject({ isOfThisTerm: true });
  });

  it('the world of a job has no entry of a ledger that was edited by hand', async () => {
    const { data, ...edited } = ledger(entry('sim'));
    told.tell('ADDED', { ...edited, data: { ...(data as object), digest: 'another' } });
    expect(await told.world()).toMatchObject({ isLedgerKnown: false, entry: undefined });
  });

  it('the world of a job has no entry of a ledger that is older than its batch Job', async () => {
    const { metadata, ...run } = batchJob();
    const granted = (grant: number): KubeObject => ({
      ...run,
      metadata: { ...metadata, annotations: { 'k8slab.info/grant': `${grant}` } },
    });
    told.tell('ADDED', ledger());
    told.tell('ADDED', granted(100));
    expect(await told.world()).toMatchObject({ isLedgerKnown: false, entry: undefined });
    told.tell('MODIFIED', granted(98));
    expect(await told.world()).toMatchObject({ isLedgerKnown: true, entry: undefined });
  });

  it('the world of a job lists the objects that have its names and that it does not own', async () => {
    told.tell('MODIFIED', swarmJob('sim', undefined, { size: 2 }));
    told.tell('ADDED', batchJob('another-uid'));
    told.tell('ADDED', make(kinds.Service, {}));
    told.tell('ADDED', make(kinds.ConfigMap, { name: 'sim-hosts' }));
    const world = await told.world();
    expect(world.taken).toEqual(['Job sim', 'Service sim', 'ConfigMap sim-hosts']);
    expect(world.batchJob).toBeUndefined();
    expect(world.service).toBeUndefined();
  });

  it('the world of a job has its pods of a batch Job that is gone, and no pods of other jobs', async () => {
    told.tell('ADDED', batchJob());
    told.tell('ADDED', pod());
    told.tell('ADDED', pod('of-a-stranger'));
    expect((await told.world()).pods).toMatchObject([{ jobUid: 'of-a-stranger' }]);
    expect((await told.world('other')).pods).toEqual([]);
  });

  it('the world of a job has its pods from the API server before another attempt is made', async () => {
    told.api.store.create(kinds.Pod, {
      ...pod('gone'),
      metadata: {
        ...pod('gone').metadata,
        annotations: { 'k8slab.info/job-uid': 'sim-uid' },
      },
    });
    told.tell('ADDED', ledger(entry('sim')));
    expect((await told.world()).pods).toEqual([]);
    told.tell('MODIFIED', swarmJob('sim', { state: 'Admitted', attempt: 1 }));
    expect((await told.world()).pods).toMatchObject([{ jobUid: 'gone' }]);
  });

  it('a job that has ended stays so when the watches show an earlier state of its pods', async () => {
    const running = make(
      kinds.Job,
      { uid: 'run-uid', ...owned('sim-uid'), annotations: { 'k8slab.info/grant': '2' } },
      { spec: { parallelism: 1, completions: 1 } },
    );
    const annotations = { 'k8slab.info/job-uid': 'sim-uid' };
    told.api.store.create(kinds.Pod, {
      ...pod(),
      metadata: { ...pod().metadata, annotations },
      status: { phase: 'Succeeded' },
    });
    told.tell('ADDED', ledger(entry('sim')));
    told.tell('ADDED', running);
    told.tell('ADDED', pod());
    told.tell('MODIFIED', swarmJob('sim', { state: 'Succeeded', observedGeneration: 0 }));
    const world = await told.world();
    expect(world.pods).toMatchObject([{ hasSucceeded: true }]);
    expect(decideJob(world, 0)).toMatchObject({ steps: [] });
  });

  it('the pods of a job are read when its status contradicts its batch Job while it is observed', async () => {
    const annotations = { 'k8slab.info/grant': '2', 'k8slab.info/attempt': '1' };
    const running = { uid: 'run-uid', ...owned('sim-uid'), annotations };
    told.tell('ADDED', ledger(entry('sim')));
    told.tell('ADDED', make(kinds.Job, running, { spec: { parallelism: 1, completions: 1 } }));
    told.tell('ADDED', pod());
    const observed = told.world();
    told.tell('MODIFIED', swarmJob('sim', { state: 'Waiting', attempt: 1, observedGeneration: 0 }));
    const world = await observed;
    expect(world.pods).toEqual([]);
    expect(decideJob(world, 0)).toMatchObject({ steps: [] });
  });

  it('a job whose batch Job has vanished is gone if the API server does not have it any more', async () => {
    told.tell('ADDED', ledger(entry('sim')));
    const world = await told.world();
    expect(world.isGone).toBe(false);
    const made = decideJob(world, 0);
    expect(textsOf(made.steps)).toEqual(['create Job']);
    told.controller.follow?.('hpc/sim', made);
    const gone = await told.world();
    expect(gone.isGone).toBe(true);
    expect(decideJob(gone, 0).steps).toEqual([]);
    told.tell('ADDED', batchJob());
    expect((await told.world()).isGone).toBe(false);
    told.tell('DELETED', batchJob());
    // Another one of its name.
    told.api.store.create(kinds.SwarmJob, swarmJob('sim'));
    expect((await told.world()).isGone).toBe(true);
  });

  describe('a job with a large spec', () => {
    const large = (): KubeObject => swarmJob('sim', undefined, { args: ['x'.repeat(10_000)] });
    const isWhole = ({ job: { spec, isWithheld } }: JobWorld): boolean =>
      isWithheld !== true && spec.ok && spec.value.args?.[0]?.length === 10_000;
    let stored: KubeObject;

    beforeEach(() => {
      stored = told.api.store.create(kinds.SwarmJob, large());
    });

    const granted = (): KubeObject => ledger({ ...entry('sim'), uid: stored.metadata.uid ?? '' });

    it('a large spec is read again when a batch Job is to be made of it, and not before', async () => {
      told.tell('MODIFIED', stored);
      expect(isWhole(await told.world())).toBe(false);
      told.tell('ADDED', granted());
      expect(isWhole(await told.world())).toBe(true);
      const made = batchJob(stored.metadata.uid);
      told.tell('ADDED', made);
      expect(isWhole(await told.world())).toBe(true);
      const annotations = { 'k8slab.info/grant': '2' };
      told.tell('MODIFIED', { ...made, metadata: { ...made.metadata, annotations } });
      expect(isWhole(await told.world())).toBe(false);
    });

    it('nothing is made of a large spec that was changed while it was read', async () => {
      const { metadata, ...rest } = stored;
      told.tell('MODIFIED', { ...rest, metadata: { ...metadata, generation: 7 } });
      told.tell('ADDED', granted());
      const world = await told.world();
      expect(isWhole(world)).toBe(false);
      expect(decideJob(world, 0)).toMatchObject({ steps: [], requeueAfterMs: 5_000 });
    });
  });

  it('the world of a job has the defaults of its queue', async () => {
    const jobDefaults = { activeDeadlineSeconds: 60 };
    told.tell(
      'ADDED',
      make(kinds.SwarmQueue, { name: 'batch' }, { spec: { quota: {}, jobDefaults } }),
    );
    expect((await told.world()).queue).toEqual({ activeDeadlineSeconds: 60 });
  });
});

it('a deleted job has no world, and a new job of its name does not get its verdict', async () => {
  const ref = { namespace: 'hpc', name: 'sim' };
  const verdict = { reason: 'QueuePaused', message: 'SwarmQueue batch is paused' };
  told.controller.takeVerdict(ref, 'sim-uid', verdict);
  told.tell('DELETED', swarmJob('sim'));
  expect(await told.controller.observe('hpc/sim', undefined)).toBeUndefined();
  const next = swarmJob('sim');
  told.tell('ADDED', { ...next, metadata: { ...next.metadata, uid: 'next-uid' } });
  expect((await told.world()).waits).toBeUndefined();
});
