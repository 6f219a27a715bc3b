// Does a pool that is created appear on the open page?
import { expect, it } from '@jest/globals';
import { eventually } from '../../support/processes.ts';
import { drawn, expectAccessible, ODD, type Scene, streams, TV } from '../scene.ts';

export function pools(scene: () => Scene): void {
  it('a pool appears when it is created, and its card links to it', async () => {
    const { page, misdeeds } = await scene().chromium.open('');
    await page.getByText('No pool yet').waitFor();
    await scene().makePool();
    await page.getByRole('link', { name: 'tv' }).waitFor();
    await page.locator('.card', { hasText: 'Converged' }).waitFor();
    expect(await page.locator('.card').textContent()).toContain('3 of 3');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'tv' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'tv' }).waitFor();
    await page.waitForURL(({ hash }) => hash === TV);
    expect(misdeeds).toEqual([]);
    await page.close();
  });

  it('the page shows each stream at the worker that has it', async () => {
    const { page, misdeeds } = await scene().chromium.open(TV);
    await eventually(
      'all is confirmed',
      async () => (await page.locator('.vessel [data-state=confirmed]').count()) === streams.length,
    );
    const { slices } = await scene().tv.published();
    const published = Object.fromEntries(
      [...slices].map(([worker, { jobs }]) => [worker, [...jobs].sort()]),
    );
    expect(await drawn(page)).toEqual(published);
    await expectAccessible(page);
    expect(misdeeds).toEqual([]);
    await page.close();
  });

  it('the page shows names of streams as plain text, and why a stream has its worker', async () => {
    await scene().world.swarm.pool('odd', { streams: ODD, workers: 1 });
    const { page, misdeeds } = await scene().chromium.open('#/pools/odd/tv');
    await eventually(
      'all are confirmed',
      async () => (await page.locator('.vessel [data-state=confirmed]').count()) === ODD.length,
    );
    expect(await drawn(page)).toEqual({ 'worker-0': [...ODD].sort() });
    expect(await page.locator('img, main script').count()).toBe(0);
    for (const name of ODD) {
      await page.getByRole('combobox').fill(name);
      await page.getByRole('option').first().waitFor();
      await page.getByRole('combobox').press('Enter');
      await page.locator('.why-card.pinned strong', { hasText: name }).waitFor();
      await page.locator('.why-card', { hasText: 'worker-0 confirmed version' }).waitFor();
    }
    await page.reload();
    await page.locator('.why-card.pinned strong', { hasText: 'long-xxx' }).waitFor();
    await expectAccessible(page);
    expect(misdeeds).toEqual([]);
    await page.close();
  });
}
