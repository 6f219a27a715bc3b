// Is everything published once, however often a release runs?
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Outcome, Run } from '../../../../scripts/release/command.ts';
import { publishChart } from '../../../../scripts/release/publish-chart.ts';
import { publishImage } from '../../../../scripts/release/publish-image.ts';
import { publishPackage } from '../../../../scripts/release/publish-package.ts';

type Answer = (args: readonly string[]) => Outcome | string;

const failure = (stderr: string): Outcome => ({ status: 1, stdout: '', stderr });

/** What the tools would do, by the beginning of their command lines; keeps these. */
function tools(answers: Readonly<Record<string, Answer>>): { run: Run; typed: string[] } {
  const typed: string[] = [];
  const run: Run = (...words) => {
    const command = words.join(' ');
    typed.push(command);
    const [, answer] = Object.entries(answers).find(([begin]) => command.startsWith(begin)) ?? [];
    if (answer === undefined) throw new Error(`not expected: ${command}`);
    const given = answer(words);
    return typeof given === 'string' ? { status: 0, stdout: given, stderr: '' } : given;
  };
  return { run, typed };
}

const sum = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

describe('an image', () => {
  const release = {
    repository: 'ghcr.io/someone/swarm-operator',
    version: '1.2.3',
    commit: 'c0ffee',
    source: 'https://github.com/someone/swarm-operator',
    digests: [sum('amd64'), sum('arm64')],
  };
  const index = (commit: string): string =>
    JSON.stringify({ annotations: { 'org.opencontainers.image.revision': commit } });

  /** The index that the registry has, if any. */
  function registry(initial?: string): { run: Run; typed: string[] } {
    let published = initial;
    return tools({
      'docker buildx imagetools inspect --raw ghcr.io/someone/swarm-operator:1.2.3': () =>
        published ?? failure('ERROR: ghcr.io/someone/swarm-operator:1.2.3: not found'),
      'docker buildx imagetools inspect --format': () => `${sum(published ?? '')}\n`,
      'docker buildx imagetools create': (args) => {
        published = index(/revision=(\w+)/.exec(args.join(' '))?.[1] ?? '');
        return '';
      },
    });
  }

  it('a released image is made of the images of all processors, and named by its digest', () => {
    const { run, typed } = registry();
    expect(publishImage(release, run)).toBe(sum(index('c0ffee')));
    const [created = ''] = typed.filter((command) => command.includes('create'));
    expect(created).toContain('--tag ghcr.io/someone/swarm-operator:1.2.3 ');
    expect(created).toContain(
      release.digests.map((digest) => `${release.repository}@${digest}`).join(' '),
    );
  });

  it('a released image stays as it is when the release runs again', () => {
    const { run, typed } = registry(index('c0ffee'));
    expect(publishImage(release, run)).toBe(sum(index('c0ffee')));
    expect(typed.filter((command) => command.includes('create'))).toEqual([]);
  });

  it.each<[string, string, string]>([
    ['another commit', index('bad'), 'is already published from bad, not from c0ffee'],
    ['an unknown commit', '{}', 'is already published from an unknown commit, not from c0ffee'],
  ])('a released image is not replaced when it comes from %s', (_, found, problem) => {
    const { run, typed } = registry(found);
    expect(() => publishImage(release, run)).toThrow(problem);
    expect(typed).toHaveLength(1);
  });

  it('an image is not published when the registry cannot be reached', () => {
    const { run } = tools({
      'docker buildx imagetools inspect': () => failure('dial tcp: i/o timeout'),
    });
    expect(() => publishImage(release, run)).toThrow('looking for ghcr.io/someone');
  });
});

describe('a package', () => {
  const manifest = JSON.stringify({ name: 'swarm-worker', version: '1.2.3' });
  const npm = (view: Answer, publish: Answer = () => ''): { run: Run; typed: string[] } =>
    tools({
      'tar -xzOf a/swarm-worker-1.2.3.tgz': () => manifest,
      'npm view swarm-worker@1.2.3 version': view,
      'npm publish': publish,
    });
  const file = 'a/swarm-worker-1.2.3.tgz';

  it.each<[string, Answer]>([
    ['the package is unknown', () => failure('npm error code E404')],
    ['the package has other versions', () => ''],
  ])('a package is published with provenance when %s', (_, view) => {
    const { run, typed } = npm(view);
    expect(publishPackage(file, false, run)).toBe('swarm-worker@1.2.3 is published');
    expect(typed[2]).toBe(`npm publish ${path.resolve(file)} --provenance --access public`);
  });

  it('a published package stays as it is when the release runs again', () => {
    const { run, typed } = npm(() => '1.2.3\n');
    expect(publishPackage(file, false, run)).toBe('swarm-worker@1.2.3 is published already');
    expect(typed).toHaveLength(2);
  });

  it('a package is not published by a dry run', () => {
    const { run, typed } = npm(() => '');
    expect(publishPackage(file, true, run)).toBe('swarm-worker@1.2.3 is ready to be published');
    expect(typed[2]).toMatch(/ --dry-run$/);
  });

  it('a release fails when npm refuses its package, or cannot be reached', () => {
    const refused = npm(
      () => '',
      () => failure('npm error code ENEEDAUTH'),
    );
    expect(() => publishPackage(file, false, refused.run)).toThrow('ENEEDAUTH');
    const unreachable = npm(() => failure('npm error code ECONNREFUSED'));
    expect(() => publishPackage(file, false, unreachable.run)).toThrow('ECONNREFUSED');
  });
});

describe('a chart', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'swarm-publish-'));
    file = path.join(folder, 'swarm-operator-1.2.3.tgz');
    writeFileSync(file, 'today: contents');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** An archive is a time and its contents here. */
  const contents = (archive: string): string => readFileSync(archive, 'utf8').split(': ')[1] ?? '';

  const helm = (published: string | Outcome): { run: Run; typed: string[] } =>
    tools({
      'helm pull oci://ghcr.io/someone/charts/swarm-operator --version 1.2.3': (args) => {
        if (typeof published !== 'string') return published;
        writeFileSync(path.join(args.at(-1) ?? '', 'swarm-operator-1.2.3.tgz'), published);
        return `Pulled: it\nDigest: ${sum(published)}\n`;
      },
      'helm push': () => ({ status: 0, stdout: '', stderr: `Pushed: it\nDigest: ${sum('new')}\n` }),
      tar: (args) => contents(args.at(-1) ?? ''),
    });
  const publish = (by: Run): string => publishChart(file, 'ghcr.io/someone/charts', by);

  it.each(['Error: not found', 'Error: 403: denied: denied'])(
    'a chart is published when the registry answers %j',
    (answer) => {
      const { run, typed } = helm(failure(answer));
      expect(publish(run)).toBe(sum('new'));
      expect(typed[1]).toBe(`helm push ${file} oci://ghcr.io/someone/charts`);
    },
  );

  it('a published chart stays as it is when the release runs again, and is what the release has', () => {
    const { run, typed } = helm('yesterday: contents');
    expect(publish(run)).toBe(sum('yesterday: contents'));
    expect(typed.filter((command) => command.startsWith('helm push'))).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe('yesterday: contents');
  });

  it('a published chart is not replaced by one with other contents', () =>
    expect(() => publish(helm('yesterday: others').run)).toThrow(
      'oci://ghcr.io/someone/charts/swarm-operator 1.2.3 is already published with different contents',
    ));

  it('a chart is not published when the registry cannot be reached', () =>
    expect(() => publish(helm(failure('Error: no such host')).run)).toThrow('no such host'));
});
