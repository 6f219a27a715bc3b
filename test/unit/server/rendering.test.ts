// Do many clients of the metrics endpoint cost no more than one?
import { get } from 'node:http';
import { afterEach, expect, it } from '@jest/globals';
import { Gauge, Registry } from 'prom-client';
import { systemClock } from '../../../src/runtime/clock.ts';
import { Metrics } from '../../../src/server/metrics/metrics.ts';
import { Rendering, renderInTurns, serveMetrics } from '../../../src/server/metrics/serve.ts';
import { settle, VirtualClock } from '../../support/virtual-clock.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function setUp() {
  const clock = new VirtualClock();
  let times = 0;
  const rendering = new Rendering(async () => {
    times += 1;
    return `rendering ${times}`;
  }, clock);
  const ask = async (address = 'a', isGone = () => false) =>
    String(await rendering.for(address, isGone));
  return { clock, rendering, ask, times: () => times };
}

it('metrics are rendered once for all clients that ask at the same time, or within a second', async () => {
  const { clock, ask, times } = setUp();
  const first = await Promise.all(
    Array.from({ length: 60 }, (_, index) => ask(`address ${index}`)),
  );
  expect(new Set(first)).toEqual(new Set(['rendering 1']));
  await clock.advance(900);
  expect(await ask('another')).toBe('rendering 1');
  await clock.advance(200);
  expect(await ask('another')).toBe('rendering 2');
  expect(times()).toBe(2);
});

it('an address gets a rendering a few times, and then waits for the next', async () => {
  const { clock, ask, times } = setUp();
  const told: string[] = [];
  for (let index = 0; index < 20; index += 1) void ask().then((text) => told.push(text));
  await settle();
  expect(told).toEqual(Array.from({ length: 8 }, () => 'rendering 1'));
  expect(await ask('another')).toBe('rendering 1');
  await clock.advance(1_000);
  expect(told.slice(8)).toEqual(Array.from({ length: 8 }, () => 'rendering 2'));
  await clock.advance(1_000);
  expect(told).toHaveLength(20);
  expect(times()).toBe(3);
});

it('metrics are not rendered for a client that has disconnected', async () => {
  const { clock, rendering, ask, times } = setUp();
  let isGone = false;
  for (let index = 0; index < 8; index += 1) await ask();
  const waiting = rendering.for('a', () => isGone);
  isGone = true;
  await clock.advance(10_000);
  expect(await waiting).toBeUndefined();
  expect(times()).toBe(2);
});

it('a failed rendering is reported to all clients that wait, and the next client gets another', async () => {
  const clock = new VirtualClock();
  let isBroken = true;
  const rendering = new Rendering(async () => {
    if (isBroken) throw new Error('broken');
    return 'whole';
  }, clock);
  const results = await Promise.allSettled([
    rendering.for('a', () => false),
    rendering.for('b', () => false),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect(String(await rendering.for('a', () => false))).toBe('whole');
});

it('the rendered metrics equal those of the registry, and other work runs in between', async () => {
  const registry = new Registry();
  for (const name of ['one', 'two', 'three'])
    new Gauge({ name, help: 'h', labelNames: ['l'], registers: [registry] }).set({ l: '"\n' }, 1);
  let turns = 0;
  const count = (): void => {
    turns += 1;
    setImmediate(count).unref();
  };
  setImmediate(count).unref();
  expect(await renderInTurns(registry)).toBe(await registry.metrics());
  expect(turns).toBeGreaterThanOrEqual(3);
});

it('the metrics endpoint serves many clients at once', async () => {
  const metrics = new Metrics({ version: '1', commit: 'c', date: 'd' }, () => 0);
  const served = await serveMetrics(0, metrics.registry, systemClock, '127.0.0.1');
  closing.push(served.close);
  const ask = (): Promise<string> =>
    new Promise((resolve, reject) => {
      get({ port: served.port, path: '/metrics', host: '127.0.0.1', agent: false }, (response) => {
        let text = '';
        response.on('data', (data) => {
          text += String(data);
        });
        response.on('end', () => resolve(text));
      }).on('error', reject);
    });
  const texts = await Promise.all(Array.from({ length: 8 }, ask));
  expect(new Set(texts).size).toBe(1);
  expect(texts[0]).toContain('swarm_operator_build_info{version="1",commit="c",date="d"} 1');
});
