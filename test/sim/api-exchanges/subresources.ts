// How does an API server answer requests for status, scale and generations, and what do lists and
// watches return?
import { kinds, metadataOf } from '../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../src/api/objects.ts';
import type { Conversation, Teller } from './recorder.ts';

const WRONG = '11111111-2222-3333-4444-555555555555';
const { SwarmPool, StatefulSet, ConfigMap } = kinds;

const poolSpec = (rest: object = {}): object => ({
  spec: { workers: { selector: { matchLabels: { app: 'x' } }, ...rest }, streams: [{ name: 'a' }] },
});

const setSpec = {
  spec: {
    replicas: 0,
    serviceName: '',
    selector: { matchLabels: { app: 'x' } },
    template: {
      metadata: { labels: { app: 'x' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    },
  },
};

const scale =
  (
    teller: Teller,
    kind: typeof SwarmPool | typeof StatefulSet,
    { metadata }: KubeObject,
    replicas: number,
    change: object = {},
  ) =>
  () =>
    teller.api.replace(
      kind,
      {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: {
          ...teller.ref(metadata.name),
          uid: metadata.uid ?? '',
          resourceVersion: metadata.resourceVersion ?? '',
          ...change,
        },
        spec: { replicas },
      },
      'scale',
    );

const scaled = (answer: KubeObject): unknown => dig(answer, 'spec', 'replicas');

/** A controller may have changed it since its creation. */
const latest = (
  teller: Teller,
  kind: typeof SwarmPool | typeof StatefulSet,
  name: string,
): Promise<KubeObject> => teller.get(kind, teller.ref(name));

export const subresources: readonly Conversation[] = [
  {
    name: 'status of a pool',
    tell: async (teller) => {
      const pool = await teller.create(SwarmPool, 'p', { ...poolSpec(), status: { version: 7 } });
      teller.note('status is ignored in a write of the object', pool['status'] === undefined);
      const put = (metadata: object, rest: object) => () =>
        teller.api.replace(
          SwarmPool,
          { ...teller.object(SwarmPool, 'p', rest), metadata: { ...teller.ref('p'), ...metadata } },
          'status',
        );
      const { uid = '', resourceVersion = '' } = pool.metadata;
      await teller.try(
        'another UID',
        put({ uid: WRONG, resourceVersion }, { status: { version: 1 } }),
      );
      await teller.try('stale', put({ uid, resourceVersion: '1' }, { status: { version: 1 } }));
      await teller.try(
        'violates the schema',
        put({ uid, resourceVersion }, { status: { version: 'x' } }),
      );
      const shown = ({ metadata, spec, status }: KubeObject): unknown => [
        metadata.generation,
        dig(spec, 'streams'),
        status,
      ];
      await teller.try(
        'current version; its spec is ignored',
        put({ uid, resourceVersion }, { status: { version: 1 }, spec: { streams: [] } }),
        shown,
      );
      const patch = {
        type: 'merge',
        body: { spec: { streams: [{ name: 'b' }] }, status: { version: 9 } },
      } as const;
      await teller.try(
        'a patch of the object keeps the status',
        () => teller.api.patch(SwarmPool, teller.ref('p'), patch),
        shown,
      );
      const { resourceVersion: _, ...unversioned } = (await latest(teller, SwarmPool, 'p'))
        .metadata;
      await teller.try('PUT without a version', () =>
        teller.api.replace(SwarmPool, { ...pool, metadata: unversioned }),
      );
    },
  },
  {
    name: 'scale of a pool',
    tell: async (teller) => {
      await teller.create(SwarmPool, 'p', poolSpec({ scaling: 'Lead' }));
      const first = await latest(teller, SwarmPool, 'p');
      await teller.try('another UID', scale(teller, SwarmPool, first, 3, { uid: WRONG }), scaled);
      await teller.try(
        'stale',
        scale(teller, SwarmPool, first, 3, { resourceVersion: '1' }),
        scaled,
      );
      await teller.try('current version', scale(teller, SwarmPool, first, 3), scaled);
      await teller.try(
        'spec of the pool',
        () => latest(teller, SwarmPool, 'p'),
        ({ spec, metadata }) => [dig(spec, 'workers', 'replicas'), metadata.generation],
      );
      await teller.create(SwarmPool, 'f', poolSpec());
      await teller.try(
        'a pool that follows',
        scale(teller, SwarmPool, await latest(teller, SwarmPool, 'f'), 3),
        scaled,
      );
    },
  },
  {
    name: 'scale of a StatefulSet',
    tell: async (teller) => {
      await teller.create(StatefulSet, 's', setSpec);
      const first = await latest(teller, StatefulSet, 's');
      await teller.try('another UID', scale(teller, StatefulSet, first, 0, { uid: WRONG }));
      await teller.try('stale', scale(teller, StatefulSet, first, 0, { resourceVersion: '1' }));
      await teller.try(
        'missing object',
        scale(teller, StatefulSet, { ...first, metadata: { name: 'nothing' } }, 0),
      );
    },
  },
  {
    name: 'lists and watches',
    tell: async (teller) => {
      await teller.create(ConfigMap, 'w-before', { data: { a: '1' } });
      const { resourceVersion } = await teller.api.list(ConfigMap, teller.namespace);
      await teller.create(ConfigMap, 'w-made', { data: { a: '1' } });
      await teller.api.patch(ConfigMap, teller.ref('w-made'), {
        type: 'merge',
        body: { data: { a: '2' } },
      });
      await teller.api.delete(ConfigMap, teller.ref('w-made'));
      await teller.api.delete(ConfigMap, teller.ref('w-before'));
      for (const kind of [ConfigMap, metadataOf(ConfigMap)]) {
        for await (const { type, object } of teller.api.watch(kind, teller.namespace, {
          resourceVersion,
          timeoutSeconds: 60,
        })) {
          // Every namespace gets a ConfigMap of its own.
          if (type === 'BOOKMARK' || !object.metadata.name.startsWith('w-')) continue;
          teller.note(`watch${kind.metadataOnly === true ? ' of metadata' : ''}`, [
            type,
            object.metadata.name,
            object['data'] ?? null,
          ]);
          if (type === 'DELETED' && object.metadata.name === 'w-before') break;
        }
      }
      await teller.create(ConfigMap, 'w-listed', { data: { a: '1' } });
      const { items } = await teller.api.list(metadataOf(ConfigMap), teller.namespace);
      const listed = items.find(({ metadata }) => metadata.name === 'w-listed');
      teller.note('a list of metadata', [listed !== undefined, listed?.['data'] ?? null]);
    },
  },
];
