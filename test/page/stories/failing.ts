// Does the page show a stream that fails, with its last words, and one that is not to run?
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { Pool } from '../../integration/support/pool.ts';
import { eventually } from '../../support/processes.ts';
import { photograph } from '../browser.ts';
import { expectAccessible, type Scene } from '../scene.ts';

const HASH = '#/pools/cameras/tv';
const WORKERS = 3;
/** A name of a camera whose source is away begins with "off". */
const script = `case "$SWARM_STREAM" in off*) echo "$SWARM_PARAM_URL: <img src=x onerror=alert(1)> Connection refused" >&2; exit 1;; done*) exit 0;; esac; exec sleep 1000`;
const url = 'rtsp://admin:hunter22@camera';

const cameras = ['door', 'gate', 'yard', 'roof', 'hall', 'lift', 'dock'].map((name) => ({ name }));
const away = { name: 'off-garage', parameters: { url } };
const finite = { name: 'done-backup' };
const suspended = { name: 'pool-deck', suspend: true };

const titled = (page: Page, word: string): Promise<void> =>
  page.locator('.object-title', { hasText: word }).waitFor();

/** A stream that fails and starts again moves what is below it: a click may miss the button. */
const filterIs = (page: Page, isOn: boolean): Promise<void> =>
  eventually(`the filter is ${isOn ? 'on' : 'off'}`, async () => {
    const filter = page.locator('.filter');
    const isSo = async (): Promise<boolean> =>
      (await filter.getAttribute('aria-pressed')) === String(isOn);
    if (!(await isSo())) await filter.click();
    return isSo();
  });

export function failing(scene: () => Scene): void {
  let pool: Pool | undefined;
  const get = (): Pool => {
    if (pool === undefined) throw new Error('the story has not begun');
    return pool;
  };

  it('the page draws a crashing stream in red, says why, and finds it', async () => {
    const args = ['--backoff-initial', '100ms', '--backoff-max', '1s', '--on-exit', 'complete'];
    pool = await scene().world.swarm.pool('cameras', {
      streams: [],
      workers: WORKERS,
      spec: { streams: cameras },
      worker: { args: [...args, '--', 'sh', '-c', script] },
    });
    const { page, misdeeds } = await scene().chromium.open(HASH);
    await titled(page, 'Converged');
    expect(await page.locator('.filter').isVisible()).toBe(false);

    await get().edit({ streams: [...cameras, away, finite, suspended] });
    const red = page.locator('.vessel .block[data-state=failing]');
    await red.waitFor();
    await titled(page, 'Failing');
    const why = 'exit code 1: …: <img src=x onerror=alert(1)> Connection refused';
    await red.locator(`[data-text=${JSON.stringify(why)}]`).waitFor();
    expect(await red.getAttribute('aria-label')).toMatch(
      /^off-garage, worker-\d, failing: exit code 1: …: <img/,
    );
    await page.locator('.failures', { hasText: '1 stream fails' }).getByText(why).waitFor();
    await page.locator('.vessel .block[data-state=suspended]', { hasText: 'pool-deck' }).waitFor();
    await page.locator('.vessel .block[data-state=completed]', { hasText: 'done-back' }).waitFor();
    await page.getByText('10, 1 failing, 1 suspended, 1 completed').waitFor();
    await page.mouse.move(5, 5);
    await photograph(page, 'page-failing');
    await page.emulateMedia({ colorScheme: 'dark' });
    await photograph(page, 'page-failing-dark');
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Only failing: 1' }).waitFor();
    await filterIs(page, true);
    await eventually(
      'only the stream that fails is drawn',
      async () => (await page.locator('.vessel .block').count()) === 1,
    );
    expect(await red.count()).toBe(1);
    expect(await page.locator('.column').count()).toBe(1);
    await red.hover();
    await page.locator('.why-card', { hasText: 'reports it as Restarting' }).waitFor();
    await expectAccessible(page);
    expect(await page.content()).not.toContain('hunter22');
    expect(misdeeds).toEqual([]);
    await page.close();
  });

  it("the list of a worker's streams shows a failing stream in another colour", async () => {
    const { page } = await scene().chromium.open(HASH);
    await page.locator('.column', { hasText: '1 stream fails' }).locator('.column-head').click();
    const item = page.getByRole('dialog').locator('li[data-state=failing]');
    await item.getByText('failing · exit code 1: …').waitFor();
    const edgeOf = (state: string): Promise<string> =>
      page
        .locator(`dialog li[data-state=${state}]`)
        .first()
        .evaluate((li) => getComputedStyle(li).borderInlineStartColor);
    expect(await edgeOf('failing')).not.toBe(await edgeOf('confirmed'));
    await expectAccessible(page);
    await page.close();
  });

  it('the card of a pool says that a stream fails', async () => {
    const { page } = await scene().chromium.open('#/');
    const card = page.locator('.card', { hasText: 'cameras' });
    await card.getByText('1 stream fails: off-garage').waitFor();
    await expectAccessible(page);
    await page.close();
  });

  it('the page shows that no stream fails any more once the failing one is suspended', async () => {
    const { page } = await scene().chromium.open(HASH);
    await page.getByRole('button', { name: 'Only failing: 1' }).waitFor();
    await filterIs(page, true);
    await get().edit({ streams: [...cameras, { ...away, suspend: true }, finite, suspended] });
    await page.getByText('No failing streams.').waitFor();
    await page.getByRole('button', { name: 'Only failing: 0' }).waitFor();
    await filterIs(page, false);
    await page.locator('.vessel .block[data-state=suspended]', { hasText: 'off-garage' }).waitFor();
    await titled(page, 'Converged');
    expect(await page.locator('.filter').isVisible()).toBe(false);
    await expectAccessible(page);
    await page.close();
  });
}
