// What does the Lease of the operator say, whatever somebody wrote there?
import { expect, it } from '@jest/globals';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { operatorIn } from '../../../../src/cli/cluster/operator.ts';

const lease = (said?: string, spec: object = { holderIdentity: 'pod-1' }): KubeObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {
    name: 'swarm-operator',
    ...(said !== undefined && { annotations: { 'k8slab.info/kinds': said } }),
  },
  spec,
});

it.each([
  [
    'a kind that works, and one that does not',
    lease(
      '[{"kind":"SwarmPool","state":"On"},{"kind":"SwarmGroup","state":"Off","message":"not served"}]',
    ),
    {
      leader: 'pod-1',
      kinds: [
        { kind: 'SwarmPool', state: 'On' },
        { kind: 'SwarmGroup', state: 'Off', why: 'not served' },
      ],
    },
  ],
  ['of an older operator the leader alone', lease(), { leader: 'pod-1', kinds: [] }],
  ['nothing of what is no JSON', lease('{'), { leader: 'pod-1', kinds: [] }],
  ['nothing of what is no list of kinds', lease('[1,{"kind":2}]'), { leader: 'pod-1', kinds: [] }],
  ['no leader where there is none', lease('[]', {}), { leader: '', kinds: [] }],
])('%s', (_, object, want) => {
  expect(operatorIn(object)).toEqual(want);
});
