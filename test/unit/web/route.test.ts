// Is an address read as it was written?
import { describe, expect, it } from '@jest/globals';
import { hashOf, routeOf } from '../../../src/web/model/route.ts';

describe('an address', () => {
  it.each([
    ['', { view: 'pools' }],
    ['#/', { view: 'pools' }],
    ['#/pools/swarm/tv', { view: 'pool', namespace: 'swarm', name: 'tv' }],
    [
      '#/pools/swarm/tv?stream=cars%3Anew',
      { view: 'pool', namespace: 'swarm', name: 'tv', stream: 'cars:new' },
    ],
    [
      '#/pools/swarm/tv?worker=worker-1',
      { view: 'pool', namespace: 'swarm', name: 'tv', worker: 'worker-1' },
    ],
    ['#/pools/swarm', { view: 'unknown', address: '#/pools/swarm' }],
    ['#/pools/a/b/c', { view: 'unknown', address: '#/pools/a/b/c' }],
    ['#/%zz', { view: 'unknown', address: '#/%zz' }],
  ])('"%s" is read', (hash, route) => expect(routeOf(hash)).toEqual(route));

  it.each(['plain', 'a b', '?#/&=%', '<img src=x onerror=alert(1)>', '日本', 'a+b'])(
    'of stream "%s" is read as it was written',
    (stream) => {
      expect(routeOf(hashOf('swarm', 'tv', { stream }))).toMatchObject({
        namespace: 'swarm',
        name: 'tv',
        stream,
      });
    },
  );
});
