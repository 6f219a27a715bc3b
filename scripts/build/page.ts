// Builds src/web to dist/web, which the operator serves. Usage: build/page.ts [--if-older], which
// builds only if a source is newer.
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { build } from 'vite';
import { root } from '../run.ts';

const sources = [
  'src/web',
  'src/api/introspection',
  'src/api/introspection.ts',
  'scripts/build/page.ts',
  'package-lock.json',
];

export async function buildPage(into: string): Promise<void> {
  await build({
    configFile: false,
    root: `${root}src/web`,
    base: './',
    logLevel: 'warn',
    build: {
      outDir: path.resolve(into),
      emptyOutDir: true,
      target: 'es2023',
      // Its polyfill for old browsers would be an inline script, which the page's policy forbids.
      modulePreload: false,
      assetsInlineLimit: 0,
      // On a busy machine it would print long reports of slow steps.
      rolldownOptions: { checks: { bundlerTimings: false } },
    },
  });
}

/** For an operator that runs from source. */
export async function buildPageIfOlder(): Promise<void> {
  const page = `${root}dist/web/index.html`;
  const built = existsSync(page) ? statSync(page).mtimeMs : 0;
  if (sources.flatMap(filesIn).some((file) => statSync(file).mtimeMs > built))
    await buildPage(`${root}dist/web`);
}

function filesIn(source: string): readonly string[] {
  const at = `${root}${source}`;
  if (!statSync(at).isDirectory()) return [at];
  return [
    at,
    ...readdirSync(at, { recursive: true, encoding: 'utf8' }).map((name) => path.join(at, name)),
  ];
}

if (import.meta.main)
  await (process.argv.includes('--if-older') ? buildPageIfOlder() : buildPage(`${root}dist/web`));
