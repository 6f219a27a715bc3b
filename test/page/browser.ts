// A real Chromium that opens the page, and records what a page must not do.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const flags = [
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-dev-shm-usage',
];
const PATIENCE_MS = 60_000;

export type OpenPage = {
  readonly page: Page;
  /** Errors, breaches of the policy, requests to any server but the operator. */
  readonly misdeeds: string[];
};

export class Chromium {
  readonly #browser: Browser;
  readonly #base: string;

  private constructor(browser: Browser, base: string) {
    this.#browser = browser;
    this.#base = base;
  }

  static async start(base: string): Promise<Chromium> {
    const executablePath = process.env['SWARM_CHROMIUM'] ?? 'chromium';
    return new Chromium(
      await chromium.launch({ executablePath, args: flags, timeout: 2 * PATIENCE_MS }),
      base,
    );
  }

  async open(hash: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
    const context = await this.#browser.newContext({
      viewport: { width: 1280, height: 860 },
      colorScheme: 'light',
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    const misdeeds: string[] = [];
    context.on('request', (request) => {
      if (!request.url().startsWith(this.#base)) misdeeds.push(`asked ${request.url()}`);
    });
    page.on('pageerror', (error) => misdeeds.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => {
      misdeeds.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('console', (message) => {
      if (/content security policy|trusted/i.test(message.text())) misdeeds.push(message.text());
    });
    await page.goto(`${this.#base}/${hash}`);
    return { page, misdeeds };
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}

/** What breaks the rules of WCAG 2.2 AA, as far as a program can tell. */
export async function objectionsTo(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const run = (globalThis as unknown as { axe: typeof axe }).axe.run;
    const { violations } = await run({ runOnly: { type: 'tag', values: tags } });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    );
  });
}

/** Only with --screenshots. */
export async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env['SWARM_PAGE_IMAGES'] ?? '';
  if (folder === '') return;
  mkdirSync(folder, { recursive: true });
  await still(page);
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}

/** From now on only events bring what is new: the page looks again by no timer. */
export const endTimers = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const newest = window.setTimeout(() => undefined);
    for (let id = 1; id <= newest; id += 1) window.clearInterval(id);
  });

/** Waits for the end of all animations; those of a change begin with the next frame. */
export async function still(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  await page.waitForFunction(() => document.getAnimations().length === 0);
}
