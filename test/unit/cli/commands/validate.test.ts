// Does swarmctl name file, line and field of each mistake, in files and folders of every form?
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { validate } from '../../../../src/cli/commands/validate.ts';
import { fieldLinesIn, lineOf } from '../../../../src/cli/validate/field-lines.ts';
import { specOf } from '../../../support/refusals.ts';
import { FakeCluster } from '../fake-cluster.ts';
import { Files, ran } from '../ran.ts';
import { pool } from './manifests.ts';

const files = new Files();
afterAll(() => files.remove());

const offline = (text: string) => ran(validate, files.write('pool.yaml', text));

const text = `# two pools and something else
apiVersion: k8slab.info/v1alpha1
kind: SwarmPool
metadata: { name: tv }
spec:
  workers:
    targetRef: { name: worker }
    capasity: 10
  streams:
    - { name: a }
    - name: b
      weight: -1
---
apiVersion: v1
kind: List
items:
  - { apiVersion: k8slab.info/v1alpha1, kind: SwarmPool, metadata: { name: second }, spec: { workers: { targetRef: { name: x } } } }
  - apiVersion: k8slab.info/v1alpha1
    kind: SwarmPool
    metadata: { name: third }
    spec:
      workers: {}
---
kind: ConfigMap
`;

describe('swarmctl validate', () => {
  it('validate names file, line and field, over several documents and lists', async () => {
    const file = files.write('many.yaml', text);
    const { code, stdout } = await ran(validate, file);
    expect(stdout.split('\n')).toEqual([
      `${file}:8: spec.workers.capasity: unknown field; did you mean capacity?`,
      `${file}:12: spec.streams[1].weight: must be >= 0 (found -1)`,
      `${file}:22: spec.workers: workers names no pods: give one of selector.matchLabels and targetRef.name`,
      '3 SwarmPools, 3 errors (1 other object skipped)',
      '',
    ]);
    expect(code).toBe(1);
  });

  it('validate prints the same mistakes as JSON', async () => {
    const file = files.write('one.yaml', text);
    const { stdout } = await ran(validate, '-f', file, '-o', 'json');
    expect(JSON.parse(stdout)).toContainEqual({
      file,
      line: 12,
      field: 'spec.streams[1].weight',
      message: 'must be >= 0 (found -1)',
    });
  });

  it('validate names the line where a file is not YAML', async () => {
    expect(await offline('a: b\nc: [')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('pool.yaml:2: not YAML'),
    });
  });

  it('validate refuses a field called constructor', async () => {
    const { stdout } = await offline(
      JSON.stringify(pool({ ...specOf('nobody', {}), constructor: 1 })),
    );
    expect(stdout).toContain('spec.constructor: unknown field');
  });

  it('validate without a file says that one is expected', async () =>
    expect(await ran(validate)).toMatchObject({ code: 2, stderr: 'expected a file\n' }));

  const samples = readdirSync('samples', { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.yaml$/.test(file),
  );
  it('validate finds no mistake in the samples', async () => {
    const pools = samples
      .map((file) => `samples/${file}`)
      .filter((file) => /^kind: SwarmPool$/m.test(readFileSync(file, 'utf8')));
    expect(pools.length).toBeGreaterThan(10);
    // The patch of an overlay is not a whole pool.
    const whole = pools.filter((file) => !file.startsWith('samples/overlay/staging'));
    expect(await ran(validate, ...whole)).toMatchObject({ code: 0 });
  });

  it.each([
    [
      'a kind that is nearly ours',
      { ...pool({}), kind: 'SwarmPol' },
      'kind: is "SwarmPol"; allowed are SwarmPool, SwarmGroup, SwarmQueue, SwarmJob',
    ],
    [
      'a kind of our group that does not exist',
      { ...pool({}), kind: 'Thing' },
      'kind: is "Thing"; allowed are SwarmPool, SwarmGroup, SwarmQueue, SwarmJob',
    ],
  ])('validate refuses %s', async (_, object, message) =>
    expect(await offline(JSON.stringify(object))).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(message),
    }),
  );

  it('validate passes over objects of other kinds', async () =>
    expect(await offline(JSON.stringify({ apiVersion: 'v1', kind: 'Swarm' }))).toMatchObject({
      code: 0,
      stdout: '0 SwarmPools, no errors (1 other object skipped)\n',
    }));

  it.each(['', '---\n', '# nothing\n'])(
    'validate says that a file holds no object: %j',
    async (text) =>
      expect(await offline(text)).toMatchObject({
        code: 1,
        stdout: expect.stringContaining('pool.yaml:1: contains no object'),
      }),
  );

  it('validate warns of weights that no worker can carry', async () => {
    const spec = {
      streams: [
        { name: 'a', weight: 180 },
        { name: 'b', weight: 100 },
      ],
    };
    const text = JSON.stringify(pool(specOf('x', { ...spec, streamDefaults: { weight: 101 } })));
    const { code, stdout } = await offline(text);
    expect(code).toBe(0);
    expect(stdout.replaceAll(/^.*pool/gm, 'pool').split('\n')).toEqual([
      'pool.yaml:1: warning: spec.streamDefaults.weight: is 101, and spec.workers.capacity is 100: no worker can carry it (TooHeavy); if the stream already runs, it stays on its worker',
      'pool.yaml:1: warning: spec.streams[0].weight: is 180, and spec.workers.capacity is 100: no worker can carry it (TooHeavy); if the stream already runs, it stays on its worker',
      '1 SwarmPool, no errors, 2 warnings',
      '',
    ]);
    const file = files.write('pool.yaml', text);
    expect(await ran(validate, file, '--strict')).toEqual({ code: 1, stdout, stderr: '' });
    const allowed = JSON.stringify(pool(specOf('x', { ...spec, overcommit: 'Allow' })));
    expect((await offline(allowed)).stdout).toBe('1 SwarmPool, no errors\n');
  });

  it('validate --server warns of weights, too, since the API server accepts them', async () => {
    const cluster = new FakeCluster({});
    await cluster.start();
    try {
      const spec = specOf('x', { streams: [{ name: 'a', weight: 150 }] });
      const args = [files.write('pool.yaml', JSON.stringify(pool(spec))), '--server'];
      const { code, stdout } = await ran(validate, ...args, '--kubeconfig', cluster.kubeconfig);
      expect(cluster.writes).toHaveLength(1);
      expect(stdout).toContain(
        'warning: spec.streams[0].weight: is 150, and spec.workers.capacity',
      );
      expect(code).toBe(0);
    } finally {
      cluster.stop();
    }
  });

  const listed = (list: string, more: object = {}, namespace = 'tv'): string =>
    `apiVersion: k8slab.info/v1alpha1
kind: SwarmPool
metadata: { name: tv, namespace: tv }
spec: ${JSON.stringify(
      specOf('x', {
        streamsFrom: [
          { configMapKeyRef: { name: 'lineup', key: 'streams.txt' } },
          { configMapKeyRef: { name: 'elsewhere', key: 'more' } },
        ],
        ...more,
      }),
    )}
---
apiVersion: v1
kind: ConfigMap
metadata: { name: lineup, namespace: ${namespace} }
data:
  streams.txt: ${list}
`;

  it.each<[string, string, number, readonly string[]]>([
    [
      'a weight that no worker can carry',
      listed('|\n    cnbc=50\n    arte=150'),
      0,
      [
        'pool.yaml:12: warning: lineup/streams.txt line 2: weighs 150, and spec.workers.capacity is 100: no worker can carry it (TooHeavy); if the stream already runs, it stays on its worker',
        '1 SwarmPool, no errors, 1 warning',
      ],
    ],
    [
      'that weight where weights may exceed the capacity',
      listed('arte=150', { overcommit: 'Allow' }),
      0,
      ['1 SwarmPool, no errors'],
    ],
    [
      'a name that is in the spec, too',
      listed('"arte\\na"'),
      1,
      [
        'pool.yaml:10: lineup/streams.txt line 2: the same name as spec.streams[0]',
        '1 SwarmPool, 1 error',
      ],
    ],
    [
      'a list that cannot be read',
      listed('|\n    - name: arte\n      weight: -5'),
      1,
      ['pool.yaml:11: lineup/streams.txt line 1.weight: must be >= 0', '1 SwarmPool, 1 error'],
    ],
    [
      'a mistake in the spec, and one in the list',
      listed('arte=150', { overcommit: 'Maybe' }),
      1,
      [
        'pool.yaml:4: spec.overcommit: must be equal to one of the allowed values: ["Deny","Allow"] (found "Maybe")',
        'pool.yaml:10: warning: lineup/streams.txt line 1: weighs 150, and spec.workers.capacity is 100: no worker can carry it (TooHeavy); if the stream already runs, it stays on its worker',
        '1 SwarmPool, 1 error, 1 warning',
      ],
    ],
    [
      'more streams than a pool can have',
      listed('x').replace('streams.txt: x', `streams.txt: "${'s\\n'.repeat(120_001)}"`),
      1,
      [
        'pool.yaml:10: lineup/streams.txt: more than 120000 streams, but a pool can have at most 120000',
        '1 SwarmPool, 1 error',
      ],
    ],
    [
      'nothing of the list of another namespace',
      listed('arte=150', {}, 'radio'),
      0,
      ['1 SwarmPool, no errors (1 other object skipped)'],
    ],
  ])(
    'validate reads the lists that are in the files, and reports %s',
    async (_, text, code, lines) => {
      const told = await offline(text);
      expect(
        told.stdout
          .replaceAll(/^.*pool\.yaml/gm, 'pool.yaml')
          .trim()
          .split('\n'),
      ).toEqual(lines);
      expect(told.code).toBe(code);
    },
  );

  it('validate looks into folders of a folder only with -R', async () => {
    expect(await ran(validate, 'samples/features')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('use -R to read its subfolders'),
    });
    expect((await ran(validate, '-R', 'samples/features')).stdout).toMatch(
      /^1\d SwarmPools, no errors/,
    );
  });
});

it.each([
  ['spec.a', 2],
  ['spec.list[1].x', 5],
  ['spec.list[1].missing', 5],
  ['spec.nothing.there', 1],
  ['', 1],
])('lineOf finds %j in line %i', (path, line) => {
  const [lines = new Map<string, number>()] = fieldLinesIn(
    'spec:\n  a: &anchor 1\n  list:\n    - 1\n    - { x: *anchor, ? [k] : 2 }\n',
  );
  expect(lineOf(lines, path)).toBe(line);
});
