// What is the world of a job made of?
import { beforeEach, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import { decideJob } from '../../../src/job/decide.ts';
import type { JobWorld } from '../../../src/job/world.ts';
import { textsOf } from '../../support/job-steps.ts';
import {
  batchJob,
  entry,
  ledger,
  ledgerOf,
  make,
  owned,
  pod,
  swarmJob,
  Told,
} from '../../support/told-jobs.ts';

let told: Told;

beforeEach(() => {
  told = new Told();
  for (const name of ['sim', 'other']) told.tell('ADDED', swarmJob(name));
  expect(told.woken).toEqual(['hpc/other', 'hpc/sim']);
});

describe('the world of a job', () => {
  it('the world of a job has the ledger entry with its UID', async () => {
    expect(await told.world()).toMatchObject({ isLedgerKnown: false, entry: undefined });
    told.tell('ADDED', ledger(entry('sim')));
    expect(await told.world()).toMatchObject({ isLedgerKnown: true, entry: entry('sim') });
    told.tell('MODIFIED', ledger({ ...entry('sim'), uid: 'of-an-earlier-one' }));
    expect(await told.world()).toMatchObject({ isLedgerKnown: true, entry: undefined });
  });

  it('the world of a job shows whether this leader has written the ledger in its term', async () => {
    told.tell('ADDED', ledger(entry('sim')));
    expect(await told.world()).toMatchObject({ isOfThisTerm: true });
    told.beginEpoch(undefined);
    expect(await told.world()).toMatchObject({ isOfThisTerm: false, entry: entry('sim') });
    told.beginEpoch('b');
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
    // It may have been read from an earlier state: it is read again.
    expect(decideJob(gone, 0)).toMatchObject({ steps: [], requeueAfterMs: 5_000 });
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

    it('a large spec is read again when a batch Job is to be created from it, and not before', async () => {
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

    it('nothing is created from a large spec that was changed while it was read', async () => {
      const { metadata, ...rest } = stored;
      told.tell('MODIFIED', { ...rest, metadata: { ...metadata, generation: 7 } });
      told.tell('ADDED', granted());
      const world = await told.world();
      expect(isWhole(world)).toBe(false);
      expect(decideJob(world, 0)).toMatchObject({ steps: [], requeueAfterMs: 5_000 });
    });
  });

  it('the world of a job has the defaults of its queue', async () => {
    const jobDefaults = { activeDeadlineSeconds: 60, deadlineSignalSeconds: 20 };
    told.tell(
      'ADDED',
      make(kinds.SwarmQueue, { name: 'batch' }, { spec: { quota: {}, jobDefaults } }),
    );
    expect((await told.world()).queue).toEqual(jobDefaults);
  });
});

it('a deleted job has no world, and a new job of its name does not get its verdict', async () => {
  const ref = { namespace: 'hpc', name: 'sim', uid: 'sim-uid' };
  const verdict = { reason: 'QueuePaused', message: 'SwarmQueue batch is paused' };
  told.queuedJobs.setVerdict(ref, verdict);
  told.tell('DELETED', swarmJob('sim'));
  expect(await told.controller.observe('hpc/sim', undefined)).toBeUndefined();
  const next = swarmJob('sim');
  told.tell('ADDED', { ...next, metadata: { ...next.metadata, uid: 'next-uid' } });
  expect((await told.world()).waits).toBeUndefined();
});
