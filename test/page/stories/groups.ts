// Does the page show groups: the list, the members of one stage by stage, and what changes live?
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { kinds } from '../../../src/api/kinds.ts';
import { type Group, makeGroup } from '../../integration/support/group.ts';
import { create } from '../../integration/support/pool.ts';
import { eventually } from '../../support/processes.ts';
import { endTimers, photograph } from '../browser.ts';
import { expectAccessible, type Scene } from '../scene.ts';

const SHOP = '#/groups/teastore/shop';
const NODE = 'node-1';

const stages = { db: 0, persistence: 2, image: 3, recommender: 3, webui: 4 };
const rules: Readonly<Record<string, object>> = {
  db: { maxReplicas: 1 },
  recommender: { ratio: '0.5' },
  webui: { ratio: 2 },
};
const shape = {
  members: {
    ...Object.fromEntries(Object.keys(stages).map((name) => [name, {}])),
    webui: { startsIn: 2 },
  },
  spec: {
    replicas: 1,
    members: Object.entries(stages).map(([name, stage]) => ({
      ...{ kind: 'Deployment', name, stage },
      ...rules[name],
    })),
    transition: { order: 'Staged' },
  },
};

const memberOf = (page: Page, name: string) =>
  page.locator('.member').filter({ has: page.locator('.member-name', { hasText: name }) });

const isStanding = (page: Page, word: string): Promise<void> =>
  page.locator('.object-title .word').getByText(word, { exact: true }).waitFor();

/** Shown of the members: their stage, what is ready, and their state. */
const shownMembers = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('.member')].map((member) => {
      const textOf = (selector: string): string =>
        member.querySelector(selector)?.textContent?.trim() ?? '';
      const stage = member.closest('.stage')?.querySelector('strong')?.textContent ?? '';
      return [stage, '.member-name', '.member-count', '.badge .word']
        .map((it) => (it.startsWith('.') ? textOf(it) : it))
        .join(' | ');
    }),
  );

const replicas = (page: Page, state: string): Promise<number> =>
  page.locator(`.member .replica[data-state=${state}]`).count();

export function groups(scene: () => Scene): void {
  let shop: Group;

  it('groups appear beside the pools once there is one, and link to it', async () => {
    const { page, misdeeds } = await scene().chromium.open('');
    await page.locator('.card').first().waitFor();
    expect(await page.getByRole('heading', { name: 'Groups' }).count()).toBe(0);
    shop = await makeGroup(scene().world.swarm, 'teastore', shape);
    await page.getByRole('heading', { level: 1, name: 'Groups' }).waitFor();
    const card = page.locator('.card', { hasText: 'shop' });
    await card.locator('.word').getByText('Ready', { exact: true }).waitFor();
    expect(await card.textContent()).toContain('5 members, Staged');
    expect(await card.textContent()).toMatch(/size1members5 of 5replicas6 of 6policyManual/);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'shop' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'teastore / shop' }).waitFor();
    await page.waitForURL(({ hash }) => hash === SHOP);
    await isStanding(page, 'Ready');
    expect(misdeeds).toEqual([]);
    await page.close();
  });

  it('the page shows a transition under way: stage, members, and each replica', async () => {
    await shop.edit({ replicas: 2 });
    await shop.atSize(2);
    const { page, misdeeds } = await scene().chromium.open(SHOP);
    await isStanding(page, 'Ready');
    expect(await replicas(page, 'ready')).toBe(10);
    await endTimers(page);
    await scene().world.swarm.kubectl('cordon', NODE);
    await shop.edit({ replicas: 3 });
    await page.locator('.stage[data-now]', { hasText: 'Stage 2in progress' }).waitFor();
    const transition = page.getByRole('region', { name: 'Current transition' });
    await transition.filter({ hasText: '2 → 3' }).filter({ hasText: 'stage 2' }).waitFor();
    await eventually('the pods are there, and not ready', async () =>
      (await shownMembers(page)).includes('Stage 2 | persistence | 2 of 3 ready | Scaling'),
    );
    expect(await shownMembers(page)).toEqual([
      'Stage 0 | db | 1 of 1 ready | Ready',
      'Stage 2 | persistence | 2 of 3 ready | Scaling',
      'Stage 3 | image | 2 of 3 ready | Waiting',
      'Stage 3 | recommender | 1 of 2 ready | Waiting',
      'Stage 4 | webui | 4 of 6 ready | Waiting',
    ]);
    expect([await replicas(page, 'ready'), await replicas(page, 'waiting')]).toEqual([10, 5]);
    await memberOf(page, 'webui').getByText('waiting for Deployment/persistence').waitFor();
    await photograph(page, 'page-group');
    await page.emulateMedia({ colorScheme: 'dark' });
    await photograph(page, 'page-group-dark');
    await expectAccessible(page);
    await scene().world.swarm.kubectl('uncordon', NODE);
    await isStanding(page, 'Ready');
    await page.getByRole('region', { name: 'Last transition' }).getByText('Completed').waitFor();
    expect([await replicas(page, 'ready'), await replicas(page, 'waiting')]).toEqual([15, 0]);
    expect(misdeeds).toEqual([]);
    await page.close();
  });

  it('the page lists the last transitions with outcome, time and the slowest member', async () => {
    const { page } = await scene().chromium.open(SHOP);
    const { history = [] } = await shop.atSize(3);
    const rows = page.getByRole('region', { name: 'Transitions' }).getByRole('listitem');
    await rows.nth(history.length - 1).waitFor();
    expect(await rows.count()).toBe(history.length);
    expect(await rows.first().textContent()).toMatch(
      /^2 → 3Completedsize changed · .*(s|min) ago\d.* sslowest: Deployment\/webui$/,
    );
    await page.close();
  });

  it('the page names the members that were not ready in time, and a size that was reached later', async () => {
    const { page, misdeeds } = await scene().chromium.open(SHOP);
    await isStanding(page, 'Ready');
    await scene().world.swarm.kubectl('cordon', NODE);
    await shop.edit({ replicas: 4, transition: { timeoutSeconds: 1 } });
    await isStanding(page, 'Timed out');
    await page.locator('.object-head .why', { hasText: 'size 4 was not reached' }).waitFor();
    const last = page.getByRole('region', { name: 'Last transition' });
    await last.locator('.message', { hasText: 'Deployment/persistence' }).waitFor();
    await memberOf(page, 'persistence').filter({ hasText: 'Unready' }).waitFor();
    expect(await replicas(page, 'stuck')).toBeGreaterThan(0);
    await page.locator('.history li[data-tone=bad]', { hasText: 'Timed out' }).waitFor();
    await expectAccessible(page);
    await scene().world.swarm.kubectl('uncordon', NODE);
    await isStanding(page, 'Ready');
    await page.locator('.history li').first().filter({ hasText: '3 → 4Completed' }).waitFor();
    expect(await replicas(page, 'stuck')).toBe(0);
    expect(misdeeds).toEqual([]);
    await page.close();
  });

  it('the page of a group links to a pool that is a member, and says why it is not scaled', async () => {
    await create(scene().world.swarm.api, kinds.SwarmGroup, 'swarm', 'tv', {
      spec: { replicas: 3, members: [{ kind: 'SwarmPool', name: 'tv' }] },
    });
    const { page } = await scene().chromium.open('#/groups/swarm/tv');
    const pool = memberOf(page, 'tv');
    await pool.filter({ hasText: 'Refused' }).locator('.message').waitFor();
    await expectAccessible(page);
    await pool.getByRole('link', { name: 'tv' }).press('Enter');
    await page.waitForURL(({ hash }) => hash === '#/pools/swarm/tv');
    await page.locator('.vessel .block').first().waitFor();
    await page.goBack();
    await pool.waitFor();
    await scene().world.swarm.kubectl('-n', 'swarm', 'delete', 'swarmgroup', 'tv');
    await isStanding(page, 'Not available');
    await page.getByText('there is no SwarmGroup swarm/tv').waitFor();
    await page.close();
  });

  it('groups disappear from the first page with the last group', async () => {
    const { page } = await scene().chromium.open('');
    const heading = page.getByRole('heading', { level: 1, name: 'Groups' });
    await heading.waitFor();
    await shop.kubectl('delete', 'swarmgroup', 'shop');
    await heading.waitFor({ state: 'hidden' });
    await page.getByRole('heading', { level: 1, name: 'Pools' }).waitFor();
    await page.close();
  });
}
