// When may what a watch has reported be outdated? From its failure until a list, an answer or an
// event shows the present state.
import { afterEach, describe, expect, it } from '@jest/globals';
import { refuse } from '../../../support/misbehaving-server.ts';
import { eventually } from '../../../support/processes.ts';
import { type Watching, watching } from './watcher-under-test.ts';

let running: Watching | undefined;
const start = async (): Promise<Watching> => {
  running = await watching();
  await running.server.untilWatched();
  return running;
};
afterEach(async () => {
  await running?.stop();
  running = undefined;
});

describe('a watch', () => {
  it('a watch that works is not broken, whether or not anything changes', async () => {
    const { watcher, put, isUpToDate } = await start();
    expect(watcher.isBroken).toBe(false);
    put('a');
    await isUpToDate();
    expect(watcher.isBroken).toBe(false);
  });

  it('a watch is broken while the server is away, and no longer when it has listed', async () => {
    const { server, watcher, troubles } = await start();
    server.always('watch', refuse(503, 'ServiceUnavailable'));
    server.always('list', refuse(503, 'ServiceUnavailable'));
    server.reset();
    await eventually('it is tried again', () => troubles.length >= 3);
    expect(watcher.isBroken).toBe(true);
    server.always('watch', undefined);
    server.always('list', undefined);
    await eventually('it works', () => !watcher.isBroken);
  });

  it('a watch is broken from the news that etcd was restored until it has listed', async () => {
    const { server, watcher } = await start();
    watcher.restored();
    expect(watcher.isBroken).toBe(true);
    await eventually('it has listed', () => !watcher.isBroken);
    expect(server.countOf('list')).toBe(2);
  });

  it('a watch that may not be read any more is denied, and not broken', async () => {
    const { server, watcher, troubles } = await start();
    server.always('watch', refuse(403, 'Forbidden'));
    server.always('list', refuse(403, 'Forbidden'));
    server.reset();
    await eventually('it was refused five times', () => troubles.length >= 6);
    expect(watcher.isBroken).toBe(false);
  });
});
