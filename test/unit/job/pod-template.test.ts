// What is made for a job, and what does each of its pods find in it?
import { describe, expect, it } from '@jest/globals';
import { asList, dig, type KubeObject } from '../../../src/api/objects.ts';
import { JobCluster } from '../../support/job-cluster.ts';

const made = (spec: object, queue = {}): Readonly<Record<string, KubeObject>> => {
  const cluster = new JobCluster({ ...spec });
  cluster.queue = queue;
  const { steps } = cluster.admit().decide();
  return Object.fromEntries(
    steps.flatMap((step) => (step.do === 'create' ? [[step.object.kind, step.object]] : [])),
  );
};

const labels = {
  'app.kubernetes.io/managed-by': 'swarm-operator',
  'k8slab.info/job': 'sim',
  'k8slab.info/queue': 'batch',
};

const owner = {
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmJob',
  name: 'sim',
  uid: 'job-uid',
  controller: true,
};

describe('the batch Job', () => {
  it('the batch Job is a suspended Indexed Job that the SwarmJob controls', () => {
    const { Job: job } = made({ size: 4 });
    expect(job?.metadata).toEqual({
      name: 'sim',
      namespace: 'hpc',
      labels,
      annotations: {
        'k8slab.info/grant': '2',
        'k8slab.info/attempt': '1',
        'k8slab.info/ran-seconds': '0',
      },
      ownerReferences: [owner],
    });
    expect(job?.['spec']).toMatchObject({
      suspend: true,
      completionMode: 'Indexed',
      completions: 4,
      parallelism: 4,
      backoffLimit: 0,
      podReplacementPolicy: 'Failed',
    });
    expect(dig(job, 'spec', 'activeDeadlineSeconds')).toBeUndefined();
    expect(dig(job, 'spec', 'template', 'spec')).toMatchObject({
      restartPolicy: 'Never',
      subdomain: 'sim',
    });
  });

  it('each container has variables for rank, size, leader and hosts, unless the user sets one', () => {
    const { Job: job } = made({
      size: 4,
      env: [
        { name: 'ME', value: 'rank $(SWARM_RANK)' },
        { name: 'SWARM_HOSTS', value: 'mine' },
      ],
      template: { spec: { initContainers: [{ name: 'first', image: 'busybox' }] } },
    });
    const template = dig(job, 'spec', 'template');
    const [main] = asList(dig(template, 'spec', 'containers'));
    const path = (name: string) => ({
      valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${name}']` } },
    });
    expect(dig(main, 'env')).toEqual([
      { name: 'SWARM_RANK', ...path('batch.kubernetes.io/job-completion-index') },
      { name: 'SWARM_SIZE', ...path('k8slab.info/size') },
      { name: 'SWARM_LEADER', ...path('k8slab.info/leader') },
      { name: 'ME', value: 'rank $(SWARM_RANK)' },
      { name: 'SWARM_HOSTS', value: 'mine' },
    ]);
    expect(dig(template, 'metadata', 'annotations')).toEqual({
      'k8slab.info/size': '4',
      'k8slab.info/leader': 'sim-0.sim',
      'k8slab.info/hosts': 'sim-[0-3].sim',
      'k8slab.info/job-uid': 'job-uid',
    });
    const mount = { name: 'k8slab-swarm', mountPath: '/etc/swarm', readOnly: true };
    expect(dig(main, 'volumeMounts')).toEqual([mount]);
    const [first] = asList(dig(template, 'spec', 'initContainers'));
    expect(dig(first, 'volumeMounts')).toEqual([mount]);
    expect(asList(dig(first, 'env'))).toHaveLength(4);
  });

  it('one projected volume has the files for rank, size, leader and hosts', () => {
    const { Job: job } = made({ size: 2 });
    const [volume] = asList(dig(job, 'spec', 'template', 'spec', 'volumes'));
    expect(volume).toEqual({
      name: 'k8slab-swarm',
      projected: {
        sources: [
          {
            downwardAPI: {
              items: [
                ['rank', 'batch.kubernetes.io/job-completion-index'],
                ['size', 'k8slab.info/size'],
                ['leader', 'k8slab.info/leader'],
              ].map(([path, name]) => ({
                path,
                fieldRef: { fieldPath: `metadata.annotations['${name}']` },
              })),
            },
          },
          { configMap: { name: 'sim-hosts', items: [{ key: 'hosts', path: 'hosts' }] } },
        ],
      },
    });
  });

  it('a job of one pod needs neither a Service nor a ConfigMap', () => {
    const objects = made({});
    expect(Object.keys(objects)).toEqual(['Job']);
    const template = dig(objects['Job'], 'spec', 'template');
    expect(dig(template, 'spec', 'subdomain')).toBeUndefined();
    expect(dig(template, 'metadata', 'annotations')).toMatchObject({
      'k8slab.info/leader': 'sim-0',
      'k8slab.info/hosts': 'sim-0',
    });
    const [volume] = asList(dig(template, 'spec', 'volumes'));
    expect(asList(dig(volume, 'projected', 'sources'))).toHaveLength(1);
  });

  it('the batch Job keeps all that the user wrote into the template', () => {
    const { Job: job } = made({
      workingDir: '/data',
      resources: { requests: { cpu: '2' } },
      template: {
        metadata: { labels: { team: 'a' }, annotations: { note: 'b' } },
        spec: {
          volumes: [{ name: 'data', emptyDir: {} }],
          nodeSelector: { disk: 'fast' },
          containers: [
            { name: 'side', image: 'busybox' },
            { name: 'main', volumeMounts: [{ name: 'data', mountPath: '/data' }] },
          ],
        },
      },
    });
    const template = dig(job, 'spec', 'template');
    expect(dig(template, 'metadata', 'labels')).toEqual({ team: 'a', ...labels });
    expect(dig(template, 'metadata', 'annotations')).toMatchObject({ note: 'b' });
    expect(dig(template, 'spec')).toMatchObject({
      nodeSelector: { disk: 'fast' },
      volumes: [{ name: 'data' }, { name: 'k8slab-swarm' }],
      containers: [
        {
          name: 'main',
          image: 'example.org/sim',
          command: ['run'],
          workingDir: '/data',
          resources: { requests: { cpu: '2' } },
          volumeMounts: [{ name: 'data' }, { name: 'k8slab-swarm' }],
        },
        { name: 'side', image: 'busybox', volumeMounts: [{ name: 'k8slab-swarm' }] },
      ],
    });
  });
});

it('the Service publishes the addresses of ranks before they are ready', () => {
  const { Service: service } = made({ size: 2 });
  expect(service?.metadata).toMatchObject({ name: 'sim', labels, ownerReferences: [owner] });
  expect(service?.['spec']).toEqual({
    clusterIP: 'None',
    publishNotReadyAddresses: true,
    selector: { 'k8slab.info/job': 'sim' },
  });
});

it('the ConfigMap has one host a line', () => {
  const { ConfigMap: hosts } = made({ size: 3 });
  expect(hosts?.metadata).toMatchObject({ name: 'sim-hosts', labels, ownerReferences: [owner] });
  expect(hosts?.['data']).toEqual({ hosts: 'sim-0.sim\nsim-1.sim\nsim-2.sim\n' });
});
