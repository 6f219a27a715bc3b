// How does an API server answer requests about pods? Their status, their eviction, their deletion.
import { kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import { budgets } from '../cluster/api-server.ts';
import type { Conversation, Teller } from './recorder.ts';

const WRONG = '11111111-2222-3333-4444-555555555555';
const { Pod } = kinds;

const spec = {
  containers: [{ name: 'c', image: 'i' }],
  terminationGracePeriodSeconds: 30,
  automountServiceAccountToken: false,
};
const running = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True' }],
  podIP: '10.1.2.3',
};

/** Bound to a node that does not exist, so that no kubelet interferes. */
async function bound(teller: Teller, name: string, labels: object = {}): Promise<KubeObject> {
  const pod = {
    ...teller.object(Pod, name, { spec: { ...spec, nodeName: 'nowhere' } }),
    metadata: { ...teller.ref(name), labels: { ...labels } },
  };
  const made = await teller.api.create(Pod, pod as KubeObject);
  return teller.api.replace(Pod, { ...made, status: running }, 'status');
}

const exact = (teller: Teller, { metadata }: KubeObject, change: object = {}) => ({
  ...teller.ref(metadata.name),
  uid: metadata.uid ?? '',
  resourceVersion: metadata.resourceVersion ?? '',
  ...change,
});

const isThere = async (teller: Teller, name: string): Promise<void> =>
  void (await teller.try(
    `${name} exists`,
    () => teller.get(Pod, teller.ref(name)),
    ({ metadata }) => ({
      isTerminating: metadata.deletionTimestamp !== undefined,
    }),
  ));

export const pods: readonly Conversation[] = [
  {
    name: 'an annotation through pods/status',
    tell: async (teller) => {
      const pod = await bound(teller, 'p');
      const annotate = (metadata: object) => () =>
        teller.api.patch(Pod, teller.ref('p'), { type: 'merge', body: { metadata } }, 'status');
      const { uid, resourceVersion } = pod.metadata;
      await teller.try('another UID', annotate({ uid: WRONG, annotations: { a: '1' } }));
      await teller.try('stale', annotate({ resourceVersion: '1', annotations: { a: '1' } }));
      await teller.try(
        'current version',
        annotate({ uid, resourceVersion, annotations: { a: '1' } }),
        ({ metadata }) => metadata.annotations,
      );
      await teller.try(
        'annotation removed',
        annotate({ annotations: { a: null } }),
        ({ metadata }) => metadata.annotations ?? {},
      );
      await teller.try(
        'its status stays',
        () => teller.get(Pod, teller.ref('p')),
        ({ status }) => (status as typeof running).phase,
      );
    },
  },
  {
    name: 'deletion takes time for a bound pod and none for an unbound pod',
    tell: async (teller) => {
      const pod = await bound(teller, 'p');
      await teller.try('delete', () =>
        teller.api.delete(Pod, teller.ref('p'), { uid: pod.metadata.uid ?? '' }),
      );
      await isThere(teller, 'p');
      await teller.try('delete again', () => teller.api.delete(Pod, teller.ref('p')));
      await teller.try('by force, as its kubelet does at the end', () =>
        teller.api.delete(Pod, teller.ref('p'), {}, { gracePeriodSeconds: 0 }),
      );
      await isThere(teller, 'p');
      await teller.create(Pod, 'q', { spec });
      await teller.try('delete a pending pod', () => teller.api.delete(Pod, teller.ref('q')));
      await isThere(teller, 'q');
    },
  },
  {
    name: 'eviction',
    tell: async (teller) => {
      const pod = await bound(teller, 'p');
      await teller.try('another UID', () => teller.api.evict(exact(teller, pod, { uid: WRONG })));
      await teller.try('stale', () =>
        teller.api.evict(exact(teller, pod, { resourceVersion: '1' })),
      );
      await teller.try('current version', () => teller.api.evict(exact(teller, pod)));
      await isThere(teller, 'p');
      const again = await teller.get(Pod, teller.ref('p'));
      await teller.try('again', () => teller.api.evict(exact(teller, again)));
      await teller.try('missing object', () =>
        teller.api.evict(exact(teller, pod, { name: 'nothing' })),
      );
    },
  },
  {
    name: 'eviction and a budget',
    tell: async (teller) => {
      await teller.create(budgets, 'b', {
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
      });
      const pod = await bound(teller, 'p', { app: 'x' });
      const other = await bound(teller, 'o', { app: 'y' });
      await teller.try('refused', () => teller.api.evict(exact(teller, pod)));
      await isThere(teller, 'p');
      await teller.try('another label', () => teller.api.evict(exact(teller, other)));
      const ended = await teller.api.replace(
        Pod,
        { ...pod, status: { ...running, phase: 'Failed', conditions: [] } },
        'status',
      );
      await teller.try('a pod that has ended', () => teller.api.evict(exact(teller, ended)));
    },
  },
];
