import { describe, expect, it } from '@jest/globals';
import { type Candidate, place } from '../../../../src/playground/node/schedule.ts';
import { pod } from './builders.ts';

const node = (name: string, more: Partial<Candidate> = {}): Candidate => ({
  name,
  labels: { 'kubernetes.io/hostname': name, n: '5' },
  isReady: true,
  isUnschedulable: false,
  taints: [],
  maxPods: 10,
  pods: 0,
  ...more,
});
const affinity = (...terms: object[]) => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
  },
});
const match = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, values }],
});
const taint = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };

describe('place > binds a pod to', () => {
  it.each<[string, object, Candidate[], string]>([
    ['the node with the fewest pods', {}, [node('a', { pods: 2 }), node('b', { pods: 1 })], 'b'],
    ['the first by name among equals', {}, [node('b'), node('a')], 'a'],
    [
      'the node that its selector names',
      { nodeSelector: { 'kubernetes.io/hostname': 'b' } },
      [node('a'), node('b')],
      'b',
    ],
    [
      'a node of one of the terms',
      affinity(match('x', 'Exists'), match('kubernetes.io/hostname', 'In', 'b')),
      [node('a'), node('b')],
      'b',
    ],
    [
      'a node by its field',
      affinity({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }),
      [node('a'), node('b')],
      'b',
    ],
    [
      'a node whose taint it tolerates',
      { tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'gpu' }] },
      [node('a', { taints: [taint] })],
      'a',
    ],
    [
      'any node if it tolerates all',
      { tolerations: [{ operator: 'Exists' }] },
      [node('a', { taints: [taint], isUnschedulable: true })],
      'a',
    ],
    [
      'a node that would rather not',
      {},
      [node('a', { taints: [{ ...taint, effect: 'PreferNoSchedule' }] })],
      'a',
    ],
  ])('a pod is bound to %s', (_, spec, nodes, wanted) => {
    expect(place(pod(spec), nodes)).toEqual({ fits: true, node: wanted });
  });
});

describe('place > binds a pod to no node', () => {
  it.each<[string, object, Candidate[], string]>([
    ['without nodes', {}, [], '0/0 nodes are available.'],
    [
      'when none is ready',
      {},
      [node('a', { isReady: false })],
      '0/1 nodes are available: 1 node(s) were not ready.',
    ],
    [
      'when all are full',
      {},
      [node('a', { pods: 10 })],
      '0/1 nodes are available: 1 Too many pods.',
    ],
    [
      'when none has its label',
      affinity(match('n', 'Gt', '5')),
      [node('a')],
      "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
    ],
    [
      'with a term that says nothing',
      affinity({}),
      [node('a')],
      "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
    ],
    [
      'for several reasons',
      {},
      [
        node('a', { taints: [taint] }),
        node('b', { taints: [taint] }),
        node('c', { isUnschedulable: true }),
      ],
      '0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) had untolerated taint {dedicated: gpu}.',
    ],
  ])('a pod is bound to no node %s', (_, spec, nodes, message) => {
    expect(place(pod(spec), nodes)).toEqual({ fits: false, message });
  });
});
