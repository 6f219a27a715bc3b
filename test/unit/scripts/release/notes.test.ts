// What do the notes of a release say?
import { expect, it } from '@jest/globals';
import { sectionOf } from '../../../../scripts/release/changelog.ts';
import { releaseNotes } from '../../../../scripts/release/notes.ts';

const changelog = `# Changelog

## [Unreleased]

- Later.

## [1.10.0] - 2027-02-28

### Added

Of groups,
and others:

- Groups ([how to](docs/how-to/groups.md#size), [form](https://example.org/x),
  [above](#added)).
- More.

## [1.1.0] - 2027-01-31

- Earlier.
`;
const image = (name: string): string =>
  `ghcr.io/someone/${name}@sha256:${'0123456789abcdef'.repeat(4)}`;
const notes = {
  version: '1.10.0',
  source: 'https://github.com/someone/swarm',
  registry: 'ghcr.io/someone/charts',
  operator: image('swarm-operator'),
  worker: image('swarm-worker'),
};

it.each<[string, string, object | undefined]>([
  ['the last one', '1.1.0', { date: '2027-01-31', text: '- Earlier.' }],
  ['none like it', '1.1', undefined],
  ['what has no date', 'Unreleased', undefined],
])('sectionOf finds the section of a version: %s', (_, version, section) =>
  expect(sectionOf(changelog, version)).toEqual(section),
);

it('release notes have the section of their version alone, in whole lines, with links that work anywhere', () => {
  const text = releaseNotes(changelog, notes);
  expect(text.slice(0, text.indexOf('## Install'))).toBe(`### Added

Of groups, and others:

- Groups ([how to](https://github.com/someone/swarm/blob/v1.10.0/docs/how-to/groups.md#size), [form](https://example.org/x), [above](#added)).
- More.

`);
});

it('release notes name what was published, and the identity that must have signed it', () => {
  const text = releaseNotes(changelog, notes);
  expect(text).toContain(
    'kubectl apply -f https://github.com/someone/swarm/releases/download/v1.10.0/install.yaml\n',
  );
  expect(text).toContain(
    'helm install swarm-operator oci://ghcr.io/someone/charts/swarm-operator --version 1.10.0 ',
  );
  expect(text).toContain(`\`${notes.worker}\``);
  expect(text).toContain(`cosign verify ${notes.operator} \\
  --certificate-identity https://github.com/someone/swarm/.github/workflows/release.yml@refs/tags/v1.10.0 \\
`);
});

it('a version that the changelog does not have has no release notes', () =>
  expect(() => releaseNotes(changelog, { ...notes, version: '2.0.0' })).toThrow(
    'no version 2.0.0',
  ));
