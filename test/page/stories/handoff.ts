// With handoff Exclusive, is a stream that is taken from a worker drawn there until it is released?
import { expect, it } from '@jest/globals';
import { fenced } from '../../integration/support/shape.ts';
import { eventually } from '../../support/processes.ts';
import { expectAccessible, listOf, type Scene } from '../scene.ts';

const feeds = ['feed:fx', 'feed:oil', 'feed:gold', 'feed:power', 'feed:news', 'feed:rates'];

export function handoff(scene: () => Scene): void {
  it('the page draws an outline at the old worker, and moves the block once the stream is released', async () => {
    const { world, chromium } = scene();
    const { worker, volumes } = fenced('sleep', '1000');
    const spec = { streams: listOf(feeds), handoff: { type: 'Exclusive' } };
    const shape = {
      streams: [],
      workers: 1,
      spec,
      worker: { ...worker, readinessProbe: undefined },
      ...(volumes !== undefined && { volumes }),
    };
    const pool = await world.swarm.pool('market', shape);
    const { page, misdeeds } = await chromium.open('#/pools/market/tv');
    const confirmed = async (): Promise<boolean> =>
      (await page.locator('.vessel [data-state=confirmed]').count()) === feeds.length;
    await eventually('all is confirmed', confirmed);
    await page.getByText('All stream names begin with feed:').waitFor();
    world.silence('worker-0', 'market');
    await pool.scale(2);
    const leaving = page.locator('.vessel [data-state=leaving]');
    await eventually('half of them are on their way', async () => (await leaving.count()) === 3);
    expect(
      await page
        .locator('.column', { hasText: 'worker-0' })
        .locator('[data-state=leaving]')
        .count(),
    ).toBe(3);
    await leaving.first().hover();
    await page.locator('.why-card', { hasText: 'has not confirmed that it released it' }).waitFor();
    await expectAccessible(page);
    world.wake();
    await eventually('they have come to the other', confirmed);
    expect(
      await page
        .locator('.column', { hasText: 'worker-1' })
        .locator('[data-state=confirmed]')
        .count(),
    ).toBe(3);
    expect(misdeeds).toEqual([]);
    await page.close();
  });
}
