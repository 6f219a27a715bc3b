// What does swarmctl read on the Lease of the operator, also when its annotation is broken?
import { expect, it } from '@jest/globals';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { operatorIn } from '../../../../src/cli/cluster/operator.ts';

const lease = (kinds?: string, spec: object = { holderIdentity: 'pod-1' }): KubeObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {
    name: 'renamed',
    ...(kinds !== undefined && { annotations: { 'k8slab.info/kinds': kinds } }),
  },
  spec,
});
const none = {
  problem: 'no Lease of an operator in namespace ops; use --namespace for another namespace',
};

it.each([
  [
    'reads a kind that works, and one that does not',
    [
      lease(
        '[{"kind":"SwarmPool","state":"On"},{"kind":"SwarmGroup","state":"Off","message":"not served"}]',
      ),
    ],
    {
      leader: 'pod-1',
      kinds: [
        { kind: 'SwarmPool', state: 'On' },
        { kind: 'SwarmGroup', state: 'Off', why: 'not served' },
      ],
    },
  ],
  ['finds no operator without a Lease', [], none],
  ['finds no operator by a Lease without the annotation', [lease()], none],
  [
    'finds the Lease among those of other programs',
    [lease(), lease('[]', { holderIdentity: 'pod-2' })],
    { leader: 'pod-2', kinds: [] },
  ],
  [
    'prefers a Lease that a replica holds',
    [lease('[]', {}), lease('[]')],
    { leader: 'pod-1', kinds: [] },
  ],
  ['reads no kind of invalid JSON', [lease('{')], { leader: 'pod-1', kinds: [] }],
  ['reads no kind of other JSON', [lease('[1,{"kind":2}]')], { leader: 'pod-1', kinds: [] }],
  ['reads no leader where none leads', [lease('[]', {})], { leader: '', kinds: [] }],
])('swarmctl %s', (_, leases, want) => {
  expect(operatorIn(leases, 'ops')).toEqual(want);
});
