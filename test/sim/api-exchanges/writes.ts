// How does an API server answer writes based on an old version, to the wrong object, or without a
// change?
import { kinds } from '../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../src/api/objects.ts';
import type { Exchange, Recorder } from './recorder.ts';

const WRONG = '11111111-2222-3333-4444-555555555555';
const { ConfigMap, Lease } = kinds;

const data = (object: KubeObject): unknown => object['data'];
const merge =
  (recorder: Recorder, body: object, name = 'c') =>
  () =>
    recorder.api.patch(ConfigMap, recorder.ref(name), { type: 'merge', body });

/** An object, and its version before its last change. */
async function changed(
  recorder: Recorder,
): Promise<{ readonly now: KubeObject; readonly old: string }> {
  const first = await recorder.create(ConfigMap, 'c', { data: { a: '1' } });
  const now = await merge(recorder, { data: { a: '2' } })();
  return { now, old: first.metadata.resourceVersion ?? '' };
}

export const writes: readonly Exchange[] = [
  {
    name: 'created twice, with a version, and read when missing',
    run: async (recorder) => {
      await recorder.try(
        'create',
        () => recorder.create(ConfigMap, 'c', { data: { a: '1' } }),
        data,
      );
      await recorder.try('again', () => recorder.create(ConfigMap, 'c', { data: { a: '2' } }));
      const versioned = {
        ...recorder.object(ConfigMap, 'v'),
        metadata: { ...recorder.ref('v'), resourceVersion: '5' },
      };
      await recorder.try('with a version', () => recorder.api.create(ConfigMap, versioned));
      await recorder.try('wrong name in the body', () =>
        recorder.get(ConfigMap, recorder.ref('nothing')),
      );
      await recorder.try('client-chosen UID', async () => {
        const made = await recorder.api.create(ConfigMap, {
          ...recorder.object(ConfigMap, 'u'),
          metadata: { ...recorder.ref('u'), uid: WRONG },
        });
        recorder.note('the server sets the UID', made.metadata.uid !== WRONG);
      });
    },
  },
  {
    name: 'PUT',
    run: async (recorder) => {
      const { now, old } = await changed(recorder);
      const put = (metadata: object) => () =>
        recorder.api.replace(ConfigMap, {
          ...now,
          data: { a: '3' },
          metadata: { ...now.metadata, ...metadata },
        });
      await recorder.try('stale', put({ resourceVersion: old }));
      await recorder.try('another UID', put({ uid: WRONG }));
      await recorder.try('stale, another UID', put({ uid: WRONG, resourceVersion: old }));
      await recorder.try('current version', put({}), data);
      const { resourceVersion: _, ...unversioned } = now.metadata;
      await recorder.try(
        'without version',
        () => recorder.api.replace(ConfigMap, { ...now, data: { a: '4' }, metadata: unversioned }),
        data,
      );
      await recorder.try('missing object', () =>
        recorder.api.replace(ConfigMap, recorder.object(ConfigMap, 'nothing')),
      );
      const latest = await recorder.get(ConfigMap, recorder.ref('c'));
      const same = await recorder.api.replace(ConfigMap, latest);
      recorder.note(
        'the same contents change nothing',
        same.metadata.resourceVersion === latest.metadata.resourceVersion,
      );
    },
  },
  {
    name: 'merge patch',
    run: async (recorder) => {
      const { now, old } = await changed(recorder);
      const { uid, resourceVersion } = now.metadata;
      await recorder.try(
        'stale',
        merge(recorder, { metadata: { resourceVersion: old }, data: { a: '3' } }),
      );
      await recorder.try(
        'another UID',
        merge(recorder, { metadata: { uid: WRONG }, data: { a: '3' } }),
      );
      await recorder.try(
        'stale, another UID',
        merge(recorder, { metadata: { uid: WRONG, resourceVersion: old }, data: { a: '3' } }),
      );
      await recorder.try(
        'current version',
        merge(recorder, { metadata: { uid, resourceVersion }, data: { b: '1' } }),
        data,
      );
      await recorder.try('removes a field', merge(recorder, { data: { a: null } }), data);
      await recorder.try(
        'labels and annotations',
        merge(recorder, { metadata: { labels: { x: 'y' }, annotations: { n: 'm' } } }),
        ({ metadata }) => [metadata.labels, metadata.annotations],
      );
      await recorder.try(
        'label removed',
        merge(recorder, { metadata: { labels: { x: null } } }),
        ({ metadata }) => metadata.labels ?? {},
      );
      const latest = await recorder.get(ConfigMap, recorder.ref('c'));
      const same = await merge(recorder, { data: { b: '1' } })();
      recorder.note(
        'the same contents change nothing',
        same.metadata.resourceVersion === latest.metadata.resourceVersion,
      );
      await recorder.try('missing object', merge(recorder, { data: {} }, 'nothing'));
    },
  },
  {
    name: 'deletion',
    run: async (recorder) => {
      const { now, old } = await changed(recorder);
      const { uid = '', resourceVersion = '' } = now.metadata;
      const remove = (preconditions: object) => () =>
        recorder.api.delete(ConfigMap, recorder.ref('c'), preconditions);
      await recorder.try('another UID', remove({ uid: WRONG }));
      await recorder.try('stale', remove({ uid, resourceVersion: old }));
      await recorder.try('current version', remove({ uid, resourceVersion }));
      await recorder.try('again', remove({ uid }));
      const again = await recorder.create(ConfigMap, 'c');
      recorder.note('its successor has another UID', again.metadata.uid !== uid);
      await recorder.try('the successor is not deleted', remove({ uid }));
    },
  },
  {
    name: 'a Lease that is deleted',
    run: async (recorder) => {
      const spec = {
        holderIdentity: 'a',
        leaseDurationSeconds: 8,
        renewTime: '2026-01-01T00:00:00.000000Z',
      };
      const held = await recorder.create(Lease, 'l', { spec });
      const stale = await recorder.api.replace(Lease, {
        ...held,
        spec: { ...spec, holderIdentity: 'b' },
      });
      await recorder.try('renewed with an old version', () =>
        recorder.api.replace(Lease, { ...held, spec }),
      );
      await recorder.api.delete(Lease, recorder.ref('l'));
      await recorder.try('renewed after its deletion', () => recorder.api.replace(Lease, stale));
      await recorder.try(
        'and it stays deleted',
        () => recorder.get(Lease, recorder.ref('l')),
        (lease) => dig(lease, 'spec', 'holderIdentity'),
      );
    },
  },
];
