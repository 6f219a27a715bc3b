// Is a pool readable without a stream, with one, and with thirty?
import { expect, it } from '@jest/globals';
import type { Pool } from '../../integration/support/pool.ts';
import { names } from '../../integration/support/shape.ts';
import { eventually } from '../../support/processes.ts';
import { photograph } from '../browser.ts';
import { drawn, expectAccessible, type Scene } from '../scene.ts';

const WORKERS = 3;

export function sizes(scene: () => Scene): void {
  let pool: Pool | undefined;

  it.each([0, 1, 30])('the page shows a pool with %d streams', async (count) => {
    const streams = names(count, 'camera-');
    pool ??= await scene().world.swarm.pool('sizes', { streams: [], workers: WORKERS });
    await pool.streams(streams);
    await pool.converged(streams, WORKERS);
    const { page, misdeeds } = await scene().chromium.open('#/pools/sizes/tv');
    await eventually(
      'all are confirmed',
      async () => (await page.locator('.vessel [data-state=confirmed]').count()) === count,
    );
    await page.locator('.object-title', { hasText: 'Converged' }).waitFor();
    expect(Object.values(await drawn(page)).flat()).toHaveLength(count);
    expect(await page.getByText('No worker has a stream').count()).toBe(count === 0 ? 1 : 0);
    // A bar shows what is reserved of a capacity, and nothing is.
    expect(await page.locator('.column > .meter').first().isVisible()).toBe(false);
    await photograph(page, `page-${count}`);
    await expectAccessible(page);
    expect(misdeeds).toEqual([]);
    await page.close();
  });
}
