// Which checkouts may be released, and under which tag?
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { releaseProblems } from '../../../../scripts/release/check.ts';

const checkout = (version: string): Record<string, string> => ({
  'package.json': JSON.stringify({ version }),
  'src/worker/package.json': JSON.stringify({ version }),
  'package-lock.json': JSON.stringify({
    version,
    packages: {
      '': { version },
      'src/worker': { version },
      'node_modules/a': { version: '9.9.9' },
    },
  }),
  'deploy/chart/Chart.yaml': `apiVersion: v2\nversion: ${version}\nappVersion: ${version}\n`,
  'CHANGELOG.md': `# Changelog\n\n## [Unreleased]\n\n## [${version}] - 2027-01-31\n\n- News.\n`,
});

const problems = (tag: string, changed: Record<string, string> = {}): readonly string[] => {
  const files = { ...checkout('1.2.3'), ...changed };
  return releaseProblems(tag, (file) => files[file] ?? '');
};

describe('a release', () => {
  it('a release is possible when all files name the version of the tag', () =>
    expect(problems('v1.2.3')).toEqual([]));

  it.each<[string, Record<string, string>, string]>([
    [
      'the package',
      { 'package.json': '{"version":"1.2.2"}' },
      'package.json says 1.2.2, not 1.2.3',
    ],
    [
      'the package of the worker',
      { 'src/worker/package.json': '{"version":"1.3.0"}' },
      'src/worker/package.json says 1.3.0, not 1.2.3',
    ],
    [
      'the lock file',
      { 'package-lock.json': checkout('1.2.2')['package-lock.json'] ?? '' },
      'package-lock.json says 1.2.2, not 1.2.3',
    ],
    [
      'the chart',
      { 'deploy/chart/Chart.yaml': 'version: 1.2.3\nappVersion: 1.2.2\n' },
      'deploy/chart/Chart.yaml says 1.2.2, not 1.2.3',
    ],
    [
      'a chart without a version',
      { 'deploy/chart/Chart.yaml': 'appVersion: 1.2.3\n' },
      'deploy/chart/Chart.yaml says no version, not 1.2.3',
    ],
    [
      'a changelog without a heading',
      { 'CHANGELOG.md': '## [Unreleased]\n\n- News.\n' },
      'CHANGELOG.md lacks the heading "## [1.2.3] - YYYY-MM-DD"',
    ],
    [
      'a changelog without a date',
      { 'CHANGELOG.md': '## [1.2.3]\n\n- News.\n' },
      'CHANGELOG.md lacks the heading "## [1.2.3] - YYYY-MM-DD"',
    ],
    [
      'a changelog without a line',
      { 'CHANGELOG.md': '## [1.2.3] - 2027-01-31\n\n## [1.2.2] - 2027-01-01\n\n- News.\n' },
      'CHANGELOG.md says nothing of 1.2.3',
    ],
  ])('a release is refused because of %s', (_, changed, problem) =>
    expect(problems('v1.2.3', changed)).toEqual([problem]),
  );

  it.each(['1.2.3', 'v1.2', 'v1.2.3-rc.1', 'v1.2.3\n', 'main'])(
    'a release is refused for the tag %j',
    (tag) =>
      expect(problems(tag)).toEqual([`the tag ${tag} is not valid; expected the form v1.2.3`]),
  );

  it('the refusal of a release names every file that has another version', () =>
    expect(problems('v2.0.0')).toHaveLength(5));
});

it('this checkout can be released as the version of its package', () => {
  const read = (file: string): string =>
    readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8');
  const { version } = JSON.parse(read('package.json')) as { readonly version: string };
  expect(releaseProblems(`v${version}`, read)).toEqual([]);
});
