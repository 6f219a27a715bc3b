// What becomes of a job whose first rank leads the others?
import { describe, expect, it } from '@jest/globals';
import { asList, asRecord, dig } from '../../../src/api/objects.ts';
import { nothingRemembered } from '../../../src/job/world.ts';
import { JobCluster } from '../../support/job-cluster.ts';
import { textsOf } from '../../support/job-steps.ts';

const gang = (spec: object = {}): JobCluster => {
  const cluster = new JobCluster({ size: 3, launcher: { type: 'Leader' }, ...spec });
  cluster.admit().rest();
  cluster.controllerSyncs().podsReady().rest();
  return cluster.told();
};

const commandOf = ({ batchJob }: JobCluster): unknown =>
  dig(asList(dig(batchJob, 'spec', 'template', 'spec', 'containers'))[0], 'command');

describe('a job with a leader', () => {
  it('rank 0 runs the command, and the others the command of workers', () => {
    expect(commandOf(gang())).toEqual(['/bin/sh', '/etc/swarm/start', '0', 'run']);
    const workerCommand = ['serve', '--all'];
    expect(commandOf(gang({ launcher: { type: 'Leader', workerCommand } }))).toEqual([
      ...['/bin/sh', '/etc/swarm/start', '2', 'serve', '--all'],
      'run',
    ]);
  });

  it('Kubernetes ends its batch Job with rank 0', () => {
    expect(dig(gang().batchJob, 'spec', 'successPolicy')).toEqual({
      rules: [{ succeededIndexes: '0' }],
    });
    const alone = new JobCluster({ launcher: { type: 'Leader' } }).running();
    expect(dig(alone.batchJob, 'spec', 'successPolicy')).toBeUndefined();
    expect(commandOf(alone)).toEqual(['run']);
  });

  it('a job has succeeded when its leader has, and the other ranks have ended', () => {
    const cluster = gang().podsEnd({ exitCode: 0 }, 0);
    expect(textsOf(cluster.rest())).toEqual(['status Running']);
    expect(cluster.status).toMatchObject({
      reason: 'LeaderEnded',
      message: 'rank 0 has ended well; the other ranks end',
    });
    cluster.controllerSyncs();
    expect(cluster.rest()).toEqual([]);
    cluster.terminatingEnd(143).controllerSyncs().rest();
    expect(cluster.status).toMatchObject({
      state: 'Succeeded',
      message: 'rank 0 ended well',
      exitCode: 0,
    });
  });

  it('the others may end well when they are told to end', () => {
    const cluster = gang().podsEnd({ exitCode: 0 }, 0).controllerSyncs().terminatingEnd(0);
    expect(textsOf(cluster.rest()).filter((it) => it.startsWith('operate'))).toEqual([]);
    cluster.controllerSyncs().rest();
    expect(cluster.state).toBe('Succeeded');
  });

  it('the others may end well before the leader', () => {
    const cluster = gang().podsEnd({ exitCode: 0 }, 1, 2).controllerSyncs();
    cluster.rest();
    expect(cluster.state).toBe('Running');
    cluster.podsEnd({ exitCode: 0 }, 0).rest();
    expect(cluster.state).toBe('Succeeded');
  });

  it('an evicted leader has not succeeded, whatever its exit code', () => {
    const cluster = gang().evictPods(0).terminatingEnd(0);
    cluster.rest();
    cluster.settle();
    expect(cluster.status).toMatchObject({
      state: 'Waiting',
      reason: 'BackingOff',
      failures: { disruption: 1 },
    });
  });

  it('a leader that was evicted while no operator ran has not succeeded', () => {
    const cluster = gang().evictPods(0).terminatingEnd(0).controllerSyncs().deletePodOf(0);
    // It has not written the start, either.
    cluster.makeUpStatus(undefined).remembered = nothingRemembered;
    cluster.rest();
    cluster.settle();
    expect(cluster.status).toMatchObject({ state: 'Waiting', failures: { disruption: 1 } });
  });

  it('a rank that is lost while the leader runs is a new attempt of all', () => {
    const cluster = gang().evictPods(2).terminatingEnd(143).controllerSyncs();
    cluster.rest();
    cluster.settle();
    expect(cluster.status).toMatchObject({ state: 'Waiting', failures: { disruption: 1 } });
  });

  it('a rank that fails fails the attempt, with its exit code', () => {
    const cluster = gang().podsEnd({ exitCode: 4 }, 1).controllerSyncs().terminatingEnd(0);
    cluster.controllerSyncs().rest();
    expect(cluster.status).toMatchObject({
      state: 'Failed',
      message: 'attempt 1 failed: rank 1 ended with exit code 4',
      exitCode: 4,
    });
  });

  it('a leader that has ended well decides, whatever else has failed meanwhile', () => {
    const cluster = gang().podsEnd({ exitCode: 0 }, 0).podsEnd({ exitCode: 4 }, 1);
    cluster.controllerSyncs().terminatingEnd(143).controllerSyncs();
    expect(cluster.parsedBatchJob?.end?.type).toBe('Failed');
    cluster.rest();
    expect(cluster.status).toMatchObject({ state: 'Succeeded', message: 'rank 0 ended well' });
  });

  it('a job that is suspended as its leader succeeds has succeeded', () => {
    const cluster = gang().podsEnd({ exitCode: 0 }, 0).edit({ suspend: true });
    cluster.rest();
    cluster.settle();
    expect(cluster.state).toBe('Succeeded');
  });

  it.each([
    ['Complete', 'the others end well', { exitCode: 0 }],
    ['Failed', 'another rank fails, too', { exitCode: 1 }],
  ] as const)(
    'a job that was taken back after its leader had ended well has succeeded: its batch Job is %s since %s',
    (type, _, end) => {
      const cluster = gang();
      const before = cluster.breakPodWatch(true).edit({ suspend: true });
      cluster.podsEnd({ exitCode: 0 }, 0).podsEnd(end, 1);
      expect(textsOf(before.rest())[0]).toContain('replace suspend true');
      cluster.breakPodWatch(false);
      for (let round = 0; round < 3; round += 1) cluster.controllerSyncs().terminatingEnd();
      expect(cluster.parsedBatchJob?.end?.type).toBe(type);
      cluster.rest();
      expect(cluster.state).toBe('Succeeded');
    },
  );

  it('a Kubernetes that drops the success policy is named, and no rank starts', () => {
    const cluster = new JobCluster({ size: 3, launcher: { type: 'Leader' } }).admit();
    cluster.step();
    const { successPolicy: _, ...spec } = asRecord(cluster.batchJob?.['spec']) ?? {};
    if (cluster.batchJob !== undefined) cluster.batchJob = { ...cluster.batchJob, spec };
    expect(textsOf(cluster.rest())[0]).toBe('status Failed');
    expect(cluster.pods).toEqual([]);
    expect(cluster.status).toMatchObject({
      reason: 'TemplateRefused',
      message: expect.stringContaining('needs Kubernetes 1.31 or newer'),
    });
  });
});
