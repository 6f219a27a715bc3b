// What does a plan from files alone read, and what does it show?
import { afterAll, describe, expect, it } from '@jest/globals';
import { plan } from '../../../../src/cli/commands/plan.ts';
import { Files, ran } from '../ran.ts';

const pool = (spec: object): string =>
  JSON.stringify({
    apiVersion: 'k8slab.info/v1alpha1',
    kind: 'SwarmPool',
    metadata: { name: 'tv' },
    spec,
  });
const workers = { targetRef: { name: 'worker' } };
const assignment = (data: string): string =>
  `\n---\n${JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'tv-assignments', labels: { 'k8slab.info/pool': 'tv' } },
    data: { 'config.yml': data },
  })}`;

const files = new Files();
afterAll(() => files.remove());

const offline = (text: string, ...args: readonly string[]) =>
  ran(plan, '-f', files.write('pool.yaml', text), '--offline', ...args);

describe('swarmctl plan --offline', () => {
  it('an offline plan starts from the published assignment in the files', async () => {
    const before =
      'workloads: { worker-0: { jobs: [a, b, c], version: 3 }, worker-1: { jobs: [d], version: 3 } }\nversion: 3\n';
    const streams = ['a', 'b', 'c', 'd'].map((name) => ({ name }));
    const { code, stdout } = await offline(
      pool({ streams, workers }) + assignment(before),
      '--workers',
      '2',
      '-o',
      'json',
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      changes: [{ version: 4 }],
      moves: [{ from: 'worker-0', to: 'worker-1', why: 'to balance the number of streams' }],
      stay: 3,
      workers: [
        { name: 'worker-0', before: { streams: 3 }, after: { streams: 2 } },
        { name: 'worker-1', before: { streams: 1 }, after: { streams: 2 } },
      ],
    });
  });

  it('an offline plan treats null as a missing field, and names a field of the wrong type', async () => {
    const withMetadata = (metadata: object): string =>
      pool({ streams: [{ name: 'a' }], workers }).replace(
        '{"name":"tv"}',
        JSON.stringify({ name: 'tv', ...metadata }),
      );
    expect(
      await offline(withMetadata({ creationTimestamp: null, labels: null }), '--workers', '1'),
    ).toMatchObject({ code: 0 });
    const broken = await offline(withMetadata({ labels: { release: 7 } }), '--workers', '1');
    expect(broken).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('metadata.labels of SwarmPool tv has the wrong type'),
    });
  });

  it('an offline plan reads the sample with its workers', async () => {
    const { code, stdout } = await ran(plan, '-f', 'samples/tv', '--offline');
    expect(code).toBe(0);
    expect(stdout).toContain(
      'SwarmPool swarm/tv: 27 streams, 0 would move, 27 would start, 0 stay (in 1 change)',
    );
    expect(stdout).toMatch(/^swarm-worker-2 +- +9 {2}█{10}$/m);
    expect(stdout).toContain('and 7 more (-o wide shows all)');
    expect(stdout).not.toContain('\u001b');
  });

  const heavy = ['b', 'c'].map((name) => ({ name, weight: 60 }));

  it.each<[string, string, readonly string[], number, string]>([
    [
      'weights that do not fit',
      pool({ streams: [{ name: 'a', weight: 80 }], workers }),
      ['--workers', '1', '--add', 'b=30'],
      1,
      '2 workers would be enough for all streams.',
    ],
    [
      'a stream that no worker can carry',
      pool({ streams: [{ name: 'a', weight: 180 }], workers }),
      ['--workers', '1'],
      1,
      'No number of workers would be enough for a.',
    ],
    [
      'one that no worker can carry, and one without room',
      pool({ streams: [{ name: 'a', weight: 180 }, ...heavy], workers }),
      ['--workers', '1'],
      1,
      '2 workers would be enough for all streams except a; for those, no number of workers is enough.',
    ],
    [
      'an invalid spec',
      pool({ streams: 1, workers }),
      ['--workers', '1'],
      1,
      'InvalidSpec: spec.streams: must be array',
    ],
    [
      'a missing list',
      pool({ streamsFrom: [{ configMapKeyRef: { name: 'l', key: 'k' } }], workers }),
      ['--workers', '1'],
      1,
      'StreamsNotFound',
    ],
    [
      'missing workers',
      pool({ workers }),
      [],
      2,
      "no file contains the pool's StatefulSet or Deployment; set --workers N",
    ],
    [
      'an added stream that is there',
      pool({ streams: [{ name: 'a' }], workers }),
      ['--workers', '1', '--add', 'a'],
      0,
      'note: --add: a is already in the list and stays as it is (a=WEIGHT would change its weight)',
    ],
    [
      'an invalid weight',
      pool({ workers }),
      ['--workers', '1', '--add', 'b=x'],
      2,
      '--add: "x" is not a weight',
    ],
    [
      'an added weight beyond its bound',
      pool({ workers }),
      ['--workers', '1', '--add', 'b=9999999'],
      1,
      'spec.streams[0].weight: must be <= 1000000',
    ],
    ['a missing pool', '{}', [], 2, 'no file contains a SwarmPool'],
    [
      'two pools',
      `${pool({ workers })}\n---\n${pool({ workers })}`,
      [],
      2,
      'several SwarmPools (tv, tv)',
    ],
    ['invalid YAML', 'a: b\nc: [', [], 2, 'pool.yaml:2: not YAML'],
  ])('an offline plan reports %s', async (_, text, args, code, says) => {
    const { stdout, stderr, code: exit } = await offline(text, ...args);
    expect(stdout + stderr).toContain(says);
    expect(exit).toBe(code);
  });
});
