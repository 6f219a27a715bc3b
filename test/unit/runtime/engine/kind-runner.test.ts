// When does a kind work? Leading, and what it watches can be read: both, in any order.
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import { KubeError } from '../../../../src/runtime/client/errors.ts';
import { KindRunner } from '../../../../src/runtime/engine/kind-runner.ts';
import { Thread } from '../../../../src/runtime/queue/thread.ts';
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
  const hooks = { readable: { state: 'syncing' } as Readable, refresh: (): void => undefined };
  const runner = new KindRunner({
    controller: {
      name: 'SwarmPool',
      subscriptions: () => [{ kind: kinds.SwarmPool, onChange: () => undefined }],
      keys: () => ['n/a'],
      observe: async () => {
        done.push('observed');
        return {};
      },
      // biome-ignore lint/correctness/useYield: it takes one piece
      decide: function* () {
        return { steps: [] };
      },
      decideFailed: () => undefined,
      forget: () => done.push('forgotten'),
      paused: () => done.push('paused'),
      close: async () => void done.push('closed'),
    },
    watches: {
      readable: () => hooks.readable,
      refreshed: async () => {
        done.push('refreshed');
        hooks.refresh();
      },
    },
    api: new MemoryApi(clock),
    clock,
    thread: new Thread({ clock }),
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
    /** What can be read changes. */
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

describe('a kind works', () => {
  it('when it leads and was read', async () => {
    const { done, read, lead } = setUp();
    await read(synced);
    expect(done).toEqual([]);
    await lead(true);
    expect(done).toEqual(begun);
  });

  it('when it was read after it began to lead', async () => {
    const { done, read, lead } = setUp();
    await lead(true);
    await read(denied('NotFound'));
    expect(done).toEqual([]);
    await read(synced);
    expect(done).toEqual(begun);
  });

  it('begins once, however often it is told the same', async () => {
    const { done, read, lead } = setUp();
    await read(synced);
    await lead(true);
    await read(synced);
    await lead(true);
    expect(done).toEqual(begun);
  });

  it('no more when a right was taken away, and again when it was given back', async () => {
    const { done, read, lead } = setUp();
    await read(synced);
    await lead(true);
    await read(denied('Forbidden'));
    await read(synced);
    expect(done).toEqual([...begun, ...ended, ...begun]);
  });

  it('no more when it does not lead, though it can be read', async () => {
    const { done, read, lead } = setUp();
    await read(synced);
    await lead(true);
    await lead(false);
    await read(synced);
    expect(done).toEqual([...begun, ...ended]);
  });

  it('not when it stopped to lead while it waited for its lists', async () => {
    const { done, hooks, runner, read, lead } = setUp();
    await read(synced);
    hooks.refresh = () => void runner.lead(false);
    await lead(true);
    expect(done).toEqual(['refreshed', ...ended]);
  });

  it('not when etcd is restored while it is off, and from there once it is on', async () => {
    const { done, runner, read, lead } = setUp();
    await lead(true);
    await read(denied('Forbidden'));
    await runner.beginAnew();
    expect(done).toEqual([]);
    await read(synced);
    expect(done).toEqual(begun);
  });

  it('anew when etcd was restored, and only if it worked', async () => {
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

describe('a kind says of itself', () => {
  it.each([
    [
      'that it is being read',
      { state: 'syncing' } as const,
      { kind: 'SwarmPool', state: 'Syncing' },
    ],
    ['that it is on', synced, { kind: 'SwarmPool', state: 'On' }],
    [
      'which definition is missing',
      denied('NotFound'),
      {
        kind: 'SwarmPool',
        state: 'Off',
        reason: 'NotInstalled',
        message: 'the cluster does not serve swarmpools.k8slab.info',
      },
    ],
    [
      'which right is missing, in the words of the API server',
      denied('Forbidden'),
      {
        kind: 'SwarmPool',
        state: 'Off',
        reason: 'Forbidden',
        message: 'pods is forbidden: no rule',
      },
    ],
  ])('%s', async (_, readable, report) => {
    const { runner, read } = setUp();
    await read(readable);
    expect(runner.report).toEqual(report);
  });

  it('in the log what has changed, once', async () => {
    const { logged, read } = setUp();
    await read({ state: 'syncing' });
    await read(denied('NotFound'));
    await read(denied('NotFound'));
    await read(synced);
    expect(logged).toEqual(['SwarmPool is off', 'SwarmPool is on']);
  });
});
