// How does an API server answer requests about pods? Their status, their eviction, their deletion.
import { kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import { budgets } from '../cluster/api-server.ts';
import type { Exchange, Recorder } from './recorder.ts';

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
async function bound(recorder: Recorder, name: string, labels: object = {}): Promise<KubeObject> {
  const pod = {
    ...recorder.object(Pod, name, { spec: { ...spec, nodeName: 'nowhere' } }),
    metadata: { ...recorder.ref(name), labels: { ...labels } },
  };
  const made = await recorder.api.create(Pod, pod as KubeObject);
  return recorder.api.replace(Pod, { ...made, status: running }, 'status');
}

const exact = (recorder: Recorder, { metadata }: KubeObject, change: object = {}) => ({
  ...recorder.ref(metadata.name),
  uid: metadata.uid ?? '',
  resourceVersion: metadata.resourceVersion ?? '',
  ...change,
});

const isThere = async (recorder: Recorder, name: string): Promise<void> =>
  void (await recorder.try(
    `${name} exists`,
    () => recorder.get(Pod, recorder.ref(name)),
    ({ metadata }) => ({
      isTerminating: metadata.deletionTimestamp !== undefined,
    }),
  ));

export const pods: readonly Exchange[] = [
  {
    name: 'an annotation through pods/status',
    run: async (recorder) => {
      const pod = await bound(recorder, 'p');
      const annotate = (metadata: object) => () =>
        recorder.api.patch(Pod, recorder.ref('p'), { type: 'merge', body: { metadata } }, 'status');
      const { uid, resourceVersion } = pod.metadata;
      await recorder.try('another UID', annotate({ uid: WRONG, annotations: { a: '1' } }));
      await recorder.try('stale', annotate({ resourceVersion: '1', annotations: { a: '1' } }));
      await recorder.try(
        'current version',
        annotate({ uid, resourceVersion, annotations: { a: '1' } }),
        ({ metadata }) => metadata.annotations,
      );
      await recorder.try(
        'annotation removed',
        annotate({ annotations: { a: null } }),
        ({ metadata }) => metadata.annotations ?? {},
      );
      await recorder.try(
        'its status stays',
        () => recorder.get(Pod, recorder.ref('p')),
        ({ status }) => (status as typeof running).phase,
      );
    },
  },
  {
    name: 'deletion takes time for a bound pod and none for an unbound pod',
    run: async (recorder) => {
      const pod = await bound(recorder, 'p');
      await recorder.try('delete', () =>
        recorder.api.delete(Pod, recorder.ref('p'), { uid: pod.metadata.uid ?? '' }),
      );
      await isThere(recorder, 'p');
      await recorder.try('delete again', () => recorder.api.delete(Pod, recorder.ref('p')));
      await recorder.try('by force, as its kubelet does at the end', () =>
        recorder.api.delete(Pod, recorder.ref('p'), {}, { gracePeriodSeconds: 0 }),
      );
      await isThere(recorder, 'p');
      await recorder.create(Pod, 'q', { spec });
      await recorder.try('delete a pending pod', () => recorder.api.delete(Pod, recorder.ref('q')));
      await isThere(recorder, 'q');
    },
  },
  {
    name: 'deletion takes no time for a pod that has ended',
    run: async (recorder) => {
      const pod = await bound(recorder, 'p');
      const status = { ...running, phase: 'Succeeded', conditions: [] };
      await recorder.api.replace(Pod, { ...pod, status }, 'status');
      await recorder.try('delete', () => recorder.api.delete(Pod, recorder.ref('p')));
      await isThere(recorder, 'p');
    },
  },
  {
    name: 'eviction',
    run: async (recorder) => {
      const pod = await bound(recorder, 'p');
      await recorder.try('another UID', () =>
        recorder.api.evict(exact(recorder, pod, { uid: WRONG })),
      );
      await recorder.try('stale', () =>
        recorder.api.evict(exact(recorder, pod, { resourceVersion: '1' })),
      );
      await recorder.try('current version', () => recorder.api.evict(exact(recorder, pod)));
      await isThere(recorder, 'p');
      const again = await recorder.get(Pod, recorder.ref('p'));
      await recorder.try('again', () => recorder.api.evict(exact(recorder, again)));
      await recorder.try('missing object', () =>
        recorder.api.evict(exact(recorder, pod, { name: 'nothing' })),
      );
    },
  },
  {
    name: 'eviction and a budget',
    run: async (recorder) => {
      await recorder.create(budgets, 'b', {
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
      });
      const pod = await bound(recorder, 'p', { app: 'x' });
      const other = await bound(recorder, 'o', { app: 'y' });
      await recorder.try('refused', () => recorder.api.evict(exact(recorder, pod)));
      await isThere(recorder, 'p');
      await recorder.try('another label', () => recorder.api.evict(exact(recorder, other)));
      const ended = await recorder.api.replace(
        Pod,
        { ...pod, status: { ...running, phase: 'Failed', conditions: [] } },
        'status',
      );
      await recorder.try('a pod that has ended', () => recorder.api.evict(exact(recorder, ended)));
    },
  },
];
