// Whatever stands on the ConfigMaps of a pool, its world can be gathered.
import { describe, expect, it } from '@jest/globals';
import { configMap, gathered, tv, workers } from './gathering.ts';

const labels = { 'k8slab.info/pool': 'tv' };
const text = 'workloads: {worker-0: {jobs: [a]}}\nversion: 4';

describe('a mark of where the pool went on', () => {
  const marked = (place: string) =>
    gathered([
      tv({ streams: [{ name: 'a' }] }),
      workers(1),
      configMap('tv-assignments', { 'config.yml': text }, { labels, annotations: { 'k8slab.info/moved-to': place } }),
      configMap('elsewhere', { 'config.yml': text.replace('4', '7') }, { labels }),
      configMap('theirs', { 'config.yml': text.replace('4', '9') }),
    ]).then(({ published }) => published.map(({ name }) => name));

  it.each(['..', '.', '', 'a/b', '../../secrets/x', 'x'.repeat(10_000), 'Ünicode', 'theirs', 'elsewhere'])(
    '%.20s is no trap',
    async (place) => {
      expect(await marked(place)).toEqual(['tv-assignments', 'elsewhere']);
    },
  );
});
