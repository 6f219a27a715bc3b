// Do the blocks of streams that change their workers move on the open page?
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { request } from 'undici';
import { asList, dig } from '../../../src/api/objects.ts';
import { eventually } from '../../support/processes.ts';
import { block, drawn, type Scene, streams, TV } from '../scene.ts';

/** Returns the blocks that were animated from one column to another since the call. */
async function watchTravels(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(() => {
    const seen = new Set<string>();
    const note = (node: Node): void => {
      if (
        node instanceof HTMLElement &&
        node.classList.contains('travelling') &&
        node.getAnimations().length > 0
      )
        seen.add(node.querySelector('.block-name')?.textContent ?? '');
    };
    new MutationObserver((records) => {
      for (const { target } of records) queueMicrotask(() => note(target));
    }).observe(document.body, { subtree: true, attributeFilter: ['class'] });
    Object.assign(window, { travels: () => [...seen] });
  });
  return () => page.evaluate(() => (window as unknown as { travels: () => string[] }).travels());
}

async function movesSince(
  before: Record<string, readonly string[]>,
  page: Page,
): Promise<readonly string[]> {
  const after = await drawn(page);
  const ownerIn = (all: Record<string, readonly string[]>, stream: string): string | undefined =>
    Object.entries(all).find(([, jobs]) => jobs.includes(stream))?.[0];
  return streams.filter((stream) => ownerIn(before, stream) !== ownerIn(after, stream)).sort();
}

const confirmed = (page: Page, workers: number): Promise<void> =>
  eventually(
    `${workers} workers are drawn, all confirmed`,
    async () =>
      (await page.locator('.column[data-tone=good]').count()) === workers &&
      (await page.locator('.column').count()) === workers &&
      (await page.locator('.vessel [data-state=confirmed]').count()) === streams.length,
  );

const published = async ({ tv }: Scene): Promise<Record<string, readonly string[]>> =>
  Object.fromEntries(
    [...(await tv.published()).slices].map(([worker, { jobs }]) => [worker, [...jobs].sort()]),
  );

export function travel(scene: () => Scene): void {
  it('the page moves the streams that new workers get, and no others', async () => {
    const { page, misdeeds } = await scene().chromium.open(TV);
    await confirmed(page, 3);
    const before = await drawn(page);
    const travels = await watchTravels(page);
    const { body } = await request(`${scene().world.base}/api/v1/pools/swarm/tv/plan?workers=5`);
    const [first] = asList(dig(await body.json(), 'moves', 'first'));
    const traveller = String(dig(first, 'stream'));
    await block(page, traveller).focus();
    await scene().tv.scale(5);
    // Workers that are Ready first may get streams before the others join.
    await eventually('each of the five has its part, and that is drawn', async () => {
      const parts = await published(scene());
      return (
        Object.values(parts).filter((jobs) => jobs.length >= 3).length === 5 &&
        isDeepStrictEqual(await drawn(page), parts)
      );
    });
    await confirmed(page, 5);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(traveller);
    const moved = await movesSince(before, page);
    expect(moved.length).toBeGreaterThan(0);
    await eventually('each has travelled', async () => (await travels()).length === moved.length);
    expect([...(await travels())].sort()).toEqual(moved);
    expect(await drawn(page)).toEqual(await published(scene()));
    expect(misdeeds).toEqual([]);
    await page.close();
  });

  it('the page lists a change, its moves and how long it took', async () => {
    const { page } = await scene().chromium.open(TV);
    const [last] = (await scene().tv.status())?.history ?? [];
    const newest = page
      .locator('.timeline li')
      .first()
      .filter({ hasText: `v${last?.version}` })
      .filter({ hasText: `${last?.moves} move` });
    await newest.filter({ hasText: /(< 1|\d+) s$/ }).waitFor();
    await page.close();
  });

  it('the page animates nothing if the user prefers reduced motion', async () => {
    const { page } = await scene().chromium.open(TV, { reducedMotion: 'reduce' });
    await confirmed(page, 5);
    const travels = await watchTravels(page);
    await scene().tv.scale(4);
    await confirmed(page, 4);
    expect(await travels()).toEqual([]);
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
    await page.close();
  });
}
