// Can a user find out everything by pointer, keys, search and slider?
import { expect, it } from '@jest/globals';
import { photograph } from '../browser.ts';
import { block, expectAccessible, type Scene, TV } from '../scene.ts';

export function use(scene: () => Scene): void {
  it('the page shows why a stream has its worker when the pointer rests on it', async () => {
    const { page } = await scene().chromium.open(TV);
    await block(page, 'cnbc').hover();
    const why = page.locator('.why-card');
    await why.getByText('it reserves nothing').waitFor();
    expect(await why.textContent()).toMatch(/cnbcworker-\d · confirmed/);
    await page.mouse.move(5, 5);
    await why.waitFor({ state: 'hidden' });
    await page.close();
  });

  it('arrow keys move from stream to stream, and the page shows the same', async () => {
    const { page } = await scene().chromium.open(TV);
    const blocks = page.locator('.vessel .block');
    await blocks.first().focus();
    const focused = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? null);
    const seen = [await focused()];
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowUp', 'ArrowLeft']) {
      await page.keyboard.press(key);
      seen.push(await focused());
    }
    expect(new Set(seen.slice(0, 4)).size).toBe(4);
    expect(seen[4]).toBe(seen[0]);
    const why = page.locator('.why-card');
    await why.locator('li').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(({ hash }) => hash.includes('stream='));
    await page.locator('.why-card.pinned').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await why.waitFor({ state: 'hidden' });
    await page.waitForURL(({ hash }) => !hash.includes('stream='));
    // All blocks are one stop of Tab: users need not pass each of them.
    expect(await page.locator('.vessel .block[tabindex="0"]').count()).toBe(1);
    await page.close();
  });

  it('the page opens the address of a stream', async () => {
    const { page } = await scene().chromium.open(`${TV}?stream=sky`);
    await page.locator('.why-card.pinned', { hasText: 'sky' }).waitFor();
    await page.waitForFunction(() => document.activeElement?.textContent?.includes('sky'));
    await page.close();
  });

  it('a user finds a stream by its name', async () => {
    const { page } = await scene().chromium.open(TV);
    const search = page.getByRole('combobox');
    await search.fill('bbc');
    await page.getByRole('option').nth(1).waitFor();
    expect(await page.getByRole('option').count()).toBe(2);
    await page.keyboard.press('ArrowDown');
    await expectAccessible(page);
    await search.press('Enter');
    await page.locator('.why-card.pinned', { hasText: 'bbc-two' }).waitFor();
    await page.waitForFunction(() => document.activeElement?.textContent?.includes('bbc-two'));
    await page.waitForURL(({ hash }) => hash.includes('stream=bbc-two'));
    await search.fill('nowhere to be found');
    await page.getByText('No stream name contains this text.').waitFor();
    await page.close();
  });

  it('the slider plans another number of workers, and changes nothing', async () => {
    const { page, misdeeds } = await scene().chromium.open(TV);
    await page.locator('.vessel .block').first().waitFor();
    const { version } = await scene().tv.published();
    await page.getByLabel('What if there were').focus();
    for (const _ of [1, 2]) await page.keyboard.press('ArrowRight');
    const plan = page.locator('.plan');
    await plan.getByText('would move').waitFor();
    // A plan for one more may have been there for a moment.
    await plan.locator('[data-fate=joins]').nth(1).waitFor();
    expect(await plan.locator('.plan-moves li').first().textContent()).toContain(
      'joins and takes its share',
    );
    await plan
      .locator('pre', { hasText: /^kubectl -n swarm scale statefulset\/worker --replicas=6$/ })
      .waitFor();
    await photograph(page, 'page-what-if');
    await expectAccessible(page);
    await page.keyboard.press('Home');
    await plan.getByText('16 streams would lose their worker').waitFor();
    await page.getByRole('button', { name: 'Reset' }).click();
    await plan.waitFor({ state: 'hidden' });
    expect((await scene().tv.published()).version).toBe(version);
    expect(misdeeds).toEqual([]);
    await page.close();
  });

  it('the page lists the streams of a worker that is chosen', async () => {
    const { page } = await scene().chromium.open(TV);
    await page.getByRole('button', { name: /^worker-1: / }).click();
    const dialog = page.getByRole('dialog');
    const { slices } = await scene().tv.published();
    const jobs = slices.get('worker-1')?.jobs ?? [];
    await dialog.getByText(`${jobs.length} of ${jobs.length} streams`).waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    // A dialog is hidden a moment before its event `close`.
    await page.waitForURL(({ hash }) => !hash.includes('worker='));
    await page.close();
  });

  it('the page keeps the chosen colours, also the next time', async () => {
    const { page } = await scene().chromium.open(TV, { colorScheme: 'light' });
    const theme = (): Promise<string | undefined> =>
      page.evaluate(() => document.documentElement.dataset['theme']);
    expect(await theme()).toBe('light');
    await page.getByRole('button', { name: 'Switch to dark colours' }).click();
    expect(await theme()).toBe('dark');
    await page.reload();
    expect(await theme()).toBe('dark');
    await page.close();
  });
}
