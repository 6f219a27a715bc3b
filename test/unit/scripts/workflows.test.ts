// What may the workflows of .github use, and what may they do?
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';

type Step = { readonly uses?: string; readonly run?: string; readonly with?: object };
type Job = {
  readonly uses?: string;
  readonly 'runs-on'?: string;
  readonly 'timeout-minutes'?: number;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps?: readonly Step[];
};
type Workflow = {
  readonly permissions?: object;
  readonly concurrency?: { readonly group: string };
  readonly jobs: Readonly<Record<string, Job>>;
};

const github = new URL('../../../.github/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, github), 'utf8');
const files = readdirSync(new URL('workflows/', github)).map((name) => `workflows/${name}`);
const workflows = files.map((file) => [file, load(read(file)) as Workflow] as const);
const jobs = workflows.flatMap(([file, workflow]) =>
  Object.entries(workflow.jobs).map(([name, job]) => [`${file}: ${name}`, job] as const),
);
const uses = [...files, 'actions/setup/action.yml'].flatMap((file) =>
  [...read(file).matchAll(/uses: (?!\.\/)(.*)$/gm)].map(([, action = '']) => action),
);

describe('every action', () => {
  it.each([...new Set(uses)])('an action is pinned by a commit, with its version: %s', (action) =>
    expect(action).toMatch(/^[\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/),
  );

  it('an action is pinned by the same commit everywhere', () => {
    const pins = uses.map((action) => action.split(' ')[0]?.split('@') ?? []);
    const commits = new Map<string, Set<string>>();
    for (const [name = '', commit = ''] of pins) {
      const repository = name.split('/').slice(0, 2).join('/');
      commits.set(repository, (commits.get(repository) ?? new Set()).add(commit));
    }
    expect([...commits].filter(([, { size }]) => size > 1)).toEqual([]);
  });
});

describe('every workflow', () => {
  it.each(workflows)('the workflow %s may read the repository and nothing else', (_, workflow) =>
    expect(workflow.permissions).toEqual({ contents: 'read' }),
  );

  it('each workflow runs once at a time, and waits for no other workflow', () => {
    const groups = workflows.map(([, { concurrency }]) => concurrency?.group.split('-')[0]);
    expect(groups).toEqual(['ci', 'release']);
  });
});

describe('every job', () => {
  it.each(jobs.filter(([, { uses: called }]) => called === undefined))(
    'the job %s has a time limit',
    (_, job) => {
      expect(job['timeout-minutes']).toBeLessThanOrEqual(90);
    },
  );

  it('only jobs that publish may write', () => {
    const writing = jobs.flatMap(([name, { permissions = {} }]) => {
      const rights = Object.keys(permissions).filter((right) => permissions[right] === 'write');
      return rights.length === 0 ? [] : [`${name} ${rights.join(' ')}`];
    });
    expect(writing).toEqual([
      'workflows/release.yml: build packages',
      'workflows/release.yml: images packages id-token',
      'workflows/release.yml: chart packages id-token',
      'workflows/release.yml: npm id-token',
      'workflows/release.yml: release contents id-token',
    ]);
  });

  it('a job that may write runs no code of npm packages', () => {
    const runs = jobs.flatMap(([, { permissions = {}, steps = [] }]) =>
      Object.values(permissions).includes('write') ? steps.map(({ run = '' }) => run) : [],
    );
    expect(runs.filter((run) => /npm (ci|install|run|pack)|bootstrap/.test(run))).toEqual([]);
  });

  it('a job leaves no token in the checkout', () => {
    const checkouts = jobs.flatMap(([, { steps = [] }]) =>
      steps.filter((step) => step.uses?.startsWith('actions/checkout@') === true),
    );
    expect(checkouts).not.toEqual([]);
    for (const { with: given } of checkouts)
      expect(given).toMatchObject({ 'persist-credentials': false });
  });
});

it('a workflow runs all that .ci/run does', () => {
  const script = readFileSync(new URL('../.ci/run', github), 'utf8');
  const commands = [...script.matchAll(/\bnpm (?:test|run .*?)(?= \|\||$)/gm)].map(([it]) => it);
  expect(commands.length).toBeGreaterThan(13);
  expect(commands.filter((command) => !read('workflows/ci.yml').includes(command))).toEqual([]);
});

it('no command of a workflow has an expression, whose value could be a command', () => {
  const runs = jobs.flatMap(([, { steps = [] }]) => steps.flatMap(({ run }) => run ?? []));
  expect(runs.filter((run) => run.includes('${' + '{'))).toEqual([]);
});
