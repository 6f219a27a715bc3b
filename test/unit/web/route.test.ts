// Is an address read as it was written?
import { describe, expect, it } from '@jest/globals';
import { groupHashOf, hashOf, queueHashOf, routeOf } from '../../../src/web/model/route.ts';

describe('an address', () => {
  it.each([
    ['', { view: 'home' }],
    ['#/', { view: 'home' }],
    ['#/pools/swarm/tv', { view: 'pool', namespace: 'swarm', name: 'tv' }],
    [
      '#/pools/swarm/tv?stream=cars%3Anew',
      { view: 'pool', namespace: 'swarm', name: 'tv', stream: 'cars:new' },
    ],
    [
      '#/pools/swarm/tv?worker=worker-1',
      { view: 'pool', namespace: 'swarm', name: 'tv', worker: 'worker-1' },
    ],
    ['#/groups/teastore/shop', { view: 'group', namespace: 'teastore', name: 'shop' }],
    ['#/queues/jobs/batch', { view: 'queue', namespace: 'jobs', name: 'batch' }],
    ['#/queues/jobs', { view: 'unknown', address: '#/queues/jobs' }],
    ['#/groups/teastore', { view: 'unknown', address: '#/groups/teastore' }],
    ['#/groups/a/b/c', { view: 'unknown', address: '#/groups/a/b/c' }],
    ['#/pools/swarm', { view: 'unknown', address: '#/pools/swarm' }],
    ['#/pools/a/b/c', { view: 'unknown', address: '#/pools/a/b/c' }],
    ['#/%zz', { view: 'unknown', address: '#/%zz' }],
  ])('the address "%s" is read', (hash, route) => expect(routeOf(hash)).toEqual(route));

  it('the address of a group is read as it was written', () =>
    expect(routeOf(groupHashOf('a b', '日本/%'))).toEqual({
      view: 'group',
      namespace: 'a b',
      name: '日本/%',
    }));

  it('the address of a queue is read as it was written', () =>
    expect(routeOf(queueHashOf('a b', '日本/%'))).toEqual({
      view: 'queue',
      namespace: 'a b',
      name: '日本/%',
    }));

  it.each(['plain', 'a b', '?#/&=%', '<img src=x onerror=alert(1)>', '日本', 'a+b'])(
    'the address of the stream "%s" is read as it was written',
    (stream) => {
      expect(routeOf(hashOf('swarm', 'tv', { stream }))).toMatchObject({
        namespace: 'swarm',
        name: 'tv',
        stream,
      });
    },
  );
});
