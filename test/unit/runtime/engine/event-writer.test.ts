// Does a repeated event become a count on a real list of events, and is an event that cannot be
// written just lost?
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { dig } from '../../../../src/api/objects.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import { EventWriter } from '../../../../src/runtime/engine/event-writer.ts';
import { MemoryApi } from '../../../support/memory-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const regarding = {
  apiVersion: 'k8slab.info/v1alpha1',
  kind: 'SwarmPool',
  namespace: 'n',
  name: 'p',
  uid: 'u',
};

function setUp() {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const lost: string[] = [];
  const hooks = { isLeading: true };
  const events = new EventWriter({
    api,
    clock,
    identity: 'me',
    isLeading: () => hooks.isLeading,
    onLost: (error) => lost.push(String(error)),
  });
  const tell = (message = 'all is well'): Promise<void> =>
    events.write(regarding, { type: 'Normal', reason: 'Converged', action: 'Verify', message });
  const counts = (): readonly unknown[] =>
    api.store.all({ kind: kinds.Event }).map((event) => dig(event, 'series', 'count') ?? 1);
  const verbs = (): readonly string[] => api.writes.map(({ verb }) => verb);
  return { clock, api, lost, hooks, events, tell, counts, verbs };
}

describe('a series', () => {
  it('is one object, whose count is written at once and then every ten seconds', async () => {
    const { clock, api, tell, counts, verbs } = setUp();
    for (let second = 0; second < 25; second += 1) {
      await tell();
      await clock.advance(1_000);
    }
    expect(verbs()).toEqual(['create', 'patch', 'patch', 'patch']);
    await clock.advance(10_000);
    expect([counts(), verbs().length, clock.pending]).toEqual([[25], 5, 0]);
    expect(api.store.all({ kind: kinds.Event })).toMatchObject([
      {
        eventTime: '2026-01-01T00:00:00.000000Z',
        series: { count: 25, lastObservedTime: '2026-01-01T00:00:24.000000Z' },
      },
    ]);
  });

  it('of a deleted Event is created again', async () => {
    const { api, tell, counts, verbs, lost } = setUp();
    await tell();
    const [first] = api.store.all({ kind: kinds.Event });
    api.store.remove(kinds.Event, { namespace: 'n', name: first?.metadata.name ?? '' });
    await tell();
    await tell();
    expect([counts(), verbs(), lost]).toEqual([[2], ['create', 'patch', 'create', 'patch'], []]);
  });

  it('of ten deleted Events is created again', async () => {
    const { api, tell, counts } = setUp();
    for (let number = 0; number < 10; number += 1) await tell(`version ${number}`);
    for (const { metadata } of api.store.all({ kind: kinds.Event }))
      api.store.remove(kinds.Event, { namespace: 'n', name: metadata.name });
    await tell('version 10');
    expect(counts()).toEqual([1]);
  });

  it('writes nothing more when another replica leads, or when it is over', async () => {
    const { clock, hooks, events, tell, verbs } = setUp();
    for (let times = 0; times < 3; times += 1) await tell();
    hooks.isLeading = false;
    await clock.advance(60_000);
    expect(verbs()).toEqual(['create', 'patch']);
    hooks.isLeading = true;
    for (let times = 0; times < 3; times += 1) await tell();
    events.forget();
    expect(clock.pending).toBe(0);
    await clock.advance(60_000);
    expect(verbs()).toEqual(['create', 'patch', 'patch']);
  });
});

describe('an event that cannot be written', () => {
  it.each([
    ['create', ['KubeError: no'], [1]],
    ['patch', ['KubeError: no'], [3]],
  ] as const)('is lost on %s, and the next is written', async (refused, wantLost, wantCounts) => {
    const { clock, api, tell, lost, counts } = setUp();
    let isRefusing = true;
    api.faults = {
      before: ({ verb }) => {
        if (verb === refused && isRefusing) throw new KubeError('Forbidden', 'no');
      },
    };
    await tell();
    if (refused === 'patch') await tell();
    isRefusing = false;
    await tell();
    await clock.advance(10_000);
    expect([lost, counts()]).toEqual([wantLost, wantCounts]);
  });
});
