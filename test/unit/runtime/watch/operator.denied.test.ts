// What does the operator do about a kind that it cannot read?
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Kind, kinds } from '../../../../src/api/kinds.ts';
import { refuse } from '../../../support/misbehaving-server.ts';
import { eventually } from '../../../support/processes.ts';
import { endAll, type Opened, setUp } from './operator-under-test.ts';

afterEach(endAll);

const readable = (operator: Opened, ...those: readonly Kind[]) =>
  operator.watches.readable(those.map((kind) => ({ kind })));

const stateOf = (operator: Opened, ...those: readonly Kind[]): string =>
  readable(operator, ...those).state;

const isWhole = (operator: Opened): boolean => {
  const pools = readable(operator, kinds.SwarmPool);
  return pools.state === 'synced' && pools.unreadable.length === 0;
};

const at = (namespace: string, name: string) => ({ namespace, name });

describe('a kind that cannot be read', () => {
  it('a kind that cannot be read is denied, delays no other kind, and is tried again', async () => {
    const { server, operator, told } = await setUp({ watched: [kinds.ConfigMap, kinds.SwarmPool] });
    server.store.put(kinds.SwarmPool, at('a', 'p'));
    server.store.put(kinds.ConfigMap, at('a', 'c'));
    let isServed = false;
    server.always('list', (response, asked, well) =>
      asked.path.includes('swarmpools') && !isServed ? refuse(404)(response, asked, well) : well(),
    );
    const started = operator.start();
    const states = (): readonly string[] =>
      [kinds.ConfigMap, kinds.SwarmPool].map((kind) => stateOf(operator, kind));
    await eventually('the pool is denied', () => states().join() === 'synced,denied', 10);
    await started;
    expect(readable(operator, kinds.ConfigMap, kinds.SwarmPool)).toMatchObject({
      state: 'denied',
      kind: kinds.SwarmPool,
      denial: { code: 'NotFound' },
    });
    expect(told).toEqual(['ADDED ConfigMap a/c']);
    isServed = true;
    await eventually('the change of the pool is reported', () => told.length === 2);
    expect(isWhole(operator)).toBe(true);
  });

  it('a namespace without the permission rests, and all others can be read', async () => {
    const { server, operator, told } = await setUp({
      watched: [kinds.SwarmPool],
      namespaces: ['a', 'b'],
    });
    server.store.put(kinds.SwarmPool, at('a', 'p'));
    server.store.put(kinds.SwarmPool, at('b', 'p'));
    let isGranted = false;
    server.always('list', (response, asked, well) =>
      asked.path.includes('/namespaces/b/') && !isGranted
        ? refuse(403)(response, asked, well)
        : well(),
    );
    await operator.start();
    expect(readable(operator, kinds.SwarmPool)).toMatchObject({
      state: 'synced',
      unreadable: [{ namespace: 'b', kind: kinds.SwarmPool, denial: { code: 'Forbidden' } }],
    });
    expect(told).toEqual(['ADDED SwarmPool a/p']);
    isGranted = true;
    await eventually('it can be read', () => isWhole(operator));
    expect(told).toEqual(['ADDED SwarmPool a/p', 'ADDED SwarmPool b/p']);
  });

  it('a namespace whose watches break is broken, and no other is', async () => {
    const { server, operator } = await setUp({
      watched: [kinds.SwarmPool],
      namespaces: ['a', 'b'],
    });
    await operator.start();
    for (const verb of ['list', 'version', 'watch'] as const)
      server.always(verb, (response, asked, well) =>
        asked.path.includes('/namespaces/b/') ? refuse(500)(response, asked, well) : well(),
      );
    server.endWatches();
    const isBroken = (name: string): boolean => operator.watches.isBroken([kinds.SwarmPool], name);
    await eventually('b is broken', () => isBroken('b'));
    await server.untilWatched();
    expect(isBroken('a')).toBe(false);
  });

  it('a namespace in which a request was forbidden is watched anew, once a minute', async () => {
    const { server, operator } = await setUp({
      watched: [kinds.SwarmPool],
      namespaces: ['a', 'b'],
    });
    await operator.start();
    await eventually('both are watched', () => server.watches === 2);
    const watchesOf = (name: string): number =>
      server.asked.filter(
        ({ verb, path }) => verb === 'watch' && path.includes(`/namespaces/${name}/`),
      ).length;
    for (const name of ['a', 'a', 'elsewhere']) operator.watches.doubt(name);
    await eventually('a is watched anew', () => watchesOf('a') === 2);
    await eventually('both are watched', () => server.watches === 2);
    expect([watchesOf('a'), watchesOf('b')]).toEqual([2, 1]);
  });

  it('a list of one namespace waits for no other', async () => {
    const { server, operator } = await setUp({
      watched: [kinds.SwarmPool],
      namespaces: ['a', 'b'],
    });
    await operator.start();
    server.always('list', (response, asked, well) =>
      asked.path.includes('/namespaces/b/') ? refuse(403)(response, asked, well) : well(),
    );
    const needed = [{ kind: kinds.SwarmPool }];
    await operator.watches.refreshed(needed);
    await operator.watches.refreshed(needed, 'a');
  });

  it('a kind is denied when its CRD is deleted, until it is installed again', async () => {
    const { server, operator } = await setUp({ watched: [kinds.SwarmPool] });
    await operator.start();
    const state = (): string => stateOf(operator, kinds.SwarmPool);
    let isServed = false;
    for (const verb of ['list', 'version', 'watch'] as const)
      server.always(verb, (response, asked, well) =>
        isServed ? well() : refuse(404)(response, asked, well),
      );
    server.endWatches();
    await eventually('it is denied', () => state() === 'denied', 10);
    expect(readable(operator, kinds.SwarmPool)).toMatchObject({ denial: { code: 'NotFound' } });
    isServed = true;
    await eventually('it can be read again', () => state() === 'synced');
  });

  it('a kind is denied when the permission is removed, until it is granted again', async () => {
    const { server, operator } = await setUp({ watched: [kinds.SwarmPool] });
    await operator.start();
    const state = (): string => stateOf(operator, kinds.SwarmPool);
    let isGranted = false;
    for (const verb of ['list', 'version', 'watch'] as const)
      server.always(verb, (response, asked, well) =>
        isGranted ? well() : refuse(403)(response, asked, well),
      );
    server.endWatches();
    await eventually('it is denied', () => state() === 'denied', 10);
    isGranted = true;
    await server.untilWatched();
    server.store.put(kinds.SwarmPool, at('a', 'p'));
    await eventually('it can be read again', () => state() === 'synced');
  });
});
