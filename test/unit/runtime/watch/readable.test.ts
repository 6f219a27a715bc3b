// In which namespaces can a kind be read?
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import { readableFrom, type WatchState } from '../../../../src/runtime/watch/readable.ts';

const denials = {
  forbidden: new KubeError('Forbidden', 'no rule'),
  missing: new KubeError('NotFound', 'no such kind'),
};

/** `of('a', 'pods')`: the watch of pods in namespace a works. */
function of(
  namespace: string | undefined,
  kind: 'ConfigMap' | 'Pod',
  state: 'synced' | 'syncing' | keyof typeof denials = 'synced',
): WatchState {
  const denial = state === 'synced' || state === 'syncing' ? undefined : denials[state];
  return { kind: kinds[kind], namespace, isSynced: state !== 'syncing', denial };
}

const unreadable = (namespace: string, kind: 'ConfigMap' | 'Pod', denial?: KubeError) => ({
  namespace,
  kind: kinds[kind],
  denial,
});

describe('a kind', () => {
  it.each<[string, { shared?: WatchState[]; own?: WatchState[] }, object]>([
    ['is not known while nothing is watched', {}, { state: 'syncing' }],
    [
      'can be read in the whole cluster',
      { shared: [of(undefined, 'Pod'), of(undefined, 'ConfigMap')] },
      { state: 'synced', unreadable: [] },
    ],
    [
      'is denied when one of its watches of the whole cluster is',
      { shared: [of(undefined, 'Pod', 'forbidden'), of(undefined, 'ConfigMap')] },
      { state: 'denied', kind: kinds.Pod, denial: denials.forbidden },
    ],
    [
      'can be read but in one namespace',
      { own: [of('a', 'Pod'), of('b', 'Pod', 'forbidden')] },
      { state: 'synced', unreadable: [unreadable('b', 'Pod', denials.forbidden)] },
    ],
    [
      'names a denial before a list that is still missing',
      { own: [of('a', 'Pod'), of('b', 'Pod', 'syncing'), of('b', 'ConfigMap', 'forbidden')] },
      { state: 'synced', unreadable: [unreadable('b', 'ConfigMap', denials.forbidden)] },
    ],
    [
      'can be read in one namespace before another has been listed',
      { own: [of('a', 'Pod'), of('b', 'Pod', 'syncing')] },
      { state: 'synced', unreadable: [unreadable('b', 'Pod')] },
    ],
    [
      'is denied when every namespace is, each for another kind of object',
      { own: [of('a', 'Pod', 'forbidden'), of('b', 'Pod'), of('b', 'ConfigMap', 'forbidden')] },
      { state: 'denied', kind: kinds.Pod, denial: denials.forbidden },
    ],
    [
      'is not denied while a namespace may still be readable',
      { own: [of('a', 'Pod', 'forbidden'), of('b', 'Pod', 'syncing')] },
      { state: 'syncing' },
    ],
    [
      'is denied everywhere when its CRD is missing',
      { own: [of('a', 'Pod', 'missing'), of('b', 'Pod')] },
      { state: 'denied', kind: kinds.Pod, denial: denials.missing },
    ],
    [
      'is denied when the namespace that all others need is',
      { shared: [of('ledgers', 'ConfigMap', 'forbidden')], own: [of('a', 'ConfigMap')] },
      { state: 'denied', kind: kinds.ConfigMap, denial: denials.forbidden },
    ],
    [
      'waits for the namespace that all others need',
      { shared: [of('ledgers', 'ConfigMap', 'syncing')], own: [of('a', 'ConfigMap')] },
      { state: 'syncing' },
    ],
  ])('a kind %s', (_, { shared = [], own = [] }, expected) => {
    expect(readableFrom({ shared, own })).toEqual(expected);
  });
});
