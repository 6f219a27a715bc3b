// What is kept of a pod that is listed is all that is read of one.
import { expect, it } from '@jest/globals';
import { ASSIGNED_ANNOTATION } from '../../../src/api/assignment.ts';
import { DELETION_COST_ANNOTATION, parsePod, slimPod } from '../../../src/api/observed.ts';

const full = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'worker-0',
    namespace: 'tv',
    uid: 'u',
    resourceVersion: '7',
    deletionTimestamp: '2026-01-01T00:00:00Z',
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'worker', uid: 'owner', controller: true }],
    labels: { app: 'worker' },
    annotations: { [ASSIGNED_ANNOTATION]: 'told', [DELETION_COST_ANNOTATION]: '3', other: 'x'.repeat(1_000) },
    managedFields: [{ manager: 'kubelet' }],
  },
  spec: { containers: [{ name: 'worker', image: 'x', env: [], ports: [{ name: 'http', containerPort: 9090 }] }, { name: 'sidecar' }] },
  status: {
    phase: 'Running',
    podIP: '10.0.0.1',
    conditions: [
      { type: 'Initialized', status: 'True' },
      { type: 'Ready', status: 'True' },
    ],
    containerStatuses: [{ name: 'worker' }],
  },
};

it('a slim pod reads as the whole one', () => {
  expect(parsePod(slimPod(full))).toEqual(parsePod(full));
  expect(parsePod(full)).toMatchObject({ isReady: true, isTerminating: true, assigned: 'told', deletionCost: '3', ports: { http: 9090 } });
  expect(JSON.stringify(slimPod(full)).length).toBeLessThan(JSON.stringify(full).length / 2);
  const bare = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bare' } };
  expect(parsePod(slimPod(bare))).toEqual(parsePod(bare));
});

it('a port of a sidecar is found by its name, that of an init container is none', () => {
  const port = (name: string, containerPort: number): object => ({ ports: [{ name, containerPort }] });
  const initContainers = [
    { name: 'setup', ...port('setup', 1) },
    { name: 'sidecar', restartPolicy: 'Always', ...port('version', 8080) },
  ];
  const pod = { ...full, spec: { ...full.spec, initContainers } };
  expect(parsePod(pod).ports).toEqual({ http: 9090, version: 8080 });
  expect(parsePod(slimPod(pod))).toEqual(parsePod(pod));
});
