// Does the page show queues: the quota, the ranks of admitted jobs, and the jobs that wait, as
// all of it changes?
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Job, makeJob, makeQueue } from '../../integration/support/job.ts';
import { eventually } from '../../support/processes.ts';
import { endTimers, photograph } from '../browser.ts';
import { expectAccessible, type Scene } from '../scene.ts';

const QUEUE = '#/queues/jobs/batch';
const command = ['sh', '-c', 'sleep 3600'];

const isStanding = (page: Page, word: string): Promise<void> =>
  page.locator('.object-title .word').getByText(word, { exact: true }).waitFor();

/** Position, name, reason and estimate of each waiting job. */
const waiting = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('.waiting-job')].map((job) =>
      ['.position', '.member-name', 'strong', '.message', '.start']
        .map((selector) => job.querySelector(selector)?.textContent ?? '')
        .join(' | '),
    ),
  );

const ranks = (page: Page, job: string, state: string): Promise<number> =>
  page
    .locator('.member')
    .filter({ has: page.locator('.member-name', { hasText: job }) })
    .locator(`.replica[data-state=${state}]`)
    .count();

const starts = (what: string, minutes: string): unknown =>
  expect.stringMatching(
    new RegExp(`^${what.replaceAll('|', '\\|')} \\| starts in ${minutes} min at the latest$`),
  );

export function queues(scene: () => Scene): void {
  let long: Job;

  it('queues appear once there is one, and link to its page, which says what to do next', async () => {
    const { page, misdeeds } = await scene().chromium.open('');
    await page.getByText('Live').waitFor();
    expect(await page.getByRole('heading', { name: 'Queues' }).count()).toBe(0);
    await makeQueue(scene().world.swarm, 'jobs', { pods: '4', cpu: '2', memory: '1Gi' });
    await page.getByRole('heading', { level: 1, name: 'Queues' }).waitFor();
    const card = page.locator('.card', { hasText: 'batch' });
    await card.locator('.word').getByText('Ready', { exact: true }).waitFor();
    expect(await card.textContent()).toMatch(
      /BestEffortadmitted0waiting0failed0ranks0 of 0in use0%/,
    );
    await expectAccessible(page);
    await page.getByRole('link', { name: 'batch' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'jobs / batch' }).waitFor();
    await page.waitForURL(({ hash }) => hash === QUEUE);
    await page.getByText('No job is admitted.').waitFor();
    expect(await page.locator('pre').textContent()).toContain('swarmctl -n jobs job run -q batch');
    await expectAccessible(page);
    expect(misdeeds).toEqual([]);
    await page.close();
  });

  it('the page shows the ranks of a job, its share of the quota, and which jobs wait in which order', async () => {
    const { page, misdeeds } = await scene().chromium.open(QUEUE);
    await isStanding(page, 'Ready');
    await endTimers(page);
    const { swarm } = scene().world;
    const resources = { requests: { cpu: '250m', memory: '64Mi' } };
    const make = (name: string, spec: object): Promise<Job> =>
      makeJob(swarm, 'jobs', name, { command, resources, ...spec });
    long = await make('long', { size: 3, activeDeadlineSeconds: 3_600 });
    await long.is('Running');
    // Of the same second, the one with the smaller name goes first.
    await make('next', { size: 2, activeDeadlineSeconds: 600 });
    await make('other', { size: 4, activeDeadlineSeconds: 600 });
    await make('vast', { size: 5 });
    await eventually('three wait', async () => (await waiting(page)).length === 3);
    await eventually('all ranks run', async () => (await ranks(page, 'long', 'ready')) === 3);
    expect(await waiting(page)).toEqual([
      // Of an hour, and ten minutes: with what pods take to end and jobs to start.
      starts('1 | next | waiting for quota | needs 2 pods, 1 is free', '6[01]'),
      starts('2 | other | waiting for quota | needs 4 pods, 1 is free', '7[12]'),
      '– | vast | too large ever | needs 5 pods, the whole quota of SwarmQueue batch is 4 pods | ',
    ]);
    const quota = page.getByRole('region', { name: 'Quota' });
    expect(await quota.getByRole('listitem').allTextContents()).toEqual([
      'pods3 of 4 in use, 1 free',
      'cpu750m of 2 in use, 1250m free',
      'memory192Mi of 1Gi in use, 832Mi free',
    ]);
    const admitted = page.getByRole('region', { name: 'Admitted' });
    expect(await admitted.locator('.member').textContent()).toMatch(
      /^longadmitted .* · ends in 6[01] min at the latest3 of 3 run✓Running$/,
    );
    await photograph(page, 'page-queue');
    await page.emulateMedia({ colorScheme: 'dark' });
    await photograph(page, 'page-queue-dark');
    await expectAccessible(page);
    expect(misdeeds).toEqual([]);
    await page.close();
  });

  it('the page shows at once that a job has ended, and that the next one starts', async () => {
    const { page } = await scene().chromium.open(QUEUE);
    await eventually('all ranks run', async () => (await ranks(page, 'long', 'ready')) === 3);
    await endTimers(page);
    await long.kubectl('delete', 'swarmjob', 'long', '--grace-period=1');
    await eventually('the next one runs', async () => (await ranks(page, 'next', 'ready')) === 2);
    expect(await ranks(page, 'long', 'ready')).toBe(0);
    expect((await waiting(page)).map((it) => it.split(' | ').slice(0, 2))).toEqual([
      ['1', 'other'],
      ['–', 'vast'],
    ]);
    await long.kubectl('delete', 'swarmjob', '--all');
    await page.getByText('No job is admitted.').waitFor();
    const failing = ['sh', '-c', 'exit 3'];
    const broken = await makeJob(scene().world.swarm, 'jobs', 'nightly-report-of-europe', {
      command: failing,
      resources: { requests: { cpu: '250m', memory: '64Mi' } },
    });
    await broken.is('Failed');
    const failed = page.getByRole('region', { name: 'Failed' });
    await failed.getByText('nightly-report-of-europe').waitFor();
    await failed.getByText('command failed').waitFor();
    await page.getByText(/1 job failed: nightly-report-of-europe: /).waitFor();
    await expectAccessible(page);
    await long.kubectl('delete', 'swarmjob', '--all');
    await failed.waitFor({ state: 'hidden' });
    await long.kubectl('delete', 'swarmqueue', 'batch');
    await isStanding(page, 'Not available');
    await page.getByText('there is no SwarmQueue jobs/batch').waitFor();
    await page.close();
  });
}
