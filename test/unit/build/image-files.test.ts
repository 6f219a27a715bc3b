// Which files of a small project go into its image?
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';

const script = path.resolve(import.meta.dirname, '../../../scripts/build/image-files.ts');

let project: string;
let image: string;

beforeEach(() => {
  project = mkdtempSync(path.join(tmpdir(), 'image-files-'));
  image = path.join(project, 'image');
  write('package.json', { name: 'theirs', version: '1.0.0' });
  write('dist/main.js', "import './part.js';\nimport 'a';\n");
  write('dist/part.js', "import 'node:fs';\n");
  write('dist/other.js', "import 'unneeded';\n");
  for (const [place, version] of Object.entries(installed)) {
    const dependencies = place === 'node_modules/a' ? { '@scope/b': '2' } : {};
    write(`${place}/package.json`, {
      name: place.replace(/.*node_modules\//, ''),
      version,
      dependencies,
    });
  }
  lock(installed);
});

afterEach(() => rmSync(project, { recursive: true }));

const installed = {
  'node_modules/a': '1.2.3',
  'node_modules/a/node_modules/@scope/b': '2.0.0',
  'node_modules/unneeded': '9.0.0',
};

function write(file: string, content: string | object): void {
  mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
  writeFileSync(
    path.join(project, file),
    typeof content === 'string' ? content : JSON.stringify(content),
  );
}

function lock(versions: Readonly<Record<string, string>>, more: object = {}): void {
  const packages = Object.entries(versions).map(([place, version]) => [
    place,
    { version, integrity: 'sha512-YWJj', ...more },
  ]);
  write('package-lock.json', { packages: Object.fromEntries([['', {}], ...packages]) });
}

const make = (): void =>
  void execFileSync(process.execPath, [script, 'dist/main.js', image], {
    cwd: project,
    stdio: 'pipe',
  });

it('an image has the files that the program imports, their packages, and an SBOM of exactly these', () => {
  make();
  expect(readdirSync(image).sort()).toEqual(['dist', 'node_modules', 'sbom.cdx.json']);
  expect(readdirSync(path.join(image, 'dist')).sort()).toEqual(['main.js', 'part.js']);
  const bill: unknown = JSON.parse(readFileSync(path.join(image, 'sbom.cdx.json'), 'utf8'));
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    metadata: { component: { name: 'theirs' } },
    components: [
      { 'bom-ref': '@scope/b@2.0.0' },
      { 'bom-ref': 'a@1.2.3', hashes: [{ alg: 'SHA-512', content: '616263' }] },
    ],
  });
});

it.each([
  ['is not pinned', () => lock({ 'node_modules/a': '1.2.3' }), 'is not in package-lock.json'],
  ['is for development', () => lock(installed, { dev: true }), 'is for development'],
])('a package that %s cannot go into an image', (_, change, says) => {
  change();
  const { status, stderr } = spawnSync(process.execPath, [script, 'dist/main.js', image], {
    cwd: project,
    encoding: 'utf8',
  });
  expect(status).not.toBe(0);
  expect(stderr).toContain(says);
});
