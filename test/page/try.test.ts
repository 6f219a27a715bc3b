import { afterAll, beforeAll, it } from '@jest/globals';
import { Chromium, objectionsTo, photograph, still } from './browser.ts';
import { PageWorld } from './world.ts';

let world: PageWorld;
let chromium: Chromium;
beforeAll(async () => {
  world = await PageWorld.start();
  chromium = await Chromium.start(world.base);
}, 300_000);
afterAll(async () => {
  await chromium?.close();
  await world?.stop();
});
it('x', async () => {
  const { page, misdeeds } = await chromium.open('');
  await page.getByText('No pool yet').waitFor();
  await photograph(page, 'empty');
  const streams = [
    'cars:new',
    'cnbc',
    'bbc-one',
    'bbc-two',
    'arte',
    'zdf',
    'ard',
    'rai-uno',
    'rtve-1',
    'rtve-2',
    'nhk',
    'nrk',
    'svt',
    'yle',
    'orf',
    'rts',
    'tf1',
    'france-2',
    'cctv-1',
    'cctv-3',
    'abc-news',
    'sky',
    'euronews',
    'weather',
    'history',
    'sportnews',
    '<img src=x onerror=alert(1)>',
  ].map((name) => ({ name }));
  const tv = await world.swarm.pool('swarm', {
    streams: [],
    workers: 3,
    spec: { streams, refresh: { timeoutSeconds: 3 } },
    worker: { readinessProbe: undefined },
  });
  await tv.until('ok', ({ convergedReplicas, version }) => convergedReplicas === 3 && (version ?? 0) > 0, 60);
  await page.getByRole('link', { name: 'tv' }).waitFor();
  await still(page);
  await photograph(page, 'pools');
  console.log(await objectionsTo(page));
  await page.getByRole('link', { name: 'tv' }).click();
  await page.locator('.block').first().waitFor();
  await still(page);
  await photograph(page, 'tv');
  await page.getByRole('button', { name: /^cnbc/ }).hover();
  await page.locator('.why-card li').first().waitFor();
  await photograph(page, 'hover');
  console.log(await objectionsTo(page));
  await tv.edit({
    streams: [
      ...streams,
      { name: 'cup-final', weight: 60 },
      { name: 'derby', weight: 60 },
      { name: 'election', weight: 100 },
      { name: 'too-much', weight: 70 },
    ],
  });
  await page.locator('.tray').waitFor();
  await tv.until('ok', ({ convergedReplicas, version }) => convergedReplicas === 3 && (version ?? 0) > 1, 60);
  await still(page);
  await photograph(page, 'weighed');
  console.log(await objectionsTo(page));
  await tv.scale(5);
  await page.waitForTimeout(1500);
  await photograph(page, 'travel');
  await tv.until('ok', ({ convergedReplicas, version }) => convergedReplicas === 5 && (version ?? 0) > 1, 60);
  world.silence('worker-1', 'swarm');
  await tv.edit({
    streams: [
      ...streams,
      { name: 'cup-final', weight: 60 },
      { name: 'derby', weight: 60 },
      { name: 'election', weight: 100 },
      { name: 'third', weight: 60 },
      ...['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9', 'n10'].map((name) => ({ name })),
    ],
  });
  await page.locator('[data-state=stuck]').first().waitFor();
  await still(page);
  await photograph(page, 'stuck');
  world.wake();
  await page.locator('#what-if').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.locator('.plan-bars li').first().waitFor();
  await still(page);
  await photograph(page, 'what-if');
  console.log(await objectionsTo(page));
  await page.getByRole('button', { name: /Change to dark/ }).click();
  await photograph(page, 'what-if-dark');
  console.log(await objectionsTo(page));
  await page.setViewportSize({ width: 380, height: 800 });
  await still(page);
  await photograph(page, 'narrow');
  console.log(misdeeds);
}, 240_000);
