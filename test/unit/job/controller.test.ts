// What wakes a job?
import { beforeEach, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../src/api/kinds.ts';
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
  withoutData,
} from '../../support/told-jobs.ts';

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

  it('an entry that is marked as preempted wakes its job', () => {
    told.tell('ADDED', ledger(entry('other'), entry('sim')));
    told.woken;
    const preempted = { uid: 'urgent-uid', name: 'urgent', priority: 9, time: entry('sim').time };
    told.tell('MODIFIED', ledger(entry('other'), { ...entry('sim'), preempted }));
    expect(told.woken).toEqual(['hpc/sim']);
  });

  it('the first write of a ledger in a term wakes every job, though it changes no entry', () => {
    told.tell('ADDED', ledger(entry('other')));
    told.woken;
    told.tell('MODIFIED', ledgerOf('b', entry('other')));
    expect(told.woken).toEqual(['hpc/other', 'hpc/sim']);
  });

  it('a ledger with unknown contents wakes all jobs except those whose status has their verdict', () => {
    const verdict = { reason: 'QueuePaused', message: 'SwarmQueue batch is paused' };
    told.tell('MODIFIED', swarmJob('sim', { state: 'Waiting', ...verdict }));
    told.tell('MODIFIED', swarmJob('other', { state: 'Waiting', reason: 'Queued' }));
    for (const name of ['sim', 'other'])
      told.queuedJobs.setVerdict({ namespace: 'hpc', name, uid: `${name}-uid` }, verdict);
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
    const ref = { namespace: 'hpc', name: 'sim', uid: 'sim-uid' };
    told.queuedJobs.setVerdict(ref, verdict);
    expect(told.woken).toEqual(['hpc/sim']);
    told.queuedJobs.setVerdict(ref, { ...verdict });
    expect(told.woken).toEqual([]);
    expect((await told.world()).waits).toEqual(verdict);
    told.queuedJobs.setVerdict(ref, undefined);
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
