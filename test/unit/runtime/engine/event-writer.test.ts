// Does a repeated event become a count on a real list of events, and is an event that cannot be
// written just lost?
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { asNumber, asString, dig } from '../../../../src/api/objects.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import { EventWriter } from '../../../../src/runtime/engine/event-writer.ts';
import { hang, MemoryApi } from '../../../support/memory-api.ts';
import { settle, VirtualClock } from '../../../support/virtual-clock.ts';

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
    onLost: (why, error) => lost.push(`${why} ${String(error)}`),
  });
  const tell = async (message = 'all is well', about: object = {}): Promise<void> => {
    const event = { type: 'Normal', reason: 'Converged', action: 'Verify', message } as const;
    events.tell({ ...regarding, ...about }, event);
    await settle();
  };
  const counts = (): readonly unknown[] =>
    api.store.all({ kind: kinds.Event }).map((event) => dig(event, 'series', 'count') ?? 1);
  const verbs = (): readonly string[] => api.writes.map(({ verb }) => verb);
  return { clock, api, lost, hooks, events, tell, counts, verbs };
}

describe('a series', () => {
  it('a series is one object, whose count is written at once and then every ten seconds', async () => {
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
        firstTimestamp: '2026-01-01T00:00:00Z',
        count: 25,
        lastTimestamp: '2026-01-01T00:00:24Z',
        series: { count: 25, lastObservedTime: '2026-01-01T00:00:24.000000Z' },
      },
    ]);
  });

  it('the names of Events are in the order in which these happened, also within a millisecond', async () => {
    const { clock, api, tell } = setUp();
    const messages = Array.from({ length: 9 }, (_, number) => `version ${number}`);
    for (const [index, message] of messages.entries()) {
      if (index % 3 === 0) await clock.advance(1);
      await tell(message);
    }
    const sorted = api.store
      .all({ kind: kinds.Event })
      .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    expect(sorted.map((event) => event['message'])).toEqual(messages);
  });

  it('a series of a deleted Event is created again', async () => {
    const { api, tell, counts, verbs, lost } = setUp();
    await tell();
    const [first] = api.store.all({ kind: kinds.Event });
    api.store.remove(kinds.Event, { namespace: 'n', name: first?.metadata.name ?? '' });
    await tell();
    await tell();
    expect([counts(), verbs(), lost]).toEqual([[2], ['create', 'patch', 'create', 'patch'], []]);
  });

  it('a series of ten deleted Events is created again', async () => {
    const { api, tell, counts } = setUp();
    for (let number = 0; number < 10; number += 1) await tell(`version ${number}`);
    for (const { metadata } of api.store.all({ kind: kinds.Event }))
      api.store.remove(kinds.Event, { namespace: 'n', name: metadata.name });
    await tell('version 10');
    expect(counts()).toEqual([1]);
  });

  it('a series writes nothing more when another replica leads, or when it is over', async () => {
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

describe('a slow API server', () => {
  /** Every write of an event waits until `answer`. */
  function slowly() {
    const story = setUp();
    const held: (() => void)[] = [];
    const notes: string[] = [];
    story.api.faults = {
      before: ({ body }) => {
        notes.push(asString(dig(body, 'message')) ?? `x${asNumber(dig(body, 'series', 'count'))}`);
        return new Promise((resolve) => held.push(resolve));
      },
    };
    const answer = async (): Promise<void> => {
      held.shift()?.();
      await settle();
    };
    return { ...story, notes, answer };
  }

  it('events of a namespace are written one after another in their order, and repetitions are counted', async () => {
    const { tell, notes, answer } = slowly();
    for (const message of ['a', 'b', 'b', 'b', 'c']) await tell(message);
    expect(notes).toEqual(['a']);
    for (let times = 0; times < 4; times += 1) await answer();
    expect(notes).toEqual(['a', 'b', 'c', 'x3']);
  });

  it('events of four namespaces are written at a time, and namespaces take turns', async () => {
    const { tell, notes, answer } = slowly();
    for (const namespace of ['n1', 'n2', 'n3', 'n4', 'n5'])
      for (const message of ['a', 'b', 'c'])
        await tell(`${namespace} ${message}`, { namespace, uid: namespace });
    expect(notes).toEqual(['n1 a', 'n2 a', 'n3 a', 'n4 a']);
    for (let times = 0; times < 6; times += 1) await answer();
    expect(notes.slice(4)).toEqual(['n1 b', 'n2 b', 'n3 b', 'n4 b', 'n5 a', 'n1 c']);
  });

  it('events beyond a thousand unwritten ones of a namespace are dropped, and those of others are not', async () => {
    const { events, tell, lost, notes, answer } = slowly();
    const event = { type: 'Normal', reason: 'Converged', action: 'Verify', message: 'a' } as const;
    for (let index = 0; index < 1_005; index += 1)
      events.tell({ ...regarding, uid: `u${index}` }, event);
    expect(lost).toEqual(Array(4).fill('dropped undefined'));
    await tell('other', { namespace: 'other' });
    expect(notes).toEqual(['a', 'other']);
    for (let times = 0; times < 1_010; times += 1) await answer();
    expect(notes).toHaveLength(1_002);
    await tell('a', { uid: 'u1004' });
    expect(notes).toHaveLength(1_003);
  });

  it('unwritten events are waited for at the end, and not for long', async () => {
    const { clock, api, tell, events, answer, verbs } = slowly();
    await tell('a');
    await tell('b');
    let isOver = false;
    const over = events.drained(1_000).then(() => {
      isOver = true;
    });
    await answer();
    expect(isOver).toBe(false);
    await answer();
    expect(isOver).toBe(true);
    await over;
    expect([verbs(), clock.pending]).toEqual([['create', 'create'], 0]);
    api.faults = { before: () => hang() };
    await tell('c');
    void events.drained(1_000).then(() => {
      isOver = false;
    });
    await clock.advance(1_000);
    expect(isOver).toBe(false);
  });

  it('waiting events are not written when another replica leads', async () => {
    const { tell, events, notes, answer, lost } = slowly();
    await tell('a');
    await tell('b');
    events.forget();
    await answer();
    expect([notes, lost]).toEqual([['a'], []]);
    await tell('b');
    expect(notes).toEqual(['a', 'b']);
  });
});

describe('an event that cannot be written', () => {
  it.each([
    ['create', ['refused KubeError: no'], [1]],
    ['patch', ['refused KubeError: no'], [3]],
  ] as const)(
    'an event that cannot be written is lost on %s, and the next is written',
    async (refused, wantLost, wantCounts) => {
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
    },
  );
});
