// When do the ranks of a gang begin that start together?
import { describe, expect, it } from '@jest/globals';
import { asList, asRecord, dig } from '../../../src/api/objects.ts';
import { OUTDATED_AGAIN_MS } from '../../../src/core/decision.ts';
import { JobCluster } from '../../support/job-cluster.ts';
import { textsOf } from '../../support/job-steps.ts';

const ADDRESSES = 'k8slab.info/addresses';

const TOGETHER = { launcher: { start: 'Together' } };

const gang = (spec: object = {}): JobCluster => {
  const cluster = new JobCluster({ size: 3, ...TOGETHER, ...spec });
  cluster.admit().rest();
  cluster.controllerSyncs();
  return cluster;
};

const addressesOf = ({ pods }: JobCluster) =>
  pods.map(({ metadata }) => metadata.annotations?.[ADDRESSES]);

describe('a gang that starts together', () => {
  it('no rank gets the addresses before the pods of all ranks run', () => {
    const cluster = gang();
    expect(addressesOf(cluster)).toEqual(['', '', '']);
    expect(textsOf(cluster.podsReady(0, 2).rest())).toEqual([]);
    expect(addressesOf(cluster)).toEqual(['', '', '']);
    expect(textsOf(cluster.podsReady(1).rest())).toEqual(['annotate', 'annotate', 'annotate']);
    const all = '10.0.0.1\n10.0.0.2\n10.0.0.3\n';
    expect(addressesOf(cluster)).toEqual([all, all, all]);
    expect(cluster.rest()).toEqual([]);
  });

  it('no rank gets the addresses while a watch is broken: a pod may have ended since', () => {
    const cluster = gang().podsReady();
    cluster.isOutdated = true;
    expect(textsOf(cluster.rest())).toEqual([]);
    expect(addressesOf(cluster)).toEqual(['', '', '']);
    cluster.isOutdated = false;
    expect(textsOf(cluster.rest())).toEqual(['annotate', 'annotate', 'annotate']);
  });

  /** Status shows after two seconds that they wait. */
  const waiting = (spec: object = {}) => gang(spec).podsReady(0, 1).later(2_000);
  const ran = () => new JobCluster({ size: 3, ...TOGETHER }).running();

  it.each<[string, isOutdated: boolean, () => JobCluster, requeueAfterMs: number | undefined]>([
    ['ranks that wait, and a broken watch', true, waiting, OUTDATED_AGAIN_MS],
    ['ranks that wait, and working watches', false, waiting, 299_000],
    [
      'ranks that wait, a broken watch and less time to start',
      true,
      () => waiting({ startTimeoutSeconds: 5 }).later(3_900),
      100,
    ],
    ['ranks that do not run yet, and a broken watch', true, gang, 301_000],
    ['ranks that run, and a broken watch', true, ran, undefined],
  ])('decides in time again about a gang with %s', (_, isOutdated, made, requeueAfterMs) => {
    const cluster = made();
    cluster.rest();
    cluster.isOutdated = isOutdated;
    expect(cluster.decide().requeueAfterMs).toBe(requeueAfterMs);
  });

  it('ranks that wait do not run yet, and the status says how many wait', () => {
    const cluster = gang().podsReady(0, 2).later(9_000);
    cluster.rest();
    expect(cluster.status).toMatchObject({
      state: 'Starting',
      readyRanks: 0,
      message: '0 of 3 ranks run; 2 wait for the others',
    });
    cluster.podsReady(1).rest();
    cluster.told();
    expect(cluster.status).toMatchObject({ state: 'Running', readyRanks: 3 });
  });

  it('a rank whose addresses a user has removed gets them again', () => {
    const cluster = gang().podsReady();
    cluster.rest();
    cluster.pods = cluster.pods.map((pod) => ({
      ...pod,
      metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, [ADDRESSES]: '' } },
    }));
    expect(textsOf(cluster.rest())).toEqual(['annotate', 'annotate', 'annotate']);
  });

  it('addresses that a user writes on one rank let no other begin', () => {
    const cluster = gang().podsReady(0, 1);
    cluster.pods = cluster.pods.map((pod, rank) => ({
      ...pod,
      metadata: {
        ...pod.metadata,
        annotations: { ...pod.metadata.annotations, ...(rank === 0 && { [ADDRESSES]: 'mine' }) },
      },
    }));
    cluster.rest();
    expect(addressesOf(cluster)).toEqual(['mine', '', '']);
    cluster.podsReady(2).rest();
    const all = '10.0.0.1\n10.0.0.2\n10.0.0.3\n';
    expect(addressesOf(cluster)).toEqual(['mine', all, all]);
  });

  it('a rank whose command has failed while it waited is not there, though its pod lives', () => {
    const cluster = gang().podsReady();
    cluster.pods = cluster.pods.map((pod, rank) =>
      rank !== 1
        ? pod
        : {
            ...pod,
            status: {
              ...asRecord(pod['status']),
              containerStatuses: [{ name: 'main', state: { terminated: { exitCode: 127 } } }],
            },
          },
    );
    expect(textsOf(cluster.rest())).not.toContain('annotate');
  });

  it('a rank whose pod is being deleted is not there', () => {
    const cluster = gang().podsReady().deletePods(1);
    expect(textsOf(cluster.rest())).toEqual([]);
    expect(addressesOf(cluster)).toEqual(['', '', '']);
  });

  it('a new leader starts the others once a rank has begun, also if one has ended since', () => {
    const cluster = gang().podsReady();
    const [first] = cluster.decide().steps;
    if (first !== undefined) cluster.carryOut(first);
    cluster.podsEnd({ exitCode: 0 }, 0).controllerSyncs().podsGone();
    expect(textsOf(cluster.rest())).toContain('annotate');
    const all = '-\n10.0.0.2\n10.0.0.3\n';
    expect(addressesOf(cluster)).toEqual([all, all]);
  });

  it('the others begin also if a rank has ended and Kubernetes has not counted it yet', () => {
    const cluster = gang().podsReady();
    const [first] = cluster.decide().steps;
    if (first !== undefined) cluster.carryOut(first);
    cluster.podsEnd({ exitCode: 0 }, 0);
    expect(textsOf(cluster.rest())).toContain('annotate');
    expect(new Set(addressesOf(cluster).slice(1)).size).toBe(1);
    expect(addressesOf(cluster)[1]).toMatch(/10\.0\.0\.2/);
  });

  it('a gang that is never whole is given back, and none of its ranks has begun', () => {
    const cluster = gang({ startTimeoutSeconds: 5 }).podsReady(0, 1).later(7_000);
    cluster.rest();
    expect(cluster.status).toMatchObject({
      state: 'Suspending',
      message: expect.stringContaining(
        'not all ranks ran within 5 s: 0 of 3 ranks run; 2 wait for the others',
      ),
    });
    expect(addressesOf(cluster)).toEqual(['', '', '']);
  });

  it('a refusal of the addresses is in the status until the start time-out', () => {
    const cluster = gang().podsReady();
    cluster.refused = { reason: 'Forbidden', message: 'no annotations here' };
    const { steps } = cluster.decide();
    expect(textsOf(steps)[0]).toBe('status Starting');
    const [status] = steps;
    expect(status?.do === 'status' && status.status).toMatchObject({
      reason: 'AddressesRefused',
      message: 'Forbidden: no annotations here',
    });
  });

  it('the command of each rank comes after the start script, which has a file of addresses', () => {
    const cluster = gang({ command: ['run', 'me'], args: ['now'] });
    const template = dig(cluster.batchJob, 'spec', 'template');
    expect(dig(template, 'metadata', 'annotations', ADDRESSES)).toBe('');
    expect(asList(dig(template, 'spec', 'containers'))[0]).toMatchObject({
      command: ['/bin/sh', '/etc/swarm/start', 'all', 'run', 'me'],
      args: ['now'],
    });
    const [volume] = asList(dig(template, 'spec', 'volumes'));
    const [fields, map] = asList(dig(volume, 'projected', 'sources'));
    expect(asList(dig(fields, 'downwardAPI', 'items')).map((it) => dig(it, 'path'))).toEqual([
      ...['rank', 'size', 'leader'],
      'addresses',
    ]);
    expect(dig(map, 'configMap', 'items')).toEqual([
      { key: 'hosts', path: 'hosts' },
      { key: 'start', path: 'start' },
    ]);
  });

  it('a job of one pod waits for no other', () => {
    const cluster = gang({ size: 1 });
    const template = dig(cluster.batchJob, 'spec', 'template');
    expect(asList(dig(template, 'spec', 'containers'))[0]).toMatchObject({ command: ['run'] });
    expect(addressesOf(cluster)).toEqual([undefined]);
  });
});

it('the ConfigMap of a job is written again for a size or a script that it does not have', () => {
  const cluster = gang();
  const contents = cluster.hosts?.contents ?? '';
  expect(contents).toMatch(/^3 start [0-9a-f]{12}$/);
  if (cluster.hosts !== undefined) cluster.hosts = { ...cluster.hosts, contents: '3 start older' };
  expect(textsOf(cluster.rest())).toEqual(['patch ConfigMap']);
  expect(cluster.hosts?.contents).toBe(contents);
});
