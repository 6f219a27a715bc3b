// Is the response to one's own write visible at once, and never instead of a newer state?
import { describe, expect, it } from '@jest/globals';
import { kinds } from '../../../../src/api/kinds.ts';
import type { KubeObject } from '../../../../src/api/objects.ts';
import type { Listing } from '../../../../src/runtime/client/api.ts';
import { Watcher } from '../../../../src/runtime/watch/watcher.ts';
import { MemoryApi } from '../../../support/memory-api.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

const kind = kinds.ConfigMap;
const ref = { namespace: 'n', name: 'a' };

class LaggingApi extends MemoryApi {
  /** The next list's result instead of the true one. */
  older: Listing | undefined;
  readonly listed: ('whole' | 'metadata')[] = [];
  /** Lists of metadata wait for this. */
  slow: Promise<void> = Promise.resolve();

  override async list(...asked: Parameters<MemoryApi['list']>): Promise<Listing> {
    this.listed.push(asked[0].metadataOnly === true ? 'metadata' : 'whole');
    if (asked[0].metadataOnly === true) await this.slow;
    const present = await super.list(...asked);
    const answer = this.older ?? present;
    this.older = undefined;
    return answer;
  }
}

function setUp(relistMs = 600_000) {
  const clock = new VirtualClock();
  const api = new LaggingApi(clock);
  const reports: string[] = [];
  const stopping = new AbortController();
  const watcher = new Watcher(
    api,
    { kind },
    { clock, relistMs, random: () => 0 },
    ({ type, object }) =>
      reports.push(`${type} ${object.metadata.name} ${object.metadata.resourceVersion}`),
  );
  const done = watcher.run(stopping.signal);
  return {
    clock,
    api,
    watcher,
    reports,
    /** A watch without events: as if they were still on their way. */
    muteWatch: () => {
      api.store.onChange = () => () => undefined;
    },
    stop: async () => {
      stopping.abort();
      await done;
      return clock.pending;
    },
  };
}

describe('the response to an own write', () => {
  it('the response to an own write is reported at once, and not again by the watch', async () => {
    const { clock, api, watcher, reports, stop } = setUp();
    await clock.advance(0);
    const made = api.store.create(kind, { apiVersion: 'v1', kind: 'ConfigMap', metadata: ref });
    watcher.observe(made);
    expect(reports).toEqual(['ADDED a 11']);
    await clock.advance(60_000);
    expect(reports).toEqual(['ADDED a 11']);
    expect(await stop()).toBe(0);
  });

  it('the response to an own write is not reported when the watch has passed it', async () => {
    const { clock, api, watcher, reports, stop } = setUp();
    await clock.advance(0);
    const made = api.store.put(kind, ref);
    api.store.put(kind, ref, { data: { x: '2' } });
    await clock.advance(0);
    watcher.observe(made);
    expect(reports).toEqual(['ADDED a 11', 'MODIFIED a 12']);
    await stop();
  });

  it('the response to an own write does not bring back an object that was deleted since', async () => {
    const { clock, api, watcher, reports, stop } = setUp();
    await clock.advance(0);
    const made = api.store.put(kind, ref);
    api.store.remove(kind, ref);
    await clock.advance(0);
    watcher.observe(made);
    expect(reports).toEqual(['ADDED a 11', 'DELETED a 12']);
    await stop();
  });

  it('the response about an object that was created again ends its predecessor', async () => {
    const { clock, api, watcher, reports, stop, muteWatch } = setUp();
    muteWatch();
    api.store.put(kind, ref);
    await clock.advance(0);
    api.store.remove(kind, ref);
    watcher.observe(api.store.put(kind, ref));
    expect(reports).toEqual(['ADDED a 11', 'DELETED a 11', 'ADDED a 13']);
    await clock.advance(20_000);
    expect(reports).toEqual(['ADDED a 11', 'DELETED a 11', 'ADDED a 13']);
    await stop();
  });

  it('the response to an own write survives an older list', async () => {
    const { clock, api, watcher, reports, stop, muteWatch } = setUp(10_000);
    muteWatch();
    await clock.advance(0);
    const before: Listing = { items: [], resourceVersion: String(api.store.version) };
    watcher.observe(api.store.put(kind, ref));
    api.older = before;
    await clock.advance(9_000);
    expect(reports).toEqual(['ADDED a 11']);
    await clock.advance(30_000);
    expect(reports).toEqual(['ADDED a 11']);
    await stop();
  });

  it('own writes make an older list count as old, also when their responses come in the other order', async () => {
    const { clock, api, watcher, muteWatch, stop } = setUp();
    muteWatch();
    await clock.advance(0);
    const first = api.store.put(kind, ref);
    const second = api.store.put(kind, { ...ref, name: 'b' });
    for (const answer of [second, first]) watcher.observe(answer);
    api.older = { items: [first], resourceVersion: first.metadata.resourceVersion ?? '' };
    let isRefreshed = false;
    void watcher.refresh().then(() => {
      isRefreshed = true;
    });
    await clock.advance(0);
    expect([api.listed.length, isRefreshed]).toEqual([2, false]);
    await clock.advance(2_000);
    expect([api.listed.length, isRefreshed]).toEqual([3, true]);
    await stop();
  });

  it('an own write is dropped by a newer list that lacks it', async () => {
    const { clock, api, watcher, reports, stop, muteWatch } = setUp(10_000);
    muteWatch();
    await clock.advance(0);
    watcher.observe(api.store.put(kind, ref));
    api.store.remove(kind, ref);
    api.store.compact();
    await clock.advance(30_000);
    expect(reports).toEqual(['ADDED a 11', 'DELETED a 11']);
    await stop();
  });

  it('an own write before the first list is reported too', async () => {
    const { clock, watcher, reports, stop } = setUp();
    const early: KubeObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...ref, uid: 'u', resourceVersion: '12' },
    };
    watcher.observe(early);
    expect(reports).toEqual(['ADDED a 12']);
    await clock.advance(0);
    expect(reports).toEqual(['ADDED a 12']);
    await stop();
  });
});

describe('a check every ten minutes', () => {
  const count = 3;
  const begun = async () => {
    const story = setUp();
    await story.clock.advance(0);
    for (let index = 0; index < count; index += 1)
      story.api.store.put(kind, { ...ref, name: `a${index}` });
    await story.clock.advance(0);
    return story;
  };

  it('a list of metadata every ten minutes shows that the watch missed nothing', async () => {
    const { clock, api, reports, stop } = await begun();
    await clock.advance(1_300_000);
    expect(api.listed).toEqual(['whole', 'metadata', 'metadata']);
    expect(reports).toHaveLength(count);
    await stop();
  });

  it('a deletion that no watch reported is found after ten minutes, and reported', async () => {
    const { clock, api, muteWatch, reports, stop } = await begun();
    muteWatch();
    api.store.remove(kind, { ...ref, name: 'a1' });
    api.store.since = () => [];
    await clock.advance(700_000);
    expect(api.listed).toEqual(['whole', 'metadata', 'metadata', 'whole']);
    expect(reports.at(-1)).toMatch(/^DELETED a1 /);
    await stop();
  });

  it('a slow list of metadata delays no change', async () => {
    const { clock, api, reports, stop } = await begun();
    const { promise, resolve } = Promise.withResolvers<void>();
    api.slow = promise;
    await clock.advance(700_000);
    api.store.put(kind, { ...ref, name: 'late' });
    await clock.advance(0);
    expect(reports.at(-1)).toMatch(/^ADDED late /);
    resolve();
    await clock.advance(60_000);
    expect(api.listed).toEqual(['whole', 'metadata']);
    await stop();
  });
});
