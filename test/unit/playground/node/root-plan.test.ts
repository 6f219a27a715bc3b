import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { rewritePaths } from '../../../../src/playground/node/containers/mounts.ts';
import {
  type Host,
  type Mount,
  planRoot,
} from '../../../../src/playground/node/containers/root-plan.ts';

/** A machine: folders end in a slash, links say where to. */
function machine(entries: readonly string[]): Host {
  const links = new Map(
    entries
      .filter((entry) => entry.includes(' -> '))
      .map((entry): [string, string] => [
        entry.split(' -> ')[0] ?? '',
        entry.split(' -> ')[1] ?? '',
      ]),
  );
  const folders = new Set([
    '/',
    ...entries.filter((entry) => entry.endsWith('/')).map((entry) => entry.slice(0, -1)),
  ]);
  const files = new Set(entries.filter((entry) => !entry.endsWith('/') && !entry.includes(' -> ')));
  const all = [...links.keys(), ...folders, ...files].filter((entry) => entry !== '/');
  const real = (at: string): string => {
    for (const [link, target] of links)
      if (at === link || at.startsWith(`${link}/`)) return real(target + at.slice(link.length));
    return at;
  };
  return {
    entry: (at) => {
      if (links.has(at)) return 'link';
      const there = real(at);
      return folders.has(there) ? 'directory' : files.has(there) ? 'file' : undefined;
    },
    children: (directory) =>
      all
        .filter((entry) => path.posix.dirname(entry) === directory)
        .map((entry) => path.posix.basename(entry)),
    real,
  };
}

const host = machine([
  '/bin -> /usr/bin',
  '/usr/',
  '/usr/bin/',
  '/etc/',
  '/etc/passwd',
  '/etc/ssl/',
  '/var/',
  '/var/lib/',
  '/var/run -> /run',
  '/run/',
  '/run/lock/',
  '/data/',
]);
const mount = (target: string, more: Partial<Mount> = {}): Mount => ({
  source: '/volumes/v',
  target,
  readOnly: false,
  isFile: false,
  ...more,
});

const made = ({ skeleton }: ReturnType<typeof planRoot>, wanted: string): readonly string[] =>
  [...skeleton].filter(([, entry]) => entry === wanted).map(([at]) => at);

describe("a container's root", () => {
  it('a container without volumes binds every child of the root of this machine', () => {
    const plan = planRoot([], [], host);
    expect(made(plan, 'link')).toEqual(['/bin']);
    expect(plan.binds.map(({ target }) => target)).toEqual([
      '/usr',
      '/etc',
      '/var',
      '/run',
      '/data',
    ]);
  });

  it.each<[string, Mount, readonly string[], readonly string[]]>([
    [
      'at a folder that is there needs nothing more',
      mount('/data'),
      ['/usr', '/etc', '/var', '/run', '/data', '/data'],
      [],
    ],
    [
      'at the top is a folder of the skeleton',
      mount('/config'),
      ['/usr', '/etc', '/var', '/run', '/data', '/config'],
      ['/config'],
    ],
    [
      'below a folder opens it',
      mount('/etc/swarm/deep'),
      ['/usr', '/var', '/run', '/data', '/etc/ssl', '/etc/passwd', '/etc/swarm/deep'],
      ['/etc/swarm/deep'],
    ],
    [
      'below a link is where the link leads',
      mount('/var/run/secrets'),
      ['/usr', '/etc', '/var', '/data', '/run/lock', '/run/secrets'],
      ['/run/secrets'],
    ],
    [
      'in place of a file hides it',
      mount('/etc/passwd'),
      ['/usr', '/var', '/run', '/data', '/etc/ssl', '/etc/passwd'],
      ['/etc/passwd'],
    ],
  ])('a volume %s', (_, wanted, targets, directories) => {
    const plan = planRoot([wanted], [], host);
    expect(plan.binds.map(({ target }) => target)).toEqual(targets);
    expect(made(plan, 'directory')).toEqual(expect.arrayContaining([...directories]));
  });

  it('the mount point of a volume within a volume is made in the outer one', () => {
    const plan = planRoot(
      [
        mount('/work/inner/x', { source: '/volumes/in' }),
        mount('/work', { source: '/volumes/out' }),
      ],
      [],
      host,
    );
    expect(plan.inside).toEqual([{ at: '/volumes/out/inner/x', isFile: false }]);
    expect(plan.binds.slice(-2).map(({ target }) => target)).toEqual(['/work', '/work/inner/x']);
  });

  it('a single file is mounted over a file that the plan makes', () => {
    const plan = planRoot([mount('/etc/one.yml', { isFile: true, readOnly: true })], [], host);
    expect(made(plan, 'file')).toContain('/etc/one.yml');
    expect(plan.binds.at(-1)).toEqual({
      source: '/volumes/v',
      target: '/etc/one.yml',
      options: 'bind,ro',
    });
  });

  it('the root has the working directory, unless it is in a volume', () => {
    expect(planRoot([], ['/app/work'], host).skeleton.get('/app/work')).toBe('directory');
    expect(planRoot([mount('/app')], ['/app/work'], host).skeleton.has('/app/work')).toBe(false);
  });
});

describe('rewritePaths', () => {
  const mounts = [
    mount('/etc/swarm', { source: '/v/a' }),
    mount('/etc/swarm/deep', { source: '/v/b' }),
  ];
  it.each([
    ['/etc/swarm', '/v/a'],
    ['--file=/etc/swarm/config.yml', '--file=/v/a/config.yml'],
    ['/etc/swarm/deep/x:/etc/swarm/y', '/v/b/x:/v/a/y'],
    ['/etc/swarm-other', '/etc/swarm-other'],
    ['/root/etc/swarm', '/root/etc/swarm'],
    ['nothing', 'nothing'],
  ])('rewritePaths makes %s into %s', (text, wanted) => {
    expect(rewritePaths(text, mounts)).toBe(wanted);
  });
});
