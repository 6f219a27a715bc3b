import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type Assignment,
  digestOf,
  readAssigned,
  readAssignment,
  sizeOfAssignment,
  writeAssigned,
  writeAssignment,
} from '../../../src/api/assignment.ts';
import { sizeOf } from '../../../src/api/yaml.ts';

const names = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20 }),
  fc.constantFrom(
    'true',
    '12',
    'null',
    '0x1f',
    '~',
    'stream:a',
    '- a',
    '{b}',
    '#c',
    "it's",
    '"',
    '1e3',
    '2026-01-01',
    '__proto__',
    'constructor',
  ),
);

/** An empty part is not written. */
const filled = <Part extends object>(part: Part): Partial<Part> =>
  Object.values(part).every((value) => Object.keys(value).length === 0) ? {} : part;

describe('the ConfigMap format', () => {
  it('the operator writes an assignment as YAML that workers of any language read', () => {
    const assignment: Assignment = {
      workloads: new Map([
        ['swarm-worker-0', { jobs: ['cnbc'], version: 7 }],
        [
          'swarm-worker-1',
          {
            jobs: ['stream:xxrtve1', 'cars:new'],
            version: 9,
            releasing: ['foo'],
            parameters: { 'cars:new': { url: 'x' } },
          },
        ],
        ['swarm-worker-2', { jobs: [], version: 9 }],
      ]),
      version: 9,
    };
    expect(writeAssignment(assignment)).toBe(`format: 1
workloads:
  swarm-worker-0:
    jobs:
      - cnbc
    version: 7
  swarm-worker-1:
    jobs:
      - stream:xxrtve1
      - cars:new
    version: 9
    releasing:
      - foo
    parameters:
      cars:new:
        url: x
  swarm-worker-2:
    jobs: []
    version: 9
version: 9
`);
  });

  it('an assignment with any names is read back as it was written', () => {
    const slice = fc.record({
      jobs: fc.uniqueArray(names),
      version: fc.integer({ min: 1, max: 9 }),
      parameters: fc.dictionary(names, fc.dictionary(names, fc.string())),
      restarts: fc.dictionary(names, fc.string()),
      policy: fc.oneof(fc.constant({}), fc.record({ maxRestarts: fc.integer({ min: 1, max: 9 }) })),
    });
    fc.assert(
      fc.property(fc.dictionary(names, slice), (slices) => {
        const workloads = new Map(
          Object.entries(slices).map(([worker, { parameters, restarts, policy, ...rest }]) => [
            worker,
            { ...rest, ...filled({ parameters }), ...filled({ restarts }), ...filled({ policy }) },
          ]),
        );
        const text = writeAssignment({ workloads, version: 9 });
        expect(sizeOfAssignment({ workloads, version: 9 })).toEqual(sizeOf(text));
        const read = readAssignment(text);
        if (!read.ok) throw new Error(read.problem);
        expect(read.assignment.version).toBe(9);
        expect(JSON.stringify([...read.assignment.workloads])).toBe(JSON.stringify([...workloads]));
      }),
    );
  });

  it.each([
    ['not YAML', '{', 'not YAML'],
    ['a list', '[]', 'not an assignment'],
    ['nothing', '', 'the input is empty'],
    ['no version', 'workloads: {}', '`version` is not a positive whole number'],
    ['a version of 0', 'workloads: {}\nversion: 0', '`version` is not a positive whole number'],
    ['another format', 'format: 2\nworkloads: {}\nversion: 1', 'unknown format 2; allowed is 1'],
    ['no workloads', 'version: 1', '`workloads` is not a mapping'],
    [
      'jobs that are none',
      'workloads: {a: {jobs: x, version: 1}}\nversion: 1',
      'workloads.a: `jobs` is not a list',
    ],
    [
      'a format that is an object',
      'format: {toString: 1}\nworkloads: {}\nversion: 1',
      'unknown format {"toString":1}',
    ],
    [
      'a parameter that is an object',
      'workloads: {a: {jobs: [b], parameters: {b: {c: {toString: 1}}}}}\nversion: 1',
      '`parameters` is not',
    ],
    [
      'restart tokens that are a list',
      'workloads: {a: {jobs: [b], restarts: [b]}}\nversion: 1',
      'workloads.a: `restarts` is not a mapping of stream to token',
    ],
    [
      'a restart token that is an object',
      'workloads: {a: {jobs: [b], restarts: {b: {c: 1}}}}\nversion: 1',
      '`restarts` is not',
    ],
    [
      'a bound of restarts that is none',
      'workloads: {a: {jobs: [b], policy: {maxRestarts: 0}}}\nversion: 1',
      'workloads.a: `policy.maxRestarts` is not a whole number from 1 to 1000000',
    ],
    [
      'streams that moved from a list of workers',
      'workloads: {}\nmovedFrom: {a: [b]}\nversion: 1',
      '`movedFrom` is not a mapping of stream to worker',
    ],
    [
      'a slice newer than its pool',
      'workloads: {a: {jobs: [], version: 3}}\nversion: 2',
      'workloads.a: `version`',
    ],
  ])('an assignment is refused with a reason: %s', (_, text, problem) => {
    const read = readAssignment(text);
    expect(read).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });

  it.each([
    ['a format of two lines', 'format: "a\\nb"\nworkloads: {}\nversion: 1'],
    ['a worker of two lines', 'workloads: {"a\\nb": {jobs: x}}\nversion: 1'],
    ['a slot of two lines', 'workloads: {}\nslots: {"a\\nb": {jobs: []}}\nversion: 1'],
  ])('an assignment is refused in one line: %s', (_, text) => {
    expect(readAssignment(text)).toMatchObject({
      ok: false,
      problem: expect.stringMatching(/^[\P{Cc}]{10,1000}$/u),
    });
  });

  it('an assignment says which streams moved because they failed, and from which worker', () => {
    const movedFrom = new Map([
      ['b', 'w-1'],
      ['a', 'w-0'],
    ]);
    const assignment: Assignment = { workloads: new Map(), version: 1, movedFrom };
    const text = writeAssignment(assignment);
    expect(text).toContain('movedFrom:\n  a: w-0\n  b: w-1\nversion: 1\n');
    expect(readAssignment(text)).toEqual({ ok: true, assignment });
  });

  it('an assignment written by hand may omit the format and slice versions, and have names that look like numbers', () => {
    const read = readAssignment('workloads: {w-0: {jobs: [12, true]}}\nversion: 4');
    if (!read.ok) throw new Error(read.problem);
    expect([...read.assignment.workloads]).toEqual([['w-0', { jobs: ['12', 'true'], version: 4 }]]);
  });
});

describe('the annotation', () => {
  it('the annotation of a pod is read back as it was written', () => {
    const assigned = { version: 3, uid: 'u', digest: 'd', attempt: 2 };
    expect(readAssigned(writeAssigned(assigned))).toEqual(assigned);
  });

  it.each([
    undefined,
    '',
    '{',
    '[]',
    '{"version":0,"uid":"u","digest":"d","attempt":1}',
    '{"version":1}',
  ])('an annotation of %p is refused', (text) => {
    expect(readAssigned(text)).toBeUndefined();
  });
});

describe('the digest', () => {
  it('the digest of a slice depends on its streams and their parameters, not on its version', () => {
    expect(digestOf({ jobs: ['a'], version: 1 })).toBe(digestOf({ jobs: ['a'], version: 2 }));
    expect(digestOf({ jobs: ['a'], version: 1 })).not.toBe(
      digestOf({ jobs: ['a'], version: 1, releasing: ['b'] }),
    );
    expect(digestOf({ jobs: ['a'], version: 1 })).not.toBe(
      digestOf({ jobs: ['a'], version: 1, parameters: { a: { b: 'c' } } }),
    );
  });
});
