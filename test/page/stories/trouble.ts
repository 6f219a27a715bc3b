// Does the page show a worker that does not answer and a stream without room, and why?
import { expect, it } from '@jest/globals';
import { eventually } from '../../support/processes.ts';
import { photograph, still } from '../browser.ts';
import { block, expectAccessible, listOf, type Scene, streams, TV } from '../scene.ts';

const NEW = ['derby', 'cup-final', 'election', 'opera', 'chess', 'surf', 'judo', 'golf'];
const weights = { derby: 60, 'cup-final': 60, election: 100 };

export function trouble(scene: () => Scene): void {
  it('a stream is grey until its worker confirms it, red when that takes too long, and green in the end', async () => {
    const { page, misdeeds } = await scene().chromium.open(TV);
    await page.locator('.vessel .block').first().waitFor();
    for (const worker of ['worker-1', 'worker-2']) scene().world.silence(worker, 'swarm');
    await scene().tv.edit({
      streams: listOf([...streams, ...NEW], weights),
      refresh: { timeoutSeconds: 3600 },
    });
    await page.locator('.vessel [data-state=waiting]').first().waitFor();
    await page.locator('.column[data-tone=busy]').first().waitFor();
    await scene().tv.edit({ refresh: { timeoutSeconds: 2 } });
    const stuck = page.locator('.vessel [data-state=stuck]');
    await stuck.first().waitFor();
    await page
      .locator('.column[data-tone=bad]', {
        hasText: /Stuck: version \d+ is not confirmed after 2 s/,
      })
      .first()
      .waitFor();
    await page.locator('.object-title', { hasText: 'Stuck' }).waitFor();
    await photograph(page, 'page-stuck');
    await expectAccessible(page);
    scene().world.wake();
    await eventually(
      'all is confirmed',
      async () => (await page.locator('.vessel [data-state=confirmed]').count()) === 24,
    );
    expect(await stuck.count()).toBe(0);
    await block(page, 'election').hover();
    await page
      .locator('.why-card', { hasText: 'it reserves 100, the whole capacity of' })
      .waitFor();
    expect(misdeeds).toEqual([]);
    await page.close();
  });

  it('a stream is drawn as high as its weight', async () => {
    const { page } = await scene().chromium.open(TV);
    await block(page, 'derby').waitFor();
    await still(page);
    const [whole, part, none] = await Promise.all(
      ['election', 'derby', 'sky'].map((stream) => block(page, stream).boundingBox()),
    );
    expect(part?.height).toBeCloseTo((whole?.height ?? 0) * 0.6, 0);
    expect(none?.height).toBeLessThan((part?.height ?? 0) / 2);
    await page.mouse.move(5, 5);
    await photograph(page, 'page-pool');
    await page.emulateMedia({ colorScheme: 'dark' });
    await photograph(page, 'page-pool-dark');
    await page.close();
  });

  it('the page lists a stream without room, with the reason and how many workers would be enough', async () => {
    const { page } = await scene().chromium.open(TV);
    await page.locator('.vessel .block').first().waitFor();
    await scene().tv.edit({
      streams: listOf([...streams, ...NEW, 'too-much'], { ...weights, 'too-much': 70, opera: 70 }),
    });
    const tray = page.locator('.tray');
    await tray.getByText('without a worker').waitFor();
    await page.locator('.tray', { hasText: 'insufficient capacity' }).waitFor();
    await expectAccessible(page);
    await tray.locator('.block').first().hover();
    await page.locator('.why-card', { hasText: 'no worker · without a worker' }).waitFor();
    await page.getByRole('combobox').fill('o');
    await page.getByRole('option').filter({ hasText: 'no worker' }).first().waitFor();
    await scene().tv.edit({ streams: listOf(streams) });
    await tray.waitFor({ state: 'hidden' });
    await page.close();
  });

  it('the page shows a mistake in the spec with the operator’s message', async () => {
    const { page } = await scene().chromium.open(TV);
    await page.locator('.vessel .block').first().waitFor();
    await scene().tv.edit({ workers: { selector: { matchLabels: { app: 'nobody' } } } });
    await page.locator('.object-head .why', { hasText: 'TargetNotFound' }).waitFor();
    await expectAccessible(page);
    await scene().tv.edit({ workers: { selector: { matchLabels: { app: 'worker' } } } });
    await page.locator('.object-title', { hasText: 'Converged' }).waitFor();
    await page.close();
  });
}
