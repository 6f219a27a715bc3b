// What is made for a job whose ranks are brokers of Flux?
import { describe, expect, it } from '@jest/globals';
import { asList, dig } from '../../../src/api/objects.ts';
import { JobCluster } from '../../support/job-cluster.ts';

const madeFor = (spec: object, launcher: object = {}) => {
  const cluster = new JobCluster({ size: 3, launcher: { type: 'Flux', ...launcher }, ...spec });
  const steps = cluster.admit().rest();
  const podSpec = dig(cluster.batchJob, 'spec', 'template', 'spec');
  const [main] = asList(dig(podSpec, 'containers'));
  return { steps, podSpec, words: asList(dig(main, 'command')).slice(2) };
};

const gpus = { 'nvidia.com/gpu': 1, 'amd.com/gpu': 2, 'nvidia.com/gpu.shared': 9 };
const sidecar = { name: 'side', image: 'busybox', resources: { limits: gpus } };

describe('a job with launcher Flux', () => {
  it('the certificate is created before the batch Job is started', () => {
    const { steps } = madeFor({});
    expect(steps[3]).toMatchObject({
      do: 'createKeys',
      keys: 'curve',
      object: { metadata: { name: 'k8slab-keys-sim-2' } },
    });
  });

  it.each([
    [{}, {}, ['3', '8050', '0', '30']],
    [{}, { tasks: 8, port: 9000 }, ['8', '9000', '0', '30']],
    [{ resources: { limits: { 'nvidia.com/gpu': '2', cpu: '4' } } }, {}, ['3', '8050', '2', '30']],
    [{ resources: { limits: gpus } }, {}, ['3', '8050', '3', '30']],
    [{ template: { spec: { containers: [sidecar] } } }, {}, ['3', '8050', '0', '30']],
    [{ deadlineSignalSeconds: 90, activeDeadlineSeconds: 100 }, {}, ['3', '8050', '0', '90']],
    [{ template: { spec: { terminationGracePeriodSeconds: 0 } } }, {}, ['3', '8050', '0', '1']],
  ])(
    'the start script gets tasks, port, GPUs and the grace period: %j %j',
    (spec, launcher, words) =>
      expect(madeFor(spec, launcher).words).toEqual(['flux', ...words, 'run']),
  );

  it('without a command the script gets none', () => {
    const spec = { command: undefined, activeDeadlineSeconds: 60 };
    expect(madeFor(spec).words).toEqual(['flux', '3', '8050', '0', '30']);
  });

  it('each rank has a file with the CPU that its own pod requests', () => {
    const [files] = asList(dig(madeFor({}).podSpec, 'volumes'));
    const [source] = asList(dig(files, 'projected', 'sources'));
    expect(asList(dig(source, 'downwardAPI', 'items')).at(-1)).toEqual({
      path: 'cpu',
      resourceFieldRef: { containerName: 'main', resource: 'requests.cpu', divisor: '1m' },
    });
  });
});
