// Which external inputs may influence the images?
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const read = (file: string): string =>
  readFileSync(path.resolve(import.meta.dirname, '../../../', file), 'utf8');
const text = read('Dockerfile');
const steps = text
  .replace(/\\\n/g, '')
  .split('\n')
  .filter((line) => line.startsWith('RUN '));

describe('the Dockerfile', () => {
  it('the Dockerfile runs no install scripts, least of all with the npm secret mounted', () => {
    const installs = steps.filter((step) => /\bnpm\b/.test(step));
    expect(installs).toHaveLength(1);
    expect(installs.filter((step) => !/npm ci --ignore-scripts$/.test(step))).toEqual([]);
    expect(steps.filter((step) => step.includes('--mount=type=secret'))).toEqual(installs);
  });

  it('the images build and run with the Node of their base images, not with one of a package', () => {
    expect(text).not.toMatch(/node_modules\/\.bin\/node|node_modules\/node\b/);
    expect(
      [...text.matchAll(/^ENTRYPOINT .*$/gm)].map(([line]) => line.replace(/dist.*/, '')),
    ).toEqual(Array(2).fill('ENTRYPOINT ["/usr/bin/tini-static", "--", "node", "'));
  });

  it('the Dockerfile takes nothing from outside but base images, Debian packages and those of the lock file', () => {
    expect(text).not.toMatch(/^ADD |curl|wget|https?:/m);
    expect([...text.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)).toEqual([
      '${' + 'BUILD_IMAGE}',
      '${' + 'BASE_IMAGE}',
      'base',
      'base',
      '${' + 'SERVICE}',
    ]);
  });
});

describe('the lock file', () => {
  it('the lock file names no server, so that npm uses the registry of its own configuration', () => {
    expect(read('package-lock.json')).not.toMatch(/"resolved": "[^"]*:/);
  });

  it('npm writes no registry into the lock file, whatever the user has configured', () => {
    expect(read('.npmrc').split('\n')).toContain('omit-lockfile-registry-resolved=true');
  });

  it('the lock file has the binaries of the build for both processors', () => {
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: object };
    const places = Object.keys(packages);
    const of = (processor: string): readonly string[] =>
      places
        .filter((place) => new RegExp(`linux-${processor}(-gnu|-glibc)?$`).test(place))
        .map((place) => place.replace(processor, 'PROCESSOR'));
    expect(of('arm64')).toContain('node_modules/@swc/core-linux-PROCESSOR-gnu');
    expect(of('arm64')).toEqual(of('x64'));
  });
});

describe('a release', () => {
  const [check = ''] = steps.filter((step) => step.includes('RELEASE'));
  const digest = `@sha256:${'0123456789abcdef'.repeat(4)}`;
  const isBuilt = (env: Readonly<Record<string, string>>): boolean =>
    spawnSync('sh', ['-c', check.replace(/^RUN /, '')], {
      env: { PATH: process.env['PATH'], ...env },
    }).status === 0;

  it.each([
    ['no release, on tags', { BASE_IMAGE: 'node:24-slim', BUILD_IMAGE: 'node:24-slim' }, true],
    [
      'with an empty release has none',
      { RELEASE: '', BASE_IMAGE: 'node:24-slim', BUILD_IMAGE: 'node:24-slim' },
      true,
    ],
    [
      'both by digest',
      { RELEASE: '1.0.0', BASE_IMAGE: `node:24-slim${digest}`, BUILD_IMAGE: `node${digest}` },
      true,
    ],
    [
      'both by tag',
      { RELEASE: '1.0.0', BASE_IMAGE: 'node:24-slim', BUILD_IMAGE: 'node:24-slim' },
      false,
    ],
    [
      'one by tag',
      { RELEASE: '1.0.0', BASE_IMAGE: `node${digest}`, BUILD_IMAGE: 'node:24-slim' },
      false,
    ],
    [
      'the other by tag',
      { RELEASE: '1.0.0', BASE_IMAGE: 'node:24-slim', BUILD_IMAGE: `node${digest}` },
      false,
    ],
    [
      'half a digest',
      { RELEASE: '1.0.0', BASE_IMAGE: 'node@sha256:0123', BUILD_IMAGE: `node${digest}` },
      false,
    ],
  ])(
    'an image of a release builds only where both base images have a digest: %s',
    (_, env, wanted) => expect(isBuilt(env)).toBe(wanted),
  );
});
