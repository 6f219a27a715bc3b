// Which operators does swarmctl find on the Leases of a cluster, also when annotations are broken?
import { expect, it } from '@jest/globals';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { operatorsIn } from '../../../../src/cli/cluster/operator.ts';

const NOW = Date.UTC(2026, 0, 1);
const renewed = (agoMs: number): string => new Date(NOW - agoMs).toISOString();
const held = (holderIdentity: string, agoMs = 1_000): object => ({
  holderIdentity,
  renewTime: renewed(agoMs),
});

const lease = (
  kinds?: string,
  spec: object = held('pod-1'),
  { namespace = 'ops', more = {} }: { namespace?: string; more?: object } = {},
): KubeObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {
    name: 'renamed',
    namespace,
    ...(kinds !== undefined && { annotations: { 'k8slab.info/kinds': kinds, ...more } }),
  },
  spec,
});
const found = (leader: string, namespace = 'ops', kinds: readonly object[] = []): object => ({
  leader,
  lease: `${namespace}/renamed`,
  namespaces: 'all',
  kinds,
});

it.each([
  [
    'reads a kind that works, and one that does not',
    [
      lease(
        '[{"kind":"SwarmPool","state":"On"},{"kind":"SwarmGroup","state":"Off","message":"not served"}]',
      ),
    ],
    [
      found('pod-1', 'ops', [
        { kind: 'SwarmPool', state: 'On' },
        { kind: 'SwarmGroup', state: 'Off', why: 'not served' },
      ]),
    ],
  ],
  [
    'reads the namespaces that the operator cannot read',
    [
      lease(
        '[{"kind":"SwarmPool","state":"On","unreadable":{"count":2,"first":[{"namespace":"a","message":"no rule"}]}}]',
      ),
    ],
    [
      found('pod-1', 'ops', [
        {
          kind: 'SwarmPool',
          state: 'On',
          why: 'at rest in 2 namespaces that cannot be read: a: no rule; …',
        },
      ]),
    ],
  ],
  ['finds no operator without a Lease', [], []],
  ['finds no operator by a Lease of another program', [lease()], []],
  [
    'finds the Lease among those of other programs',
    [lease(), lease('[]', held('pod-2'))],
    [found('pod-2')],
  ],
  [
    'shows both operators when two lead',
    [lease('[]', held('me'), { namespace: 'swarm' }), lease('[]')],
    [found('pod-1'), found('me', 'swarm')],
  ],
  [
    'leaves out Leases that no replica holds or renews, while an operator leads',
    [
      lease('[]', {}),
      lease('[]', held('gone', 60_000), { namespace: 'old' }),
      lease('[]', held('pod-1'), { namespace: 'new' }),
    ],
    [found('pod-1', 'new')],
  ],
  [
    'reads where an operator runs and what it watches',
    [
      lease('[]', held('me'), {
        more: { 'k8slab.info/namespaces': 'a,b', 'k8slab.info/runs-as': 'process 7 on mine' },
      }),
    ],
    [{ ...found('me'), namespaces: 'a, b', runsAs: 'process 7 on mine' }],
  ],
  [
    'shows a forged text in one line, without commands for the terminal',
    [lease(JSON.stringify([{ kind: 'A\u001b[2J', state: 'On\nOff', message: 'x\ty' }]))],
    [found('pod-1', 'ops', [{ kind: 'A [2J', state: 'On Off', why: 'x y' }])],
  ],
  ['reads no kind of invalid JSON', [lease('{')], [found('pod-1')]],
  ['reads no kind of other JSON', [lease('[1,{"kind":2}]')], [found('pod-1')]],
  ['reads no leader where none leads', [lease('[]', {})], [found('')]],
  ['reads no leader where it was killed', [lease('[]', held('gone', 60_000))], [found('')]],
])('swarmctl %s', (_, leases, want) => {
  expect(operatorsIn(leases, NOW)).toEqual(want);
});
