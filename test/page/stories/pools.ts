// A pool comes into being while somebody looks on.
import { expect, it } from '@jest/globals';
import { eventually } from '../../support/processes.ts';
import { still } from '../browser.ts';
import { block, drawn, expectAccessible, type Scene, streams, TV } from '../scene.ts';

export function pools(scene: () => Scene): void {
  it('appear as they are made, and lead to the pool', async () => {
    const { page, misdeeds } = await scene().chromium.open('');
    await page.getByText('No pool yet').waitFor();
    await scene().makePool();
    await page.getByRole('link', { name: 'tv' }).waitFor();
    await page.locator('.card', { hasText: 'Converged' }).waitFor();
    expect(await page.locator('.card').textContent()).toContain('3 of 3');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'tv' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'tv' }).waitFor();
    expect(new URL(page.url()).hash).toBe(TV);
    expect(misdeeds).toEqual([]);
    await page.close();
  });

  it('show each stream at the worker that has it, whatever its name is', async () => {
    const { page, misdeeds } = await scene().chromium.open(TV);
    await eventually('all is confirmed', async () => (await page.locator('.vessel [data-state=confirmed]').count()) === streams.length);
    const { slices } = await scene().tv.published();
    const published = Object.fromEntries([...slices].map(([worker, { jobs }]) => [worker, [...jobs].sort()]));
    expect(await drawn(page)).toEqual(published);
    expect(await block(page, '<img src=x').count()).toBe(1);
    expect(await page.locator('img').count()).toBe(0);
    await still(page);
    await expectAccessible(page);
    expect(misdeeds).toEqual([]);
    await page.close();
  });
}
