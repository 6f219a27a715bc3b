// How does an API server answer requests for status, scale and generations, and what do lists and
// watches return?
import { kinds, metadataOf } from '../../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../../src/api/objects.ts';
import type { Exchange, Recorder } from './recorder.ts';

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
    recorder: Recorder,
    kind: typeof SwarmPool | typeof StatefulSet,
    { metadata }: KubeObject,
    replicas: number,
    change: object = {},
  ) =>
  () =>
    recorder.api.replace(
      kind,
      {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: {
          ...recorder.ref(metadata.name),
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
  recorder: Recorder,
  kind: typeof SwarmPool | typeof StatefulSet,
  name: string,
): Promise<KubeObject> => recorder.get(kind, recorder.ref(name));

export const subresources: readonly Exchange[] = [
  {
    name: 'status of a pool',
    run: async (recorder) => {
      const pool = await recorder.create(SwarmPool, 'p', { ...poolSpec(), status: { version: 7 } });
      recorder.note('status is ignored in a write of the object', pool['status'] === undefined);
      const put = (metadata: object, rest: object) => () =>
        recorder.api.replace(
          SwarmPool,
          {
            ...recorder.object(SwarmPool, 'p', rest),
            metadata: { ...recorder.ref('p'), ...metadata },
          },
          'status',
        );
      const { uid = '', resourceVersion = '' } = pool.metadata;
      await recorder.try(
        'another UID',
        put({ uid: WRONG, resourceVersion }, { status: { version: 1 } }),
      );
      await recorder.try('stale', put({ uid, resourceVersion: '1' }, { status: { version: 1 } }));
      await recorder.try(
        'violates the schema',
        put({ uid, resourceVersion }, { status: { version: 'x' } }),
      );
      const shown = ({ metadata, spec, status }: KubeObject): unknown => [
        metadata.generation,
        dig(spec, 'streams'),
        status,
      ];
      await recorder.try(
        'current version; its spec is ignored',
        put({ uid, resourceVersion }, { status: { version: 1 }, spec: { streams: [] } }),
        shown,
      );
      const patch = {
        type: 'merge',
        body: { spec: { streams: [{ name: 'b' }] }, status: { version: 9 } },
      } as const;
      await recorder.try(
        'a patch of the object keeps the status',
        () => recorder.api.patch(SwarmPool, recorder.ref('p'), patch),
        shown,
      );
      const { resourceVersion: _, ...unversioned } = (await latest(recorder, SwarmPool, 'p'))
        .metadata;
      await recorder.try('PUT without a version', () =>
        recorder.api.replace(SwarmPool, { ...pool, metadata: unversioned }),
      );
    },
  },
  {
    name: 'scale of a pool',
    run: async (recorder) => {
      await recorder.create(SwarmPool, 'p', poolSpec({ scaling: 'Lead' }));
      const first = await latest(recorder, SwarmPool, 'p');
      await recorder.try(
        'another UID',
        scale(recorder, SwarmPool, first, 3, { uid: WRONG }),
        scaled,
      );
      await recorder.try(
        'stale',
        scale(recorder, SwarmPool, first, 3, { resourceVersion: '1' }),
        scaled,
      );
      await recorder.try('current version', scale(recorder, SwarmPool, first, 3), scaled);
      await recorder.try(
        'spec of the pool',
        () => latest(recorder, SwarmPool, 'p'),
        ({ spec, metadata }) => [dig(spec, 'workers', 'replicas'), metadata.generation],
      );
      await recorder.create(SwarmPool, 'f', poolSpec());
      await recorder.try(
        'a pool that follows',
        scale(recorder, SwarmPool, await latest(recorder, SwarmPool, 'f'), 3),
        scaled,
      );
    },
  },
  {
    name: 'scale of a StatefulSet',
    run: async (recorder) => {
      await recorder.create(StatefulSet, 's', setSpec);
      const first = await latest(recorder, StatefulSet, 's');
      await recorder.try('another UID', scale(recorder, StatefulSet, first, 0, { uid: WRONG }));
      await recorder.try('stale', scale(recorder, StatefulSet, first, 0, { resourceVersion: '1' }));
      await recorder.try(
        'missing object',
        scale(recorder, StatefulSet, { ...first, metadata: { name: 'nothing' } }, 0),
      );
    },
  },
  {
    name: 'lists and watches',
    run: async (recorder) => {
      await recorder.create(ConfigMap, 'w-before', { data: { a: '1' } });
      const { resourceVersion } = await recorder.api.list(ConfigMap, recorder.namespace);
      await recorder.create(ConfigMap, 'w-made', { data: { a: '1' } });
      await recorder.api.patch(ConfigMap, recorder.ref('w-made'), {
        type: 'merge',
        body: { data: { a: '2' } },
      });
      await recorder.api.delete(ConfigMap, recorder.ref('w-made'));
      await recorder.api.delete(ConfigMap, recorder.ref('w-before'));
      for (const kind of [ConfigMap, metadataOf(ConfigMap)]) {
        for await (const { type, object } of recorder.api.watch(kind, recorder.namespace, {
          resourceVersion,
          timeoutSeconds: 60,
        })) {
          // Every namespace gets a ConfigMap of its own.
          if (type === 'BOOKMARK' || !object.metadata.name.startsWith('w-')) continue;
          recorder.note(`watch${kind.metadataOnly === true ? ' of metadata' : ''}`, [
            type,
            object.metadata.name,
            object['data'] ?? null,
          ]);
          if (type === 'DELETED' && object.metadata.name === 'w-before') break;
        }
      }
      await recorder.create(ConfigMap, 'w-listed', { data: { a: '1' } });
      const { items } = await recorder.api.list(metadataOf(ConfigMap), recorder.namespace);
      const listed = items.find(({ metadata }) => metadata.name === 'w-listed');
      recorder.note('a list of metadata', [listed !== undefined, listed?.['data'] ?? null]);
    },
  },
];
