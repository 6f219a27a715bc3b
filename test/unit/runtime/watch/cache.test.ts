// Does the cache return exactly the objects that exist?
import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '../../../../src/api/objects.ts';
import { Cache } from '../../../../src/runtime/watch/cache.ts';

const object = (name: string, owners: readonly string[], namespace = 'n'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace, name },
  owners,
});
type Slim = { readonly name: string; readonly owners: readonly string[] };
const parse = ({ metadata, owners }: KubeObject): Slim => {
  if (!Array.isArray(owners)) throw new Error('no owners');
  return { name: metadata.name, owners: owners.map(String) };
};
const make = () => new Cache<Slim, 'owner'>(parse, { owner: ({ owners }) => owners });

describe('a cache', () => {
  it('a cache returns the state before a change and the state after it', () => {
    const cache = make();
    const first = cache.apply({ type: 'ADDED', object: object('a', ['x']) });
    expect(first).toEqual({ before: undefined, after: { name: 'a', owners: ['x'] } });
    expect(cache.apply({ type: 'MODIFIED', object: object('a', ['y']) })).toEqual({
      before: first.after,
      after: { name: 'a', owners: ['y'] },
    });
    expect(cache.apply({ type: 'DELETED', object: object('a', []) })).toEqual({
      before: { name: 'a', owners: ['y'] },
      after: undefined,
    });
    expect(cache.apply({ type: 'DELETED', object: object('a', []) })).toEqual({
      before: undefined,
      after: undefined,
    });
  });

  it('a cache finds objects by place and by index, as of the last change', () => {
    const cache = make();
    cache.apply({ type: 'ADDED', object: object('a', ['x', 'y']) });
    cache.apply({ type: 'ADDED', object: object('b', ['y']) });
    cache.apply({ type: 'ADDED', object: object('a', ['y'], 'other') });
    expect(cache.get({ namespace: 'n', name: 'a' })?.owners).toEqual(['x', 'y']);
    expect(cache.by('owner', 'y').map(({ name }) => name)).toEqual(['a', 'b', 'a']);
    cache.apply({ type: 'MODIFIED', object: object('a', ['z']) });
    expect([
      cache.by('owner', 'x').length,
      cache.by('owner', 'y').length,
      cache.by('owner', 'z').length,
    ]).toEqual([0, 2, 1]);
    expect([...cache.keys()].sort()).toEqual(['n/a', 'n/b', 'other/a']);
  });

  it('a cache returns the same list until one of its objects changes', () => {
    const cache = make();
    const a = { namespace: 'n', name: 'a' };
    cache.apply({ type: 'ADDED', object: object('a', ['x']) });
    cache.apply({ type: 'ADDED', object: object('b', ['y']) });
    const [ofX, ofY] = [cache.by('owner', 'x'), cache.by('owner', 'y')];
    expect(cache.by('owner', 'x')).toBe(ofX);
    cache.replace(a, { name: 'a, replaced', owners: ['x'] });
    expect(cache.by('owner', 'x').map(({ name }) => name)).toEqual(['a, replaced']);
    cache.apply({ type: 'MODIFIED', object: object('a', ['x']) });
    expect(cache.by('owner', 'x').map(({ name }) => name)).toEqual(['a']);
    expect(cache.by('owner', 'y')).toBe(ofY);
    cache.apply({ type: 'DELETED', object: object('a', []) });
    expect(cache.by('owner', 'x')).toEqual([]);
  });

  it('a cache keeps its state when the new one cannot be read', () => {
    const cache = make();
    cache.apply({ type: 'ADDED', object: object('a', ['x']) });
    const { owners: _, ...broken } = object('a', []);
    expect(() => cache.apply({ type: 'MODIFIED', object: broken })).toThrow('no owners');
    expect(cache.by('owner', 'x')).toHaveLength(1);
  });
});
