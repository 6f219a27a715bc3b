import { describe, expect, it } from '@jest/globals';
import { Alarm } from '../../../../src/playground/node/alarm.ts';
import { VolumeSync } from '../../../../src/playground/node/volumes/volume-sync.ts';
import type { Clock } from '../../../../src/runtime/clock.ts';
import { pod } from './builders.ts';

/** Advanced by the test. */
class TestClock implements Clock {
  #now = 0;
  #timers: { at: number; run: () => void }[] = [];
  now = (): number => this.#now;
  monotonic = (): number => this.#now;
  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + ms, run };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }
  get waiting(): number {
    return this.#timers.length;
  }
  pass(ms: number): void {
    this.#now += ms;
    for (const { run } of this.#timers.filter(({ at }) => at <= this.#now)) run();
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
  }
}

const facts = {
  pod: pod(),
  nodeName: 'alpha',
  podIP: '127.9.9.1',
  hostIP: '127.0.0.1',
  allocatable: {},
};

function setUp(
  answers: (undefined | 'missing')[],
  during: (sync: VolumeSync) => void = () => undefined,
) {
  const clock = new TestClock();
  const said: string[] = [];
  let looks = 0;
  const sync: VolumeSync = new VolumeSync(
    {
      sync: async () => {
        looks += 1;
        during(sync);
        return answers.shift() === 'missing'
          ? { volume: 'v', missing: 'configmap "map" not found' }
          : undefined;
      },
    },
    { clock, configMapPeriodMs: 60_000, random: () => 0.5 },
    (_, reason) => said.push(reason),
  );
  return { clock, sync, said, looks: () => looks };
}

describe('volumes', () => {
  it('volumes are synced again after the period and up to half of it more', async () => {
    const { clock, sync, looks } = setUp([]);
    expect(await sync.sync(facts)).toBe(75_000);
    clock.pass(74_000);
    expect(await sync.sync(facts)).toBe(1_000);
    expect(looks()).toBe(1);
    clock.pass(1_000);
    await sync.sync(facts);
    expect(looks()).toBe(2);
  });

  it('volumes are synced at once when the pod has changed', async () => {
    const { sync, looks } = setUp([]);
    await sync.sync(facts);
    sync.refreshSoon();
    await sync.sync(facts);
    expect(looks()).toBe(2);
  });

  it('volumes are synced again when the pod changes during a sync', async () => {
    let isFirst = true;
    const { sync, looks } = setUp([], (each) => {
      if (isFirst) each.refreshSoon();
      isFirst = false;
    });
    expect(await sync.sync(facts)).toBeLessThanOrEqual(0);
    await sync.sync(facts);
    expect(looks()).toBe(2);
  });

  it('volumes are retried with back-off when they cannot be made, before containers start', async () => {
    const { clock, sync, said } = setUp(['missing', 'missing', 'missing', undefined]);
    for (const wait of [500, 1_000, 2_000]) {
      expect(await sync.sync(facts)).toBe(wait);
      expect(sync.areMounted).toBe(false);
      clock.pass(wait);
    }
    await sync.sync(facts);
    expect(sync.areMounted).toBe(true);
    expect(said).toEqual(['FailedMount', 'FailedMount', 'FailedMount']);
  });

  it('volumes stay mounted when they cannot be refreshed', async () => {
    const { clock, sync } = setUp([undefined, 'missing']);
    await sync.sync(facts);
    clock.pass(75_000);
    expect(await sync.sync(facts)).toBe(500);
    expect(sync.areMounted).toBe(true);
  });
});

describe('an alarm', () => {
  const goesOn = async (waited: Promise<void>): Promise<boolean> =>
    Promise.race([
      waited.then(() => true),
      new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
    ]);

  it('an alarm keeps a ring from before the wait', async () => {
    const alarm = new Alarm(new TestClock());
    alarm.ring();
    expect(await goesOn(alarm.wait())).toBe(true);
    expect(await goesOn(alarm.wait())).toBe(false);
  });

  it('an alarm rings at the earliest of its times, and leaves no timer', async () => {
    const clock = new TestClock();
    const alarm = new Alarm(clock);
    alarm.ringAfter(500);
    alarm.ringAfter(100);
    const waited = alarm.wait();
    clock.pass(99);
    expect(await goesOn(waited)).toBe(false);
    clock.pass(1);
    expect(await goesOn(waited)).toBe(true);
    expect(clock.waiting).toBe(0);
  });
});
