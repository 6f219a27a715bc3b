// When does a kind run? While this replica leads and can read what the kind watches.
import { describe, expect, it } from '@jest/globals';
import { type Kind, kinds } from '../../../../src/api/kinds.ts';
import { inOneTurn } from '../../../../src/core/work.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import { KindRunner } from '../../../../src/runtime/engine/kind-runner.ts';
import { TurnScheduler } from '../../../../src/runtime/queue/turn-scheduler.ts';
import type { Readable } from '../../../../src/runtime/watch/readable.ts';
import { MemoryApi } from '../../../support/memory-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const synced: Readable = { state: 'synced', unreadable: [] };
const denied = (code: 'NotFound' | 'Forbidden'): Readable => ({
  state: 'denied',
  kind: kinds.SwarmPool,
  denial: new KubeError(code, 'pods is forbidden: no rule'),
});
const syncedBut = (...namespaces: readonly string[]): Readable => ({
  state: 'synced',
  unreadable: namespaces.map((namespace) => ({
    namespace,
    kind: kinds.Pod,
    denial: new KubeError('Forbidden', `pods is forbidden in ${namespace}`),
  })),
});

/** With namespaces: the operator watches only these, and each has an object. */
function setUp(namespaces: readonly string[] = []) {
  const clock = new VirtualClock();
  const done: string[] = [];
  const logged: string[] = [];
  const line = (message: string): unknown => logged.push(message);
  const hooks = {
    readable: { state: 'syncing' } as Readable,
    refresh: (_namespace?: string): void | Promise<void> => undefined,
    needed: [] as readonly Kind[],
  };
  const runner = new KindRunner({
    controller: {
      name: 'SwarmPool',
      subscriptions: () => [
        { kind: kinds.SwarmPool, onChange: () => undefined },
        { kind: kinds.RuntimeClass, onChange: () => undefined, isOptional: true },
      ],
      keys: () => (namespaces.length === 0 ? ['n/a'] : namespaces.map((name) => `${name}/x`)),
      observe: async (key) => {
        done.push(namespaces.length === 0 ? 'observed' : `observed ${key}`);
        return {};
      },
      decide: () => inOneTurn(() => ({ steps: [] })),
      decideFailed: () => undefined,
      forget: (key) => void done.push(namespaces.length === 0 ? 'forgotten' : `forgotten ${key}`),
      paused: () => done.push('paused'),
      close: async () => void done.push('closed'),
    },
    watches: {
      namespaces,
      readable: (needed) => {
        hooks.needed = needed.map(({ kind }) => kind);
        return hooks.readable;
      },
      isBroken: () => false,
      refreshed: async (_, namespace) => {
        done.push(namespace === undefined ? 'refreshed' : `refreshed ${namespace}`);
        await hooks.refresh(namespace);
      },
    },
    api: new MemoryApi(clock),
    clock,
    scheduler: new TurnScheduler({ clock }),
    log: { debug: line, info: line, warn: line, error: line },
    identity: 'me',
    concurrency: 1,
    resyncMs: 600_000,
    isLeading: () => true,
    onWritten: () => undefined,
  });
  return {
    runner,
    done,
    logged,
    hooks,
    /** Changes what can be read. */
    read: async (readable: Readable): Promise<void> => {
      hooks.readable = readable;
      await runner.readableChanged();
      await clock.advance(10);
    },
    lead: async (isLeading: boolean): Promise<void> => {
      await runner.lead(isLeading);
      await clock.advance(10);
    },
  };
}

const begun = ['refreshed', 'observed'];
const ended = ['forgotten', 'paused'];

describe('a kind', () => {
  it('a kind runs when its replica leads and its objects were read', async () => {
    const { done, read, lead } = setUp();
    await read(synced);
    expect(done).toEqual([]);
    await lead(true);
    expect(done).toEqual(begun);
  });

  it('a kind runs when its objects were read after its replica became leader', async () => {
    const { done, read, lead } = setUp();
    await lead(true);
    await read(denied('NotFound'));
    expect(done).toEqual([]);
    await read(synced);
    expect(done).toEqual(begun);
  });

  it('a kind starts once, also when it is started several times', async () => {
    const { done, read, lead } = setUp();
    await read(synced);
    await lead(true);
    await read(synced);
    await lead(true);
    expect(done).toEqual(begun);
  });

  it('a kind stops when it loses a permission, and runs again when it gets it back', async () => {
    const { done, read, lead } = setUp();
    await read(synced);
    await lead(true);
    await read(denied('Forbidden'));
    await read(synced);
    expect(done).toEqual([...begun, ...ended, ...begun]);
  });

  it('a kind runs also where what it watches besides cannot be read', async () => {
    const { hooks, read } = setUp();
    await read(synced);
    expect(hooks.needed).toEqual([kinds.SwarmPool]);
  });

  it('a kind does not run without leadership, though its objects can be read', async () => {
    const { done, read, lead } = setUp();
    await read(synced);
    await lead(true);
    await lead(false);
    await read(synced);
    expect(done).toEqual([...begun, ...ended]);
  });

  it('a kind does not run when leadership ended while its lists were being read', async () => {
    const { done, hooks, runner, read, lead } = setUp();
    await read(synced);
    hooks.refresh = () => void runner.lead(false);
    await lead(true);
    expect(done).toEqual(['refreshed', ...ended]);
  });

  it('a kind stays off when etcd is restored meanwhile, and starts over once it is on', async () => {
    const { done, runner, read, lead } = setUp();
    await lead(true);
    await read(denied('Forbidden'));
    await runner.beginAnew();
    expect(done).toEqual([]);
    await read(synced);
    expect(done).toEqual(begun);
  });

  it('a kind starts over after etcd was restored, if it ran before', async () => {
    const { done, runner, read, lead } = setUp();
    await read(synced);
    await runner.beginAnew();
    expect(done).toEqual([]);
    await lead(true);
    await runner.beginAnew();
    await lead(true);
    expect(done).toEqual([...begun, ...ended, ...begun]);
  });
});

describe('a kind in several namespaces', () => {
  const all = ['refreshed', 'refreshed a', 'refreshed b', 'observed a/x', 'observed b/x'];

  it('a kind lists each namespace before it decides about its objects', async () => {
    const { done, read, lead } = setUp(['a', 'b']);
    await read(synced);
    await lead(true);
    expect(done).toEqual(all);
  });

  it('a kind leaves out a namespace that it cannot read, and goes on in all others', async () => {
    const { done, runner, read, lead } = setUp(['a', 'b']);
    await read(synced);
    await lead(true);
    done.length = 0;
    await read(syncedBut('b'));
    expect(done).toEqual(['forgotten b/x']);
    runner.wake('b/x');
    runner.wake('a/x');
    await read(syncedBut('b'));
    expect(done).toEqual(['forgotten b/x', 'observed a/x']);
  });

  it('a kind goes on in a namespace when it can be read again, without a new start', async () => {
    const { done, read, lead } = setUp(['a', 'b']);
    await read(syncedBut('b'));
    await lead(true);
    expect(done).toEqual(['refreshed', 'refreshed a', 'observed a/x']);
    done.length = 0;
    await read(synced);
    expect(done).toEqual(['refreshed b', 'observed b/x']);
  });

  it('a namespace whose list is not answered delays no other', async () => {
    const { done, hooks, runner, read, lead } = setUp(['a', 'b']);
    hooks.refresh = (name) => (name === 'b' ? new Promise<void>(() => undefined) : undefined);
    await read(synced);
    void runner.lead(true);
    await read(synced);
    expect(done).toEqual(['refreshed', 'refreshed a', 'refreshed b', 'observed a/x']);
    hooks.refresh = () => undefined;
    await lead(false);
    done.length = 0;
    await lead(true);
    expect(done).toEqual(all);
  });

  it('a namespace that is closed while its list is read begins with a new list', async () => {
    const { done, hooks, runner, read } = setUp(['a', 'b']);
    const lists: (() => void)[] = [];
    hooks.refresh = (name) =>
      name === 'b' ? new Promise((resolve) => lists.push(resolve)) : undefined;
    await read(synced);
    void runner.lead(true);
    await read(synced);
    await read(syncedBut('b'));
    done.length = 0;
    void read(synced);
    await read(syncedBut());
    const [first, second] = lists;
    first?.();
    await read(synced);
    expect(done).toEqual(['refreshed b']);
    second?.();
    await read(synced);
    expect(done).toEqual(['refreshed b', 'observed b/x']);
  });

  it('a decision under way has no effect when its namespace cannot be read any more', async () => {
    const { done, hooks, runner, read, lead } = setUp(['a', 'b']);
    await read(synced);
    await lead(true);
    hooks.readable = syncedBut('b');
    done.length = 0;
    runner.wake('b/x');
    await runner.readableChanged();
    await read(syncedBut('b'));
    expect(done.filter((it) => it !== 'observed b/x')).toEqual(['forgotten b/x', 'forgotten b/x']);
  });

  it('a kind reports the namespaces that it cannot read, and logs each change once', async () => {
    const { logged, runner, read } = setUp(['a', 'b']);
    await read(syncedBut('b'));
    await read(syncedBut('b'));
    expect(runner.report).toEqual({
      kind: 'SwarmPool',
      state: 'On',
      unreadable: [{ namespace: 'b', reason: 'Forbidden', message: 'pods is forbidden in b' }],
    });
    await read(synced);
    expect(logged).toEqual([
      'SwarmPool rests in a namespace that cannot be read',
      'SwarmPool is on',
      'SwarmPool goes on in a namespace that can be read again',
    ]);
  });
});

describe('the report of a kind', () => {
  it.each([
    [
      'that its objects are being read',
      { state: 'syncing' } as const,
      { kind: 'SwarmPool', state: 'Syncing' },
    ],
    ['that it is on', synced, { kind: 'SwarmPool', state: 'On' }],
    [
      'which CRD is missing',
      denied('NotFound'),
      {
        kind: 'SwarmPool',
        state: 'Off',
        reason: 'NotInstalled',
        message: 'the cluster does not serve swarmpools.k8slab.info',
      },
    ],
    [
      'which permission is missing, in the words of the API server',
      denied('Forbidden'),
      {
        kind: 'SwarmPool',
        state: 'Off',
        reason: 'Forbidden',
        message: 'pods is forbidden: no rule',
      },
    ],
  ])('a kind reports %s', async (_, readable, report) => {
    const { runner, read } = setUp();
    await read(readable);
    expect(runner.report).toEqual(report);
  });

  it('a kind logs each change once', async () => {
    const { logged, read } = setUp();
    await read({ state: 'syncing' });
    await read(denied('NotFound'));
    await read(denied('NotFound'));
    await read(synced);
    expect(logged).toEqual(['SwarmPool is off', 'SwarmPool is on']);
  });
});
