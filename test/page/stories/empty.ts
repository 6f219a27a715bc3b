// Does the page say what to do next where there is nothing yet?
import { expect, it } from '@jest/globals';
import { photograph } from '../browser.ts';
import { expectAccessible, type Scene } from '../scene.ts';

export function empty(scene: () => Scene): void {
  it('the page without a pool shows the command that creates one', async () => {
    const { page, misdeeds } = await scene().chromium.open('');
    await page.getByText('No pool yet').waitFor();
    expect(await page.locator('pre').textContent()).toBe('kubectl apply -k samples/tv');
    expect(await page.title()).toBe('Swarm Operator');
    await photograph(page, 'page-none');
    await expectAccessible(page);
    expect(misdeeds).toEqual([]);
    await page.close();
  });

  it('the page of a replica that does not lead names the way to the leader', async () => {
    const replica = await scene().world.startReplica();
    const { page } = await scene().chromium.open('');
    await page.goto(replica.address);
    await page.getByText('This replica is not the leader').waitFor();
    expect(await page.locator('pre').textContent()).toContain('get lease swarm-operator');
    await expectAccessible(page);
    await page.close();
    await replica.end();
  });

  it('the page reports an address of a pool that does not exist', async () => {
    const { page } = await scene().chromium.open('#/pools/swarm/nothing');
    await page.getByText('there is no SwarmPool swarm/nothing').waitFor();
    await expectAccessible(page);
    await page.close();
  });

  it('the page reports an address that names no view', async () => {
    const { page } = await scene().chromium.open('#/else');
    await page.getByText('Page not found').waitFor();
    await page.getByRole('link', { name: 'all pools' }).click();
    await page.getByText('No pool yet').waitFor();
    await page.close();
  });
}
