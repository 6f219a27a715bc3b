// Does the watch survive any fault of a server or a network without losing a change?
import { afterEach, describe, expect, it } from '@jest/globals';
import { json, refuse, stream } from '../../../support/misbehaving-server.ts';
import { eventually } from '../../../support/processes.ts';
import { standing, type Watching, watching } from './watcher-under-test.ts';

let running: Watching | undefined;
const start = async (...options: Parameters<typeof watching>): Promise<Watching> => {
  running = await watching(...options);
  return running;
};
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

const object = (name: string, resourceVersion: string, rest: object = {}): object => ({
  kind: 'ConfigMap',
  metadata: { namespace: 'n', name, resourceVersion, uid: `u-${name}` },
  ...rest,
});
const codes = ({ troubles }: Watching): readonly string[] =>
  troubles.map(({ error }) => error.code);

describe('a watch under faults', () => {
  it('a watch loses no change after 410 Gone as the response to it', async () => {
    const it = await start();
    it.server.next('watch', refuse(410, 'Expired'));
    it.put('a');
    await it.isUpToDate();
    await it.server.untilWatched();
    expect(it.server.countOf('list')).toBe(2);
    expect(codes(it)).toEqual(['Gone']);
    expect(it.reports).toEqual(['ADDED n/a 11']);
  });

  it('a watch loses no change after 410 Gone as an ERROR event', async () => {
    const it = await start();
    it.server.next(
      'watch',
      stream({
        type: 'ERROR',
        object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' },
      }),
    );
    it.put('a');
    await it.isUpToDate();
    await it.server.untilWatched();
    expect(it.server.countOf('list')).toBe(2);
    expect(codes(it)).toEqual(['Gone']);
  });

  it('a watch does not loop tightly when each list is followed by 410', async () => {
    const it = await start();
    it.server.always('watch', refuse(410, 'Expired'));
    await eventually('five failures', () => it.troubles.length >= 5);
    const waits = it.troubles.slice(0, 5).map(({ retryInMs }) => retryInMs);
    expect(waits).toEqual([0, 300, 600, 1200, 2400]);
  });

  it('a watch whose server goes silent times out, and loses no change', async () => {
    const it = await start({ watchSeconds: 0.3 });
    await it.server.untilWatched();
    const connections = it.server.connections;
    it.server.goSilent();
    it.put('a');
    await it.isUpToDate();
    expect(new Set(codes(it))).toEqual(new Set(['Timeout']));
    expect(it.server.countOf('list')).toBe(1);
    expect(it.server.connections).toBeGreaterThan(connections);
  });

  it.each([
    ['a line that is not JSON', stream('{"type":"ADDED","object":{"met\n')],
    ['a page of HTML', stream('<html><body>Bad gateway</body></html>\n')],
    [
      'an event without a resource version',
      stream({ type: 'ADDED', object: { kind: 'ConfigMap', metadata: { name: 'x' } } }),
    ],
    ['an event without an object', stream({ type: 'ADDED' })],
    ['an event of an unknown type', stream({ type: 'EXPLODED', object: object('x', '12') })],
    [
      'an end in the middle of an object',
      stream(JSON.stringify({ type: 'ADDED', object: object('x', '12') }).slice(0, 40)),
    ],
  ])('a watch loses no change after %s', async (_, behaviour) => {
    const it = await start();
    it.server.next('watch', behaviour);
    await it.watcher.synced;
    it.put('a');
    await it.isUpToDate();
    expect(codes(it)).toEqual(['BadAnswer']);
    expect(it.reports).toEqual(['ADDED n/a 11']);
  });

  it('a watch loses no change after a connection that is reset in the middle of an object', async () => {
    const it = await start();
    await it.server.untilWatched();
    it.put('a');
    await it.isUpToDate();
    it.server.say('{"type":"ADDED","object":{"metadata":{"name":"b"');
    it.server.reset();
    it.put('b');
    await it.isUpToDate();
    expect(codes(it)).toEqual(['Unreachable']);
    expect(it.server.countOf('list')).toBe(1);
    expect(it.reports).toEqual(['ADDED n/a 11', 'ADDED n/b 12']);
  });

  it('a list that ends before its announced length is tried again', async () => {
    const it = await start();
    it.server.next('list', (response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"items":[');
      setImmediate(() => response.destroy());
    });
    it.put('a');
    await it.isUpToDate();
    expect(codes(it)).toEqual(['Unreachable']);
  });

  it('a watch retries responses of 500 with delays that double up to ten seconds', async () => {
    const it = await start();
    it.server.next('list', ...Array.from({ length: 8 }, () => refuse(500)));
    it.put('a');
    await it.isUpToDate();
    expect(codes(it)).toEqual(Array.from({ length: 8 }, () => 'Unavailable'));
    expect(it.troubles.map(({ retryInMs }) => retryInMs)).toEqual([
      150, 300, 600, 1200, 2400, 4800, 7500, 7500,
    ]);
  });

  it('a watch retries an absent server every three seconds at most, and lists an expired version at once', async () => {
    const it = await start();
    const away = (response: { destroy: () => void }): void => response.destroy();
    it.server.next('watch', ...Array.from({ length: 7 }, () => away), refuse(410, 'Expired'));
    await eventually('eight failures', () => it.troubles.length >= 8);
    it.put('a');
    await it.isUpToDate();
    expect(codes(it)).toEqual([...Array.from({ length: 7 }, () => 'Unreachable'), 'Gone']);
    expect(it.troubles.map(({ retryInMs }) => retryInMs)).toEqual([
      150, 300, 600, 1200, 2250, 2250, 2250, 0,
    ]);
  });

  it('a watch forgets the earlier failures once it makes progress', async () => {
    const it = await start({ clock: standing });
    it.server.always('version', stream({ metadata: { resourceVersion: '50' }, items: [] }));
    it.server.next(
      'watch',
      refuse(500),
      refuse(500),
      stream({ type: 'ADDED', object: object('b', '50') }),
      refuse(500),
    );
    await eventually('four failures', () => it.troubles.length >= 4);
    expect(it.troubles.slice(0, 4).map(({ retryInMs }) => retryInMs)).toEqual([150, 300, 150, 300]);
  });

  it('a watch is retried after 429 as late as Retry-After says in seconds', async () => {
    const it = await start();
    it.server.next('list', refuse(429, 'TooManyRequests', 'slow down', { 'retry-after': '3' }));
    it.put('a');
    await it.isUpToDate();
    expect(it.troubles.map(({ error, retryInMs }) => [error.code, retryInMs])).toEqual([
      ['TooManyRequests', 3000],
    ]);
  });

  it("a watch is retried after 429 as late as Retry-After says as a date, whatever the server's clock", async () => {
    const it = await start();
    const theirs = Date.now() - 3_600_000;
    const date = (ms: number): string => new Date(ms).toUTCString();
    it.server.next(
      'watch',
      refuse(429, '', 'slow down', { date: date(theirs), 'retry-after': date(theirs + 4000) }),
    );
    it.put('a');
    await it.isUpToDate();
    await it.server.untilWatched();
    expect(it.troubles.map(({ retryInMs }) => retryInMs)).toEqual([4000]);
  });

  it('a watch that the server ends at once is repeated at growing intervals', async () => {
    const it = await start({ clock: standing });
    it.server.always('watch', stream());
    await eventually('six watches', () => it.server.countOf('watch') >= 6);
    expect(it.troubles.slice(0, 5).map(({ retryInMs }) => retryInMs)).toEqual([
      150, 300, 600, 1200, 2400,
    ]);
  });

  it('a watch that the server ends at once after old events is repeated at growing intervals', async () => {
    const it = await start({ clock: standing });
    it.server.always('watch', stream({ type: 'ADDED', object: object('a', '10') }));
    await eventually('six watches', () => it.server.countOf('watch') >= 6);
    expect(it.troubles.slice(0, 5).map(({ retryInMs }) => retryInMs)).toEqual([
      150, 300, 600, 1200, 2400,
    ]);
    expect(it.reports).toEqual([]);
  });

  it('a watch of a kind that is not installed yet syncs once it is', async () => {
    const it = await start();
    it.server.always('list', refuse(404, 'NotFound'));
    let isSynced = false;
    void it.watcher.synced.then(() => {
      isSynced = true;
    });
    await eventually('three failures', () => it.troubles.length >= 3);
    expect(isSynced).toBe(false);
    it.server.always('list', undefined);
    it.put('a');
    await it.watcher.synced;
    await it.isUpToDate();
    expect(new Set(codes(it))).toEqual(new Set(['NotFound']));
  });

  it('a list whose page token expires loses no object', async () => {
    const it = await start({}, { pageSize: 2 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) it.put(name);
    // Between the first page and the second, the store moves on.
    it.server.next('list', (_response, _asked, well) => {
      well();
      it.put('f');
    });
    await it.isUpToDate();
    expect(it.reports.map((report) => report.slice(0, 9))).toEqual([
      'ADDED n/a',
      'ADDED n/b',
      'ADDED n/c',
      'ADDED n/d',
      'ADDED n/e',
      'ADDED n/f',
    ]);
  });

  it('a list is read in all of its pages, as of one version', async () => {
    const it = await start({}, { pageSize: 2 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) it.put(name);
    await it.isUpToDate();
    expect(it.server.countOf('list')).toBe(3);
    expect(it.troubles).toEqual([]);
    expect(it.changes[4]?.object).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'e' },
    });
  });
});

describe('the end of a watch', () => {
  it('a watch ends promptly when it is aborted, and leaves no socket and no timer', async () => {
    const it = await start();
    await it.server.untilWatched();
    const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await it.stop();
    running = undefined;
    expect(it.server.openSockets).toBe(0);
    expect(
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
    ).toBeLessThan(timers);
  });

  it('a watch ends promptly while it waits for a retry, or for a list that never comes', async () => {
    const it = await start();
    it.server.next('list', refuse(429, '', '', { 'retry-after': '120' }));
    await eventually('it waits', () => it.troubles.length === 1);
    await it.stop();
    const other = await start();
    other.server.next('list', () => undefined);
    await eventually('it sends a request', () => other.server.countOf('list') === 1);
    await other.stop();
    running = undefined;
    expect(other.troubles).toEqual([]);
  });

  it('a watch does not end because of an invalid object', async () => {
    const it = await start();
    it.server.next('list', (response) =>
      json(response, 200, { metadata: { resourceVersion: '9' }, items: [{ metadata: {} }] }),
    );
    it.put('a');
    await it.isUpToDate();
    expect(codes(it)).toEqual(['BadAnswer']);
  });
});
