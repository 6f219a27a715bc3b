// Does the page report that the operator is gone, and catch up when it is back?
import { expect, it } from '@jest/globals';
import { eventually } from '../../support/processes.ts';
import { expectAccessible, listOf, type Scene, streams, TV } from '../scene.ts';

export function brokenConnection(scene: () => Scene): void {
  it('the page reports a lost connection, reconnects by itself, and catches up with what happened', async () => {
    const { page } = await scene().chromium.open(TV);
    await page.locator('.vessel .block').first().waitFor();
    await page.getByText('Live').waitFor();
    await scene().world.endOperator();
    await page.getByRole('alert').getByText('No connection to the operator since').waitFor();
    expect(await page.locator('.vessel .block').count()).toBe(streams.length);
    await expectAccessible(page);
    await scene().tv.edit({ streams: listOf([...streams, 'meanwhile']) });
    await scene().world.startOperator();
    await page.getByText('Live').waitFor();
    await eventually('what is new is there, and confirmed', async () => {
      const found = page.locator('.vessel [data-state=confirmed]', { hasText: 'meanwhile' });
      return (await found.count()) === 1;
    });
    await page.getByRole('alert').waitFor({ state: 'hidden' });
    await page.close();
  });
}
