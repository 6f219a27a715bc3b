// Are changes during a gap between watches reported afterwards, once, and in order?
import { afterEach, describe, expect, it } from '@jest/globals';
import { refuse, stream } from '../../../support/misbehaving-server.ts';
import { eventually } from '../../../support/processes.ts';
import { kind, type Watching, watching } from './watcher-under-test.ts';

let running: Watching | undefined;
const start = async (...options: Parameters<typeof watching>): Promise<Watching> => {
  running = await watching(...options);
  return running;
};
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

/**
 * Without a watch until `end`; the next one then begins after a version that the server has
 * forgotten.
 */
async function gap(it: Watching, during: () => void): Promise<void> {
  await it.server.untilWatched();
  it.server.always('watch', refuse(500));
  it.server.endWatches();
  await eventually('no watch is open', () => it.server.watches === 0);
  during();
  it.server.store.compact();
  it.server.always('watch', undefined);
  await eventually('the watcher has listed again', () => it.server.countOf('list') >= 2);
  await it.isUpToDate();
}

const told = ({ reports }: Watching): readonly string[] =>
  reports.map((report) => report.split(' ').slice(0, 2).join(' '));

describe('a gap between watches', () => {
  it('an object that was deleted in a gap is reported DELETED, with the identity that it had', async () => {
    const it = await start();
    it.put('a');
    it.put('b');
    await it.isUpToDate();
    await gap(it, () => it.remove('a'));
    expect(told(it)).toEqual(['ADDED n/a', 'ADDED n/b', 'DELETED n/a']);
    expect(it.changes[2]?.object.metadata).toEqual({
      namespace: 'n',
      name: 'a',
      uid: 'uid-1',
      resourceVersion: '11',
    });
  });

  it('an object that was deleted and created again in a gap is reported DELETED, then ADDED', async () => {
    const it = await start();
    it.put('a');
    await it.isUpToDate();
    await gap(it, () => {
      it.remove('a');
      it.put('a');
    });
    expect(told(it)).toEqual(['ADDED n/a', 'DELETED n/a', 'ADDED n/a']);
    expect(it.changes.map(({ object }) => object.metadata.uid)).toEqual([
      'uid-1',
      'uid-1',
      'uid-2',
    ]);
  });

  it('an object that changed in a gap is reported MODIFIED once, and an unchanged one is not', async () => {
    const it = await start();
    it.put('a');
    it.put('b');
    await it.isUpToDate();
    await gap(it, () => {
      it.put('a', { data: { x: '1' } });
      it.put('a', { data: { x: '2' } });
    });
    expect(told(it)).toEqual(['ADDED n/a', 'ADDED n/b', 'MODIFIED n/a']);
  });

  it('an object that was created and deleted in a gap is never reported', async () => {
    const it = await start();
    await gap(it, () => {
      it.put('a');
      it.remove('a');
    });
    expect(it.reports).toEqual([]);
  });
});

describe('a watch without a gap', () => {
  it('a bookmark moves the version on, so that a compaction causes no new list', async () => {
    const it = await start();
    await it.server.untilWatched();
    it.server.bookmark(kind);
    it.server.store.compact();
    it.server.bookmark(kind);
    await eventually('the bookmark was read', () => it.server.watches === 1);
    it.server.endWatches();
    await eventually(
      'it watches again',
      () => it.server.countOf('watch') >= 2 && it.server.watches === 1,
    );
    it.put('a');
    await it.isUpToDate();
    expect(it.server.countOf('list')).toBe(1);
    expect(
      it.server.asked
        .filter(({ verb }) => verb === 'watch')
        .at(-1)
        ?.query.get('resourceVersion'),
    ).toBe('13');
  });

  it('the watcher lists again from time to time, and corrects what a lost event hid', async () => {
    const it = await start({ relistMs: 100, watchSeconds: 0.2 });
    it.put('a');
    await it.isUpToDate();
    // The server forgets to send a deletion.
    it.server.goSilent();
    it.remove('a');
    await it.isUpToDate();
    expect(told(it)).toEqual(['ADDED n/a', 'DELETED n/a']);
  });

  it('a replayed ADDED is reported once, and one of a deleted object brings nothing back', async () => {
    const it = await start();
    it.put('a');
    it.put('b');
    await it.isUpToDate();
    await it.server.untilWatched();
    it.remove('b');
    await it.isUpToDate();
    for (const { event } of it.server.store.history({ kind }))
      it.server.say(`${JSON.stringify(event)}\n`);
    it.put('c');
    await it.isUpToDate();
    expect(told(it)).toEqual(['ADDED n/a', 'ADDED n/b', 'DELETED n/b', 'ADDED n/c']);
    expect(it.troubles).toEqual([]);
  });

  it('a list that is older than the known state brings nothing back', async () => {
    const it = await start();
    it.put('a');
    it.put('b');
    await it.isUpToDate();
    it.remove('b');
    await it.isUpToDate();
    const old = { metadata: { namespace: 'n', name: 'b', uid: 'uid-2', resourceVersion: '12' } };
    it.server.next('list', stream({ metadata: { resourceVersion: '12' }, items: [old] }));
    await it.server.untilWatched();
    it.server.next('watch', refuse(410, 'Expired'));
    it.server.endWatches();
    await eventually(
      'the watcher has read the old list, and another',
      () => it.server.countOf('list') === 3,
    );
    await it.isUpToDate();
    expect(told(it)).toEqual(['ADDED n/a', 'ADDED n/b', 'DELETED n/b']);
    expect(it.troubles.map(({ error }) => error.code)).toContain('BadAnswer');
  });

  it('lists that stay older count as true after a while, as after a restore of etcd', async () => {
    const it = await start();
    it.put('a', { data: { x: 'new' } });
    it.put('b');
    await it.isUpToDate();
    const items = [{ metadata: { namespace: 'n', name: 'a', uid: 'uid-1', resourceVersion: '5' } }];
    it.server.always('list', stream({ metadata: { resourceVersion: '6' }, items }));
    await it.server.untilWatched();
    it.server.next('watch', refuse(410, 'Expired'));
    it.server.endWatches();
    it.server.always('watch', (response) => response.writeHead(200).flushHeaders());
    await eventually(
      'the older state is reported',
      () => it.present()['a'] === '5' && it.present()['b'] === undefined,
    );
    expect(told(it)).toEqual(['ADDED n/a', 'ADDED n/b', 'MODIFIED n/a', 'DELETED n/b']);
  });

  it('texts with multi-byte characters arrive whole, wherever the chunks are split', async () => {
    const it = await start();
    await it.server.untilWatched();
    const text = 'ブログ 🐝 žluťoučký';
    it.server.store.version += 1;
    const metadata = {
      namespace: 'n',
      name: 'a',
      uid: 'u',
      resourceVersion: String(it.server.store.version),
    };
    const line = Buffer.from(
      `${JSON.stringify({ type: 'ADDED', object: { metadata, data: { text } } })}\n`,
    );
    for (const byte of line) {
      it.server.say(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually('it is reported', () => it.changes.length === 1);
    expect(it.changes[0]?.object['data']).toEqual({ text });
  });
});

describe('a watcher told to start over', () => {
  it('a watcher that starts over lists, though its watch is open and silent, and goes on from there', async () => {
    const it = await start();
    it.put('a');
    await it.isUpToDate();
    await it.server.untilWatched();
    it.server.goSilent();
    it.remove('a');
    it.put('b');
    await it.watcher.refresh();
    expect(told(it)).toEqual(['ADDED n/a', 'ADDED n/b', 'DELETED n/a']);
    expect(it.troubles).toEqual([]);
    it.put('c');
    await it.isUpToDate();
    expect(it.server.countOf('list')).toBe(2);
  });

  it('a watcher that starts over ignores a list that was under way before', async () => {
    let answer = (): void => undefined;
    const it = await start();
    await it.server.untilWatched();
    it.server.next('list', (_response, _asked, well) => {
      answer = well;
    });
    const first = it.watcher.refresh();
    await eventually('it lists', () => it.server.countOf('list') === 2);
    const second = it.watcher.refresh();
    answer();
    await first;
    await second;
    expect(it.server.countOf('list')).toBe(3);
  });

  it('a watcher that starts over retries a list that fails', async () => {
    const it = await start();
    await it.server.untilWatched();
    it.server.next('list', refuse(500), refuse(503));
    it.put('a');
    await it.watcher.refresh();
    expect(it.server.countOf('list')).toBe(4);
    await it.isUpToDate();
  });
});
