// What does the operator do about a kind that it cannot read?
import { afterEach, describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { refuse } from '../../../support/misbehaving-server.ts';
import { eventually } from '../../../support/processes.ts';
import { endAll, setUp } from './operator-under-test.ts';

afterEach(endAll);

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
      [kinds.ConfigMap, kinds.SwarmPool].map((kind) => operator.readable([kind]).state);
    await eventually('the pool is denied', () => states().join() === 'synced,denied', 10);
    await started;
    expect(operator.readable([kinds.ConfigMap, kinds.SwarmPool])).toMatchObject({
      state: 'denied',
      kind: kinds.SwarmPool,
      denial: { code: 'NotFound' },
    });
    expect(told).toEqual(['ADDED ConfigMap a/c']);
    isServed = true;
    await eventually('the change of the pool is reported', () => told.length === 2);
    expect(operator.readable([kinds.SwarmPool])).toEqual({ state: 'synced' });
  });

  it('a kind is denied when the permission is missing in one of several namespaces', async () => {
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
    const started = operator.start();
    const isDenied = (): boolean => operator.readable([kinds.SwarmPool]).state === 'denied';
    await eventually('the pool is denied', isDenied, 10);
    await started;
    expect(operator.readable([kinds.SwarmPool])).toMatchObject({ denial: { code: 'Forbidden' } });
    expect(told).toEqual(['ADDED SwarmPool a/p']);
    isGranted = true;
    await eventually(
      'it can be read',
      () => operator.readable([kinds.SwarmPool]).state === 'synced',
    );
    expect(told).toEqual(['ADDED SwarmPool a/p', 'ADDED SwarmPool b/p']);
  });

  it('a kind is denied when its CRD is deleted, until it is installed again', async () => {
    const { server, operator } = await setUp({ watched: [kinds.SwarmPool] });
    await operator.start();
    const state = (): string => operator.readable([kinds.SwarmPool]).state;
    let isServed = false;
    for (const verb of ['list', 'version', 'watch'] as const)
      server.always(verb, (response, asked, well) =>
        isServed ? well() : refuse(404)(response, asked, well),
      );
    server.endWatches();
    await eventually('it is denied', () => state() === 'denied', 10);
    expect(operator.readable([kinds.SwarmPool])).toMatchObject({ denial: { code: 'NotFound' } });
    isServed = true;
    await eventually('it can be read again', () => state() === 'synced');
  });

  it('a kind is denied when the permission is removed, until it is granted again', async () => {
    const { server, operator } = await setUp({ watched: [kinds.SwarmPool] });
    await operator.start();
    const state = (): string => operator.readable([kinds.SwarmPool]).state;
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
