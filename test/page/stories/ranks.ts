// Does the page draw a job as its ranks, each in its state, with the pointer and with the keyboard?
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { makeJob, makeQueue } from '../../integration/support/job.ts';
import { eventually } from '../../support/processes.ts';
import { photograph } from '../browser.ts';
import { expectAccessible, type Scene } from '../scene.ts';

const QUEUE = '#/queues/gangs/batch';
const shell = (script: string): readonly string[] => ['sh', '-c', script];
const WAITS = 'exec sleep 1000000';

const tilesOf = (page: Page, job: string): Locator =>
  page.getByRole('group', { name: `Ranks of ${job}` }).getByRole('img');

const labels = (page: Page, job: string): Promise<readonly (string | null)[]> =>
  tilesOf(page, job).evaluateAll((all) => all.map((tile) => tile.getAttribute('aria-label')));

const areLabelled = (page: Page, job: string, expected: readonly string[]): Promise<void> =>
  eventually(
    `${job} is drawn as ${expected.join('; ')}`,
    async () => (await labels(page, job)).join() === expected.join(),
  );

export function ranks(scene: () => Scene): void {
  /** A folder of this machine, which all ranks see. */
  let shared: string;
  const there = (): string => path.join(shared, 'there');

  beforeAll(() => {
    shared = mkdtempSync(path.join(tmpdir(), 'swarm-page-'));
  });
  afterAll(() => rmSync(shared, { recursive: true, force: true }));

  it('the page draws a gang as its ranks: some wait for the others, and why these are not there', async () => {
    const { swarm } = scene().world;
    await makeQueue(swarm, 'gangs', { pods: '20' });
    await makeJob(swarm, 'gangs', 'gang', {
      size: 4,
      launcher: { type: 'Leader' },
      command: shell(WAITS),
      template: { spec: heldUp(there()) },
    });
    await makeJob(swarm, 'gangs', 'sweep', {
      size: 5,
      command: shell(`[ $SWARM_RANK -gt 2 ] || exit 0; ${WAITS}`),
    });
    await makeJob(swarm, 'gangs', 'elsewhere', {
      size: 2,
      command: shell(WAITS),
      template: { spec: { nodeSelector: { there: 'no' } } },
    });
    const { page, misdeeds } = await scene().chromium.open(QUEUE);
    await areLabelled(page, 'gang', [
      'rank 0 (leader): waits for the others',
      'rank 1: waits for the others',
      'rank 2: pending',
      'rank 3: waits for the others',
    ]);
    await areLabelled(page, 'sweep', [
      ...[0, 1, 2].map((rank) => `rank ${rank}: has ended well`),
      ...[3, 4].map((rank) => `rank ${rank}: runs`),
    ]);
    await areLabelled(page, 'elsewhere', ['rank 0: Unschedulable', 'rank 1: Unschedulable']);
    const tiles = page.getByRole('region', { name: 'Admitted' }).locator('.ranks .tile');
    expect(await tiles.and(page.locator('[data-leader]')).count()).toBe(1);
    await tilesOf(page, 'gang').nth(2).hover();
    await page.locator('.rank-note').getByText('rank 2: pending').waitFor();
    await photograph(page, 'page-ranks');
    await page.emulateMedia({ colorScheme: 'dark' });
    await photograph(page, 'page-ranks-dark');
    await expectAccessible(page);
    expect(misdeeds).toEqual([]);
    await page.close();
  });

  it('a user reaches each tile with the keyboard, and hides its note with Escape', async () => {
    const { page } = await scene().chromium.open(QUEUE);
    const gang = tilesOf(page, 'gang');
    await gang.first().focus();
    for (const _ of [1, 2]) await page.keyboard.press('ArrowRight');
    expect(await gang.nth(2).evaluate((tile) => tile === document.activeElement)).toBe(true);
    // All tiles of a job are one stop of Tab.
    expect(await gang.and(page.locator('[tabindex="0"]')).count()).toBe(1);
    const note = page.locator('.rank-note').getByText('rank 2: pending');
    await note.waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await note.waitFor({ state: 'hidden' });
    await page.close();
  });

  it('the page shows that the gang runs once all of its ranks are there', async () => {
    const { page } = await scene().chromium.open(QUEUE);
    await tilesOf(page, 'gang').first().waitFor();
    writeFileSync(there(), '');
    await areLabelled(page, 'gang', [
      'rank 0 (leader): runs',
      ...[1, 2, 3].map((rank) => `rank ${rank}: runs`),
    ]);
    await scene().world.swarm.kubectl('-n', 'gangs', 'delete', 'swarmjob', '--all');
    await page.getByText('No job is admitted.').waitFor();
    await scene().world.swarm.kubectl('delete', 'namespace', 'gangs');
    await page.close();
  });
}

/** The init container of rank 2 waits until this file is there. */
const heldUp = (file: string): object => ({
  initContainers: [
    {
      name: 'first',
      image: 'busybox',
      command: shell(`[ $SWARM_RANK != 2 ] || until [ -e ${file} ]; do sleep 0.05; done`),
    },
  ],
});
