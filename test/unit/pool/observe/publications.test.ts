// Can a pool's world be gathered whatever its ConfigMaps contain?
import { describe, expect, it } from '@jest/globals';
import { names } from '../../../integration/support/shape.ts';
import { settle } from '../../../support/virtual-clock.ts';
import { configMap, gathered, gathering, tv, workers } from './gathering.ts';

const labels = { 'k8slab.info/pool': 'tv' };
const text = 'workloads: {worker-0: {jobs: [a]}}\nversion: 4';

describe('a moved-to mark', () => {
  const marked = (place: string) =>
    gathered([
      tv({ streams: [{ name: 'a' }] }),
      workers(1),
      configMap(
        'tv-assignments',
        { 'config.yml': text },
        { labels, annotations: { 'k8slab.info/moved-to': place } },
      ),
      configMap('elsewhere', { 'config.yml': text.replace('4', '7') }, { labels }),
      configMap('theirs', { 'config.yml': text.replace('4', '9') }),
    ]).then(({ published }) => published.shards.map(({ name }) => name));

  it.each([
    '..',
    '.',
    '',
    'a/b',
    '../../secrets/x',
    'x'.repeat(254),
    'Ünicode',
    'theirs',
    'elsewhere',
  ])('a moved-to mark with the value %j leads only to ConfigMaps of the pool', async (place) => {
    expect(await marked(place)).toEqual(['tv-assignments', 'elsewhere']);
  });

  it('a moved-to mark keeps no contents of a ConfigMap that is not the pool’s', async () => {
    const annotations = { 'k8slab.info/moved-to': 'theirs' };
    const { gather, kept, stop } = await gathering([
      tv(),
      workers(1),
      configMap('tv-assignments', { 'config.yml': text }, { labels, annotations }),
      configMap('theirs', { 'config.yml': text }),
    ]);
    await gather();
    expect(kept()).toBe(1);
    await stop();
  });
});

it('a ConfigMap with the label of a pool wakes that pool, also where the pool does not name it', async () => {
  const woken = new Map<string, string[]>();
  const streams = [{ name: 'a' }];
  await gathered(
    [
      tv({ streams }),
      workers(1),
      configMap('elsewhere', { 'config.yml': text }, { labels }),
      configMap('theirs', {}),
    ],
    undefined,
    woken,
  );
  expect([woken.get('elsewhere'), woken.get('theirs')]).toEqual([['swarm/tv'], undefined]);
});

it('a ConfigMap that loses the label of a pool wakes that pool', async () => {
  const woken = new Map<string, string[]>();
  const elsewhere = configMap('elsewhere', {}, { labels });
  const { change, stop } = await gathering([tv(), elsewhere], undefined, woken);
  const before = woken.get('elsewhere')?.length ?? 0;
  change(configMap('elsewhere', {}, { labels: { 'k8slab.info/pool': 'other' } }));
  expect(woken.get('elsewhere')?.slice(before)).toEqual(['swarm/tv']);
  await stop();
});

describe('ConfigMaps that are too large', () => {
  const refer = (count: number) => ({
    streamsFrom: Array.from({ length: count }, (_, index) => ({
      configMapKeyRef: { name: `list-${index}`, key: 'key' },
    })),
  });

  it.each([
    ['characters', '# '.padEnd(1_100_000, 'x')],
    ['marks', '\n'.repeat(70_000)],
  ])('lists with too many %s are reported as too long, and none is parsed', async (_, key) => {
    const lists = Array.from({ length: 16 }, (_unused, index) =>
      configMap(`list-${index}`, { key }),
    );
    const world = await gathered([tv(refer(16)), workers(1), ...lists]);
    expect(world.lists.map(({ read }) => read)).toEqual(
      Array.from({ length: 16 }, () => expect.objectContaining({ ok: false, isTooMany: true })),
    );
    const fewer = await gathered([tv(refer(8)), workers(1), ...lists]);
    expect(fewer.lists.map(({ read }) => read?.ok)).toEqual(Array.from({ length: 8 }, () => true));
  });

  it.each([
    [
      'texts',
      Array.from({ length: 34 }, (_, index) =>
        configMap(`x-${index}`, { key: 'x'.repeat(1_000_000) }, { labels }),
      ),
    ],
    [
      'marks',
      Array.from({ length: 8 }, (_, index) =>
        configMap(`x-${index}`, { key: '\n'.repeat(290_000) }, { labels }),
      ),
    ],
    [
      'keys',
      [
        configMap(
          'x',
          Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`k${index}`, ''])),
          { labels },
        ),
      ],
    ],
    [
      'workers',
      Array.from({ length: 5 }, (_, index) =>
        configMap(
          `x-${index}`,
          {
            key: `workloads: {${names(9_000, `w${index}-`)
              .map((name) => `${name}: {jobs: []}`)
              .join()}}\nversion: 4`,
          },
          { labels },
        ),
      ),
    ],
    [
      'ConfigMaps',
      Array.from({ length: 2_001 }, (_, index) => configMap(`x-${index}`, {}, { labels })),
    ],
  ])(
    'too many %s under the label of a pool are an error that names the way out, and are not kept',
    async (_, objects) => {
      const { api, gather, kept, stop } = await gathering([tv(), workers(1), ...objects]);
      const last = objects.at(-1)?.metadata.name;
      api.faults = { before: ({ name }) => (name === last ? settle() : undefined) };
      await expect(gather()).rejects.toThrow('kubectl get configmaps -l k8slab.info/pool=tv');
      await settle();
      expect(kept()).toBe(0);
      await stop();
    },
  );
});

it('a target with two thousand million replicas is observed without building anything for each', async () => {
  const world = await gathered([
    tv({ streams: [{ name: 'a' }] }),
    workers(2_147_483_647, { ordinals: { start: 2_147_483_647 } }),
  ]);
  expect(world.targets[0]?.replicas).toBe(2_147_483_647);
});

it('lists that are too long are not read again before one of them changes', async () => {
  const lists = Array.from({ length: 16 }, (_, index) =>
    configMap(`list-${index}`, { key: '\n'.repeat(70_000) }),
  );
  const streamsFrom = lists.map(({ metadata }) => ({
    configMapKeyRef: { name: metadata.name, key: 'key' },
  }));
  const story = await gathering([tv({ streamsFrom }), workers(1), ...lists]);
  const first = await story.gather();
  const reads = story.reads('ConfigMap');
  expect((await story.gather()).lists).toEqual(first.lists);
  expect(story.reads('ConfigMap')).toBe(reads);
  story.change({
    ...configMap('list-0', { key: 'a' }),
    metadata: { name: 'list-0', namespace: 'swarm', resourceVersion: '999' },
  });
  await story.gather().catch(() => undefined);
  expect(story.reads('ConfigMap')).toBeGreaterThan(reads);
});
