// What do all stories of the page share? One world, one browser, one pool.
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Pool } from '../integration/support/pool.ts';
import { Chromium, objectionsTo, still } from './browser.ts';
import { PageWorld } from './world.ts';

/** Names that the definition allows, and that a page could handle wrongly. */
export const ODD = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(2)</script>',
  'javascript:alert(3)',
  '__proto__',
  'a b/c?d#e&f=%zz',
  '日本語 チャンネル',
  `long-${'x'.repeat(123)}`,
];

/** The stories change it. */
export const streams: readonly string[] = [
  'arte',
  'ard',
  'zdf',
  'bbc-one',
  'bbc-two',
  'cnbc',
  'sky',
  'nhk',
  'nrk',
  'svt',
  'yle',
  'orf',
  'rts',
  'tf1',
  'rai-uno',
  'cctv',
];

export const listOf = (
  names: readonly string[],
  weights: Readonly<Record<string, number>> = {},
): readonly object[] =>
  names.map((name) => ({ name, ...(weights[name] !== undefined && { weight: weights[name] }) }));

export class Scene {
  readonly world: PageWorld;
  readonly chromium: Chromium;
  #tv: Pool | undefined;

  private constructor(world: PageWorld, chromium: Chromium) {
    this.world = world;
    this.chromium = chromium;
  }

  static async start(): Promise<Scene> {
    const world = await PageWorld.start();
    return new Scene(world, await Chromium.start(world.base));
  }

  get tv(): Pool {
    if (this.#tv === undefined) throw new Error('no story has made the pool yet');
    return this.#tv;
  }

  /** Its workers stay Ready while they do not answer: the operator waits for them, not for pods. */
  async makePool(): Promise<void> {
    const spec = { streams: listOf(streams) };
    this.#tv = await this.world.swarm.pool('swarm', {
      streams: [],
      workers: 3,
      spec,
      worker: { readinessProbe: undefined },
    });
  }

  async stop(): Promise<void> {
    await this.chromium.close();
    await this.world.stop();
  }
}

export const TV = '#/pools/swarm/tv';

export const block = (page: Page, stream: string) =>
  page.locator('.vessel .block', { hasText: stream });

/** The streams that are drawn, by worker. */
export const drawn = (page: Page): Promise<Record<string, readonly string[]>> =>
  page.evaluate(() => {
    const columns = [...document.querySelectorAll<HTMLElement>('.column')];
    const namesIn = (column: HTMLElement): string[] =>
      [...column.querySelectorAll('.block-name')].map(({ textContent }) => textContent ?? '');
    return Object.fromEntries(
      columns.map((column) => [column.getAttribute('aria-label') ?? '', namesIn(column).sort()]),
    );
  });

/**
 * The page is accessible in light and dark, on a wide and a narrow screen. Animations must be over:
 * what moves has other colours for a moment.
 */
export async function expectAccessible(page: Page): Promise<void> {
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 860 });
    await still(page);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect({ colorScheme, width, overflow, objections: await objectionsTo(page) }).toEqual({
      colorScheme,
      width,
      overflow: 0,
      objections: [],
    });
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: null });
  await page.setViewportSize({ width: 1280, height: 860 });
}
