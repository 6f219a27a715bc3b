// Does swarmctl refuse offline what the API server would refuse?
import { afterAll, describe, expect, it } from '@jest/globals';
import { validate } from '../../../../src/cli/commands/validate.ts';
import { definitions } from '../../../../src/cli/validate/check.ts';
import { groupRefusals } from '../../../support/group-refusals.ts';
import { refusals, specOf } from '../../../support/refusals.ts';
import { Files, ran } from '../ran.ts';
import { group, pool } from './manifests.ts';

const files = new Files();
afterAll(() => files.remove());

const offline = (text: string) => ran(validate, files.write('pool.yaml', text));

describe('refused offline as by the API server', () => {
  it.each(
    refusals.map(([title, spec, message, words]) => ({ title, spec, message: words ?? message })),
  )('validate refuses offline what the API server refuses: $title', async ({ spec, message }) => {
    const { code, stdout } = await offline(JSON.stringify(pool(specOf('nobody', spec))));
    expect(stdout).toContain(message);
    expect(code).toBe(1);
  });

  it.each<[string, object, string]>([
    [
      'a name that is too long for a label',
      pool(specOf('x', {}), 'x'.repeat(64)),
      "a pool's name has at most 63 characters",
    ],
    [
      'a name with capitals',
      pool(specOf('x', {}), 'TV'),
      'metadata.name: is "TV"; allowed are lowercase letters',
    ],
    ['a missing spec', pool(undefined), 'spec: is missing'],
    [
      'another version',
      { ...pool(specOf('x', {})), apiVersion: 'k8slab.info/v1' },
      'apiVersion: is "k8slab.info/v1"; expected k8slab.info/v1alpha1',
    ],
    [
      'a list in place of a text',
      pool(specOf('x', { streams: [{ name: ['a'] }] })),
      'spec.streams[0].name: must be string',
    ],
  ])('validate refuses a pool with %s', async (_, object, message) =>
    expect(await offline(JSON.stringify(object))).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(message),
    }),
  );
});

describe('a text without quotes', () => {
  const unquoted = (fields: string): string =>
    `apiVersion: k8slab.info/v1alpha1\nkind: SwarmGroup\n${fields}\n`;
  const named = 'metadata: { name: shop }\n';
  const member = (rest: string): string =>
    `${named}spec: { members: [{ kind: Deployment, name: web, ${rest} }] }`;
  const asTrue = 'write it in quotes; YAML reads on, yes and y without them as true';
  const asFalse = 'write it in quotes; YAML reads off, no and n without them as false';

  it.each([
    [
      'a name',
      `metadata: { name: on }\n${member('ratio: 1').slice(named.length)}`,
      [`pool.yaml:3: metadata.name: is true; ${asTrue}`],
    ],
    [
      'a label and an annotation',
      `metadata:\n  name: shop\n  labels: { a: y }\n  annotations: { b: 1 }\nspec: { members: [{ kind: Deployment, name: web }] }`,
      [
        `pool.yaml:5: metadata.labels.a: is true; ${asTrue}`,
        'pool.yaml:6: metadata.annotations.b: is 1; write it in quotes',
      ],
    ],
    [
      'the name of a member',
      `${named}spec: { members: [{ kind: Deployment, name: no }] }`,
      [`pool.yaml:4: spec.members[0].name: must be string (found false): ${asFalse}`],
    ],
    [
      'a ratio',
      member('ratio: 1.5'),
      ['pool.yaml:4: spec.members[0].ratio: must be integer or string (found 1.5): write "1.5"'],
    ],
    [
      'a fraction that must be ready',
      member('readyFraction: 0.9'),
      [
        'pool.yaml:4: spec.members[0].readyFraction: must be integer or string (found 0.9): write "0.9"',
      ],
    ],
    [
      'a number in quotes',
      member('stage: "2"'),
      ['pool.yaml:4: spec.members[0].stage: must be integer (found "2"): write 2 without quotes'],
    ],
  ] as const)('validate says what to write: %s', async (_, fields, lines) => {
    const { code, stdout } = await offline(unquoted(fields));
    const told = stdout.split('\n').map((line) => line.replace(/^.*pool/, 'pool'));
    for (const line of lines) expect(told).toContain(line);
    expect(code).toBe(1);
  });
});

it('validate warns of a field that stands twice, of which kubectl takes the last one', async () => {
  const text = `${JSON.stringify(group({ members: [{ kind: 'Deployment', name: 'web' }] })).slice(0, -1)},\n"kind": "SwarmGroup"}`;
  expect(await offline(text)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(
      'pool.yaml:2: warning: kind: stands twice; kubectl takes the last one',
    ),
  });
});

const messagesIn = (definition: object): readonly string[] =>
  [...JSON.stringify(definition).matchAll(/"message":"((?:[^"\\]|\\.)*)"/g)].map(
    ([, message = '']) => JSON.parse(`"${message}"`) as string,
  );

describe('a group is refused offline as by the API server', () => {
  it.each(
    groupRefusals.map(([title, spec, message, words]) => ({
      title,
      spec,
      message: words ?? message,
    })),
  )(
    'validate refuses offline a group that the API server refuses: $title',
    async ({ spec, message }) => {
      const { code, stdout } = await offline(JSON.stringify(group(spec)));
      expect(stdout).toContain(message);
      expect(code).toBe(1);
    },
  );

  it('validate refuses cron lines and zones of a group that the API server accepts', async () => {
    const schedules = [
      { name: 'day', schedule: '0 25 * * *', replicas: 1 },
      { name: 'night', schedule: '0 20 * * *', timeZone: 'Mars/Olympus', replicas: 2 },
    ];
    const policy = { type: 'Schedule', maxReplicas: 9, schedules };
    const spec = { members: [{ kind: 'Deployment', name: 'a' }], policy };
    const { code, stdout } = await offline(JSON.stringify(group(spec)));
    expect(stdout).toContain(
      'spec.policy.schedules[0].schedule: "0 25 * * *" has "25" as hour; allowed are 0-23, and *',
    );
    expect(stdout).toContain(
      'spec.policy.schedules[1].timeZone: "Mars/Olympus" is not a time zone',
    );
    expect(code).toBe(1);
  });

  it('validate accepts a correct group', async () => {
    const spec = { members: [{ kind: 'Deployment', name: 'a', ratio: '1.5' }], replicas: 2 };
    expect(await offline(JSON.stringify(group(spec)))).toMatchObject({
      code: 0,
      stdout: '1 SwarmGroup, no errors\n',
    });
  });
});

describe('all mistakes of an object are told at once', () => {
  const member = (name: string, more: object = {}): object => ({
    kind: 'Deployment',
    name,
    ...more,
  });
  const fieldsOf = async (object: object): Promise<readonly string[]> => {
    const { stdout } = await ran(
      validate,
      files.write('all.yaml', JSON.stringify(object)),
      '-o',
      'json',
    );
    const found: readonly { readonly field: string }[] = JSON.parse(stdout);
    return found.map(({ field }) => field);
  };

  it.each<[string, object, readonly string[]]>([
    [
      'a kind that does not exist, and a member twice',
      group({ members: [member('a'), member('a'), { kind: 'Deploment', name: 'b' }] }),
      ['spec.members[1]', 'spec.members[2]'],
    ],
    [
      'a missing name twice, which is no member twice',
      group({ members: [{ kind: 'Deployment' }, { kind: 'Deployment' }] }),
      ['spec.members[0]', 'spec.members[1]'],
    ],
    [
      'a size that is no number, and a rule between other fields',
      group({ members: [member('a', { minReplicas: 3, maxReplicas: 2 })], replicas: 'x' }),
      ['spec.replicas', 'spec'],
    ],
    [
      'a policy that does not exist, and nothing by rules that read it',
      group({ members: [member('a')], policy: { type: 'Manul' }, replicas: 3 }),
      ['spec.policy.type'],
    ],
    [
      'a member of a kind that does not exist, and a cron line',
      group({
        members: [member('a', { kind: 'Deploment' })],
        policy: {
          type: 'Schedule',
          maxReplicas: 9,
          schedules: [{ name: 'day', schedule: '0 25 * * *', replicas: 1 }],
        },
      }),
      ['spec.members[0]', 'spec.policy.schedules[0].schedule'],
    ],
    [
      'a mode that does not exist, a stream twice, and a weight that no worker can carry',
      pool(
        specOf('x', {
          streams: [{ name: 'a' }, { name: 'a' }, { name: 'b', weight: 150 }],
          overcommit: 'Maybe',
        }),
      ),
      ['spec.overcommit', 'spec.streams[1]', 'spec.streams[2].weight'],
    ],
  ])('validate reports all mistakes of an object at once: %s', async (_, object, fields) =>
    expect(await fieldsOf(object)).toEqual(fields),
  );
});

describe('the rules of the definition', () => {
  it('each rule of SwarmPool is broken by a row of the table that the API server is tested with, too', async () => {
    const all = await Promise.all(
      refusals.map(([, spec]) => offline(JSON.stringify(pool(specOf('nobody', spec))))),
    );
    const text = all.map(({ stdout }) => stdout).join('');
    expect(text).not.toContain('evaluating rule');
    const missing = messagesIn(definitions.SwarmPool).filter((message) => !text.includes(message));
    // These have messages of their own; the longest name stands in a row beside the table.
    expect(missing).toEqual([
      expect.stringContaining('63 characters'),
      'workers needs exactly one of selector and targetRef',
      'workers.kind and workers.targetRef.kind differ; leave workers.kind out',
    ]);
  });

  it('each rule of SwarmGroup is broken by a row of the table that the API server is tested with, too', async () => {
    const all = await Promise.all(
      groupRefusals.map(([, spec]) => offline(JSON.stringify(group(spec)))),
    );
    const text = all.map(({ stdout }) => stdout).join('');
    expect(text).not.toContain('evaluating rule');
    const missing = messagesIn(definitions.SwarmGroup).filter((it) => !text.includes(it));
    expect(missing).toEqual([
      expect.stringContaining('63 characters'),
      'a group needs exactly one of members and selector',
      'a member of a kind other than Deployment, StatefulSet and SwarmPool needs its apiVersion',
      'policy.random belongs to policy.type Random',
      'policy.prometheus belongs to policy.type Prometheus',
    ]);
  });
});
