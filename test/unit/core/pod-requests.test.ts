// How much of each resource does a pod take?
import { expect, it } from '@jest/globals';
import { noDefaults } from '../../../src/core/completed-pod.ts';
import { requestsOf, takenBy } from '../../../src/core/pod-requests.ts';
import { parseQuantity, quantityText } from '../../../src/core/quantity.ts';

const textsIn = (amounts: ReadonlyMap<string, bigint>): Readonly<Record<string, string>> =>
  Object.fromEntries([...amounts].map(([resource, amount]) => [resource, quantityText(amount)]));

const container = (requests: object, more: object = {}) => ({ resources: { requests }, ...more });

it.each<[string, object, Readonly<Record<string, string>>]>([
  ['nothing', {}, {}],
  [
    'what its containers take together',
    { containers: [container({ cpu: '1' }), container({ cpu: '500m', memory: '1k' })] },
    { cpu: '1500m', memory: '1000' },
  ],
  [
    'what its largest init container takes, beside sidecars that were started before it',
    {
      initContainers: [
        container({ cpu: '1' }, { restartPolicy: 'Always' }),
        container({ cpu: '3' }),
      ],
      containers: [container({ cpu: '2' })],
    },
    { cpu: '4' },
  ],
  [
    'what the pod as a whole requests',
    { resources: { requests: { cpu: '5' } }, containers: [container({ cpu: '1', memory: '1' })] },
    { cpu: '5', memory: '1' },
  ],
  [
    'its overhead besides',
    { containers: [container({ cpu: '1' })], overhead: { cpu: '100m' } },
    { cpu: '1100m' },
  ],
  [
    'a limit of the pod as a whole where neither it nor a container requests some of it',
    {
      resources: { limits: { cpu: '5', memory: '9' } },
      containers: [container({ memory: '1' })],
    },
    { cpu: '5', memory: '1' },
  ],
  // The API server refuses such a template when the batch Job is made.
  [
    'nothing for a negative or unreadable request, which makes no other one smaller',
    { containers: [container({ cpu: '2' }), container({ cpu: '-100', memory: 'much' })] },
    { cpu: '2', memory: '0' },
  ],
])('a pod takes %s', (_, podSpec, wanted) => {
  expect(textsIn(requestsOf(podSpec))).toEqual(wanted);
});

it.each<[string, object, string]>([
  ['a template takes the overhead of its RuntimeClass', { runtimeClassName: 'kata' }, '1100m'],
  ['a template of another RuntimeClass takes none', { runtimeClassName: 'runc' }, '1'],
  ['a template without a RuntimeClass takes none', {}, '1'],
  ['a pod takes what its spec says', { runtimeClassName: 'kata', overhead: { cpu: '1' } }, '2'],
])('%s', (_, more, cpu) => {
  const overheads = new Map([['kata', new Map([['cpu', parseQuantity('100m') ?? 0n]])]]);
  const podSpec = { containers: [container({ cpu: '1' })], ...more };
  expect(textsIn(requestsOf(podSpec, { ...noDefaults, overheads }))).toEqual({ cpu });
});

it('a request that is missing is that of the limit, then that of the LimitRange', () => {
  const defaults = {
    ...noDefaults,
    requests: new Map([
      ['cpu', 7n],
      ['memory', 8n],
    ]),
  };
  const podSpec = { containers: [{ resources: { limits: { cpu: '1' } } }] };
  expect(textsIn(requestsOf(podSpec, defaults))).toEqual({ cpu: '1', memory: '8n' });
  expect(textsIn(takenBy(noDefaults)(podSpec).limits)).toEqual({ cpu: '1' });
});
