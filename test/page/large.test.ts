// Is the page usable and fast with two hundred workers and ten thousand streams? The workers are
// simulated, everything else is real.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { type Large, largePool, manyNames, renamed } from '../integration/support/large.ts';
import type { Pool } from '../integration/support/pool.ts';
import { eventually } from '../support/processes.ts';
import { SimulatedWorkers } from '../support/simulated-workers.ts';
import { Chromium, photograph } from './browser.ts';
import { expectAccessible } from './scene.ts';
import { PageWorld } from './world.ts';

const HASH = '#/pools/large/tv';
const PATIENCE = 240;
const LARGEST_ANSWER = 256 * 1024;
const size: Large = { streams: manyNames(10_000), lists: 2, shards: 2, workers: 200 };

let world: PageWorld;
let workers: SimulatedWorkers;
let chromium: Chromium;
let pool: Pool;
const figures: string[] = [];

const converged = (count: number): Promise<unknown> =>
  pool.until(
    `has ${count} workers converged`,
    ({ replicas, convergedReplicas }) => replicas === count && convergedReplicas === count,
    PATIENCE,
  );

beforeAll(async () => {
  world = await PageWorld.start({ nodes: 0, controlPlane: { nodeMonitorGraceSeconds: 120 } });
  workers = await SimulatedWorkers.start(world.swarm.playground.plane.kubeconfig);
  chromium = await Chromium.start(world.base);
  pool = await largePool(world.swarm, 'large', size);
  await converged(size.workers);
});

afterAll(async () => {
  console.log(['200 workers x 10,000 streams:', ...figures].join('\n  '));
  await chromium?.close();
  await workers?.stop();
  await world?.stop();
});

const since = (start: number): string => `${Math.round(performance.now() - start)} ms`;

describe('a pool of two hundred workers', () => {
  it('the page draws each of two hundred workers with its level, quickly', async () => {
    const start = performance.now();
    const { page, misdeeds } = await chromium.open(HASH);
    await eventually(
      'all are drawn',
      async () => (await page.locator('.column[data-tone=good]').count()) === 200,
      PATIENCE,
    );
    figures.push(`opened until all workers are drawn: ${since(start)}`);
    const asked = performance.now();
    const text = await (await request(`${world.base}/api/v1/pools/large/tv/board`)).body.text();
    figures.push(`its answer: ${Math.round(text.length / 1024)} KiB in ${since(asked)}`);
    expect(text.length).toBeLessThan(LARGEST_ANSWER);
    await photograph(page, 'page-large');
    await expectAccessible(page);
    expect(misdeeds).toEqual([]);
    await page.close();
  });

  it('the page shows a change of a large pool soon', async () => {
    const { page } = await chromium.open(HASH);
    await page.locator('.column[data-tone=good]').first().waitFor();
    const versionShown = async (): Promise<number> =>
      Number(await page.locator('.board').getAttribute('data-version'));
    const before = await versionShown();
    const start = performance.now();
    await renamed(world.swarm, 'large', size, 4_711, 'renamed');
    await eventually(
      'the new version is drawn',
      async () => (await versionShown()) > before,
      PATIENCE,
    );
    figures.push(`one stream edited until it is drawn: ${since(start)}`);
    await page.locator('.object-title', { hasText: 'Converged' }).waitFor();
    figures.push(`and until its confirmation is: ${since(start)}`);
    await page.close();
  });

  it('the page animates streams to a worker that joins a large pool', async () => {
    const { page } = await chromium.open(HASH);
    await page.locator('.column[data-tone=good]').first().waitFor();
    await page.evaluate(() => {
      const count = { sparks: 0 };
      const sparksIn = (nodes: NodeList): number =>
        [...nodes].filter((node) => node instanceof Element && node.className === 'spark').length;
      new MutationObserver((records) => {
        for (const { addedNodes } of records) count.sparks += sparksIn(addedNodes);
      }).observe(document.body, { subtree: true, childList: true });
      Object.assign(window, { count });
    });
    await pool.scale(201);
    await eventually(
      'it is drawn, with all others',
      async () => (await page.locator('.column[data-tone=good]').count()) === 201,
      PATIENCE,
    );
    const sparks = (): Promise<number> =>
      page.evaluate(() => (window as unknown as { count: { sparks: number } }).count.sparks);
    await eventually('each of its streams has flown', async () => (await sparks()) === 49);
    await page.locator('.spark').first().waitFor({ state: 'detached' });
    await pool.scale(200);
    await converged(200);
    await page.close();
  });

  it('the page finds a stream among ten thousand, with its worker and the reason', async () => {
    const { page } = await chromium.open(HASH);
    const search = page.getByRole('combobox');
    await search.waitFor();
    const start = performance.now();
    await search.fill('stream-009876');
    await page.getByRole('option').waitFor();
    figures.push(`searched until found: ${since(start)}`);
    await search.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog
      .locator('.explained', { hasText: 'it reserves nothing, and is one of 50 streams there' })
      .waitFor();
    await dialog.getByText('50 of 50 streams').waitFor();
    await page.close();
  });

  it('the page shows a plan of a large pool', async () => {
    const { page } = await chromium.open(HASH);
    const slider = page.getByLabel('What if there were');
    await slider.focus();
    await page.locator('.column').first().waitFor();
    const start = performance.now();
    await slider.press('ArrowRight');
    await page.getByText('49 streams would move').waitFor();
    figures.push(`slider moved until the plan is drawn: ${since(start)}`);
    await page.close();
  });
});
