// The page in a real Chromium, against the real operator on the local Kubernetes. Usage:
// test-page.ts [--screenshots] [jest's arguments] --screenshots updates docs/images. Without a
// Chromium it says so and counts as skipped.
import { buildPageIfOlder } from './build/page.ts';
import { getBinaries } from './needs.ts';
import { findChromium } from './page/chromium.ts';
import { jestAndExit, record, root } from './run.ts';

const args = process.argv.slice(2).filter((arg) => arg !== '--screenshots');
const chromium = findChromium();
if ('refusal' in chromium) {
  console.log(`Skipped: the page cannot be tested here: ${chromium.refusal}.`);
  record('page', { passed: 0, failed: 0, skipped: 1 });
  console.log('\n0 passed, 0 failed, 1 skipped');
  process.exit(0);
}
console.log('\n▸ build the page');
await buildPageIfOlder();
await getBinaries();
console.log(`\n▸ the page in ${chromium.program}`);
const images = process.argv.includes('--screenshots')
  ? `${root}docs/images`
  : (process.env['SWARM_PAGE_IMAGES'] ?? '');
const env = { SWARM_CHROMIUM: chromium.program, SWARM_PAGE_IMAGES: images };
jestAndExit(['page'], ['--runInBand', ...args], env);
