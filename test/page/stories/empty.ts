// Nothing is there yet: does the page say what to do next?
import { expect, it } from '@jest/globals';
import { expectAccessible, type Scene } from '../scene.ts';

export function empty(scene: () => Scene): void {
  it('shows the command that makes one', async () => {
    const { page, misdeeds } = await scene().chromium.open('');
    await page.getByText('No pool yet').waitFor();
    expect(await page.locator('pre').textContent()).toBe('kubectl apply -k samples/tv');
    expect(await page.title()).toBe('Swarm Operator');
    await expectAccessible(page);
    expect(misdeeds).toEqual([]);
    await page.close();
  });

  it('a replica that does not lead says so, and how to find the one that does', async () => {
    const replica = await scene().world.startReplica();
    const { page } = await scene().chromium.open('');
    await page.goto(replica.address);
    await page.getByText('This replica does not lead').waitFor();
    expect(await page.locator('pre').textContent()).toContain('get lease swarm-operator');
    await expectAccessible(page);
    await page.close();
    await replica.end();
  });

  it('the address of a pool that does not exist says so', async () => {
    const { page } = await scene().chromium.open('#/pools/swarm/nothing');
    await page.getByText('there is no SwarmPool swarm/nothing').waitFor();
    await expectAccessible(page);
    await page.close();
  });

  it('an address that names no view says so', async () => {
    const { page } = await scene().chromium.open('#/else');
    await page.getByText('There is no such view').waitFor();
    await page.getByRole('link', { name: 'all pools' }).click();
    await page.getByText('No pool yet').waitFor();
    await page.close();
  });
}
