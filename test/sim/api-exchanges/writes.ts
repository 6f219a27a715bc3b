// How does an API server answer writes based on an old version, to the wrong object, or without a
// change?
import { kinds } from '../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../src/api/objects.ts';
import type { Conversation, Teller } from './recorder.ts';

const WRONG = '11111111-2222-3333-4444-555555555555';
const { ConfigMap, Lease } = kinds;

const data = (object: KubeObject): unknown => object['data'];
const merge =
  (teller: Teller, body: object, name = 'c') =>
  () =>
    teller.api.patch(ConfigMap, teller.ref(name), { type: 'merge', body });

/** An object, and its version before its last change. */
async function changed(
  teller: Teller,
): Promise<{ readonly now: KubeObject; readonly old: string }> {
  const first = await teller.create(ConfigMap, 'c', { data: { a: '1' } });
  const now = await merge(teller, { data: { a: '2' } })();
  return { now, old: first.metadata.resourceVersion ?? '' };
}

export const writes: readonly Conversation[] = [
  {
    name: 'created twice, with a version, and read when missing',
    tell: async (teller) => {
      await teller.try('create', () => teller.create(ConfigMap, 'c', { data: { a: '1' } }), data);
      await teller.try('again', () => teller.create(ConfigMap, 'c', { data: { a: '2' } }));
      const versioned = {
        ...teller.object(ConfigMap, 'v'),
        metadata: { ...teller.ref('v'), resourceVersion: '5' },
      };
      await teller.try('with a version', () => teller.api.create(ConfigMap, versioned));
      await teller.try('wrong name in the body', () =>
        teller.get(ConfigMap, teller.ref('nothing')),
      );
      await teller.try('client-chosen UID', async () => {
        const made = await teller.api.create(ConfigMap, {
          ...teller.object(ConfigMap, 'u'),
          metadata: { ...teller.ref('u'), uid: WRONG },
        });
        teller.note('the server sets the UID', made.metadata.uid !== WRONG);
      });
    },
  },
  {
    name: 'PUT',
    tell: async (teller) => {
      const { now, old } = await changed(teller);
      const put = (metadata: object) => () =>
        teller.api.replace(ConfigMap, {
          ...now,
          data: { a: '3' },
          metadata: { ...now.metadata, ...metadata },
        });
      await teller.try('stale', put({ resourceVersion: old }));
      await teller.try('another UID', put({ uid: WRONG }));
      await teller.try('stale, another UID', put({ uid: WRONG, resourceVersion: old }));
      await teller.try('current version', put({}), data);
      const { resourceVersion: _, ...unversioned } = now.metadata;
      await teller.try(
        'without version',
        () => teller.api.replace(ConfigMap, { ...now, data: { a: '4' }, metadata: unversioned }),
        data,
      );
      await teller.try('missing object', () =>
        teller.api.replace(ConfigMap, teller.object(ConfigMap, 'nothing')),
      );
      const latest = await teller.get(ConfigMap, teller.ref('c'));
      const same = await teller.api.replace(ConfigMap, latest);
      teller.note(
        'the same contents change nothing',
        same.metadata.resourceVersion === latest.metadata.resourceVersion,
      );
    },
  },
  {
    name: 'merge patch',
    tell: async (teller) => {
      const { now, old } = await changed(teller);
      const { uid, resourceVersion } = now.metadata;
      await teller.try(
        'stale',
        merge(teller, { metadata: { resourceVersion: old }, data: { a: '3' } }),
      );
      await teller.try(
        'another UID',
        merge(teller, { metadata: { uid: WRONG }, data: { a: '3' } }),
      );
      await teller.try(
        'stale, another UID',
        merge(teller, { metadata: { uid: WRONG, resourceVersion: old }, data: { a: '3' } }),
      );
      await teller.try(
        'current version',
        merge(teller, { metadata: { uid, resourceVersion }, data: { b: '1' } }),
        data,
      );
      await teller.try('removes a field', merge(teller, { data: { a: null } }), data);
      await teller.try(
        'labels and annotations',
        merge(teller, { metadata: { labels: { x: 'y' }, annotations: { n: 'm' } } }),
        ({ metadata }) => [metadata.labels, metadata.annotations],
      );
      await teller.try(
        'label removed',
        merge(teller, { metadata: { labels: { x: null } } }),
        ({ metadata }) => metadata.labels ?? {},
      );
      const latest = await teller.get(ConfigMap, teller.ref('c'));
      const same = await merge(teller, { data: { b: '1' } })();
      teller.note(
        'the same contents change nothing',
        same.metadata.resourceVersion === latest.metadata.resourceVersion,
      );
      await teller.try('missing object', merge(teller, { data: {} }, 'nothing'));
    },
  },
  {
    name: 'deletion',
    tell: async (teller) => {
      const { now, old } = await changed(teller);
      const { uid = '', resourceVersion = '' } = now.metadata;
      const remove = (preconditions: object) => () =>
        teller.api.delete(ConfigMap, teller.ref('c'), preconditions);
      await teller.try('another UID', remove({ uid: WRONG }));
      await teller.try('stale', remove({ uid, resourceVersion: old }));
      await teller.try('current version', remove({ uid, resourceVersion }));
      await teller.try('again', remove({ uid }));
      const again = await teller.create(ConfigMap, 'c');
      teller.note('its successor has another UID', again.metadata.uid !== uid);
      await teller.try('the successor is not deleted', remove({ uid }));
    },
  },
  {
    name: 'a Lease that is deleted',
    tell: async (teller) => {
      const spec = {
        holderIdentity: 'a',
        leaseDurationSeconds: 8,
        renewTime: '2026-01-01T00:00:00.000000Z',
      };
      const held = await teller.create(Lease, 'l', { spec });
      const stale = await teller.api.replace(Lease, {
        ...held,
        spec: { ...spec, holderIdentity: 'b' },
      });
      await teller.try('renewed with an old version', () =>
        teller.api.replace(Lease, { ...held, spec }),
      );
      await teller.api.delete(Lease, teller.ref('l'));
      await teller.try('renewed after its deletion', () => teller.api.replace(Lease, stale));
      await teller.try(
        'and it stays deleted',
        () => teller.get(Lease, teller.ref('l')),
        (lease) => dig(lease, 'spec', 'holderIdentity'),
      );
    },
  },
];
