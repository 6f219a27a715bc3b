// Compiles src/ to dist/, or to a given folder, for the package and the images, with the SBOM.
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';
import { buildPage } from './build/page.ts';
import { writeBill } from './build/sbom.ts';
import { bundleSwarmctl } from './build/swarmctl.ts';
import { root, run } from './run.ts';

const into = path.resolve(root, process.argv[2] ?? 'dist');
rmSync(into, { recursive: true, force: true });
run(`compile to ${path.relative(root, into)}/`, 'tsc', [
  '-p',
  'tsconfig.build.json',
  '--outDir',
  into,
]);
// The generator writes it as CommonJS: the compiler does not copy it.
cpSync(`${root}src/api/generated/validators.cjs`, `${into}/api/generated/validators.cjs`);
cpSync(`${root}src/api/generated/validators.d.cts`, `${into}/api/generated/validators.d.cts`);
console.log(`\n▸ swarmctl to ${path.relative(root, into)}/cli/bundle/`);
await bundleSwarmctl(into);
console.log(`\n▸ the page to ${path.relative(root, into)}/web/`);
await buildPage(`${into}/web`);
writeBill(into);
