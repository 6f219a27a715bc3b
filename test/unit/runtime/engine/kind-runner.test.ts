// When does a kind run? While this replica leads and can read what the kind watches.
import { describe, expect, it } from '@jest/globals';
import { type Kind, kinds } from '../../../../src/api/kinds.ts';
import { inOneTurn } from '../../../../src/core/work.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import { KindRunner } from '../../../../src/runtime/engine/kind-runner.ts';
import { TurnScheduler } from '../../../../src/runtime/queue/turn-scheduler.ts';
import type { Readable } from '../../../../src/runtime/watch/operator.ts';
import { MemoryApi } from '../../../support/memory-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const synced: Readable = { state: 'synced' };
const denied = (code: 'NotFound' | 'Forbidden'): Readable => ({
  state: 'denied',
  kind: kinds.SwarmPool,
  denial: new KubeError(code, 'pods is forbidden: no rule'),
});

function setUp() {
  const clock = new VirtualClock();
  const done: string[] = [];
  const logged: string[] = [];
  const line = (message: string): unknown => logged.push(message);
  const hooks = {
    readable: { state: 'syncing' } as Readable,
    refresh: (): void => undefined,
    needed: [] as readonly Kind[],
  };
  const runner = new KindRunner({
    controller: {
      name: 'SwarmPool',
      subscriptions: () => [
        { kind: kinds.SwarmPool, onChange: () => undefined },
        { kind: kinds.RuntimeClass, onChange: () => undefined, isOptional: true },
      ],
      keys: () => ['n/a'],
      observe: async () => {
        done.push('observed');
        return {};
      },
      decide: () => inOneTurn(() => ({ steps: [] })),
      decideFailed: () => undefined,
      forget: () => done.push('forgotten'),
      paused: () => done.push('paused'),
      close: async () => void done.push('closed'),
    },
    watches: {
      readable: (needed) => {
        hooks.needed = needed;
        return hooks.readable;
      },
      isBroken: () => false,
      refreshed: async () => {
        done.push('refreshed');
        hooks.refresh();
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
