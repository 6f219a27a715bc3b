// Does the page show which streams are down, why, and when other workers take over?
import { expect, it } from '@jest/globals';
import { photograph } from '../browser.ts';
import { expectAccessible, listOf, type Scene } from '../scene.ts';

const HASH = '#/pools/outage/tv';
const streams = ['arte', 'bbc-one', 'cnbc', 'nhk', 'nrk', 'svt', 'yle', 'zdf'];

export function down(scene: () => Scene): void {
  it('the page shows a worker whose image cannot be had in red, with its streams and the time that is left', async () => {
    const { swarm } = scene().world;
    const pool = await swarm.pool('outage', {
      streams: [],
      workers: 3,
      spec: { streams: listOf(streams) },
    });
    await pool.until('converges', ({ convergedReplicas }) => convergedReplicas === 3);
    const { page, misdeeds } = await scene().chromium.open(HASH);
    await page.locator('.object-title', { hasText: 'Converged' }).waitFor();
    expect(await page.locator('section.down').isVisible()).toBe(false);
    const patch = [
      {
        ...{ op: 'add', path: '/spec/updateStrategy' },
        value: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } },
      },
      { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'no-such-image:1' },
    ];
    await swarm.kubectl(
      ...['-n', 'outage', 'patch', 'statefulset', 'worker', '--type=json'],
      ...['-p', JSON.stringify(patch)],
    );
    await page.locator('.object-title', { hasText: 'Down' }).waitFor();
    const tray = page.locator('section.down');
    await tray.getByText('2 streams are down').waitFor();
    await tray.getByText('its pod is not Ready (ImagePullBackOff: no-such-image:1)').waitFor();
    await tray.getByText(/other workers take over in \d+ (s|min)/).waitFor();
    await page.locator('.vessel .block[data-state=down]').nth(1).waitFor();
    await page.locator('.column[data-tone=bad]', { hasText: 'ImagePullBackOff' }).waitFor();
    await page.mouse.move(5, 5);
    await photograph(page, 'page-down');
    await expectAccessible(page);
    await page.locator('.vessel .block[data-state=down]').first().hover();
    await page.locator('.why-card', { hasText: 'worker is down' }).waitFor();
    await page.locator('.why-card', { hasText: 'ImagePullBackOff' }).waitFor();
    expect(misdeeds).toEqual([]);
    await page.close();
  });

  it('the card of the pool says that streams are down, at which worker, and why', async () => {
    const { page } = await scene().chromium.open('#/');
    const card = page.locator('.card', { hasText: 'outage' });
    await card.getByText(/2 streams are down; worker-2: .*ImagePullBackOff/).waitFor();
    await card.getByText('8, 2 down').waitFor();
    await expectAccessible(page);
    await page.close();
  });
}
