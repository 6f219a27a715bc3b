// Fuzzed: the text of an assignment, as the operator reads it from a ConfigMap and a worker from
// its file.
import {
  type Assignment,
  digestOf,
  HIGHEST_VERSION,
  readAssignment,
  type Slice,
  writeAssigned,
  writeAssignment,
} from '../../../src/api/assignment.ts';
import { allowedNow, isPermitted } from '../../../src/worker/file/fence.ts';
import {
  type KnownSlice,
  learn,
  nothingKnown,
  sliceOf,
} from '../../../src/worker/file/slice-file.ts';
import { mustBeMessage, mustBeSame, mustTellNothing, SECRET } from '../oracles.ts';
import { must, type Target } from '../target.ts';
import { outcomeOf } from '../try-input.ts';

const plain: Assignment = {
  workloads: new Map([
    ['swarm-worker-0', { jobs: ['cnbc'], version: 7 }],
    [
      'swarm-worker-1',
      {
        jobs: ['stream:xxrtve1', 'cars:new'],
        version: 9,
        releasing: ['foo', ' *'],
        parameters: { 'cars:new': { url: 'x', pass: SECRET } },
        weights: { 'cars:new': 40 },
        suspended: ['cars:old'],
        restarts: { 'cars:new': '2026-01-01T00:00:00Z' },
        policy: { maxRestarts: 20 },
      },
    ],
    ['swarm-worker-2', { jobs: [], version: 9 }],
    ['web-5d4-x2x9z', { slot: 3, jobs: ['true', '12', "it's", 'a: b', '- c'], version: 2 }],
    ['slot 4', { slot: 4, jobs: ['d'], version: 8 }],
  ]),
  version: 9,
  movedFrom: new Map([['cars:new', 'swarm-worker-0']]),
};

/** The size of a ConfigMap. */
const LONGEST = 1_048_576;

/** No assignment names this worker. */
const REMOVED = 'removed worker';

/**
 * Written again, a text may be this many times as long: `a,` becomes a line of its own, a character
 * an escape.
 */
const MOST_GROWTH = 16;

/** Texts at the bounds of a ConfigMap and of the reader, and beyond. */
const large = (): readonly string[] => [
  written.repeat(1_048_576 / written.length),
  `workloads: {}\nversion: 1\n# ${'x'.repeat(1_048_000)}`,
  `workloads:\n  w-0:\n    jobs:\n${'      - stream-name-000\n'.repeat(42_000)}    version: 1\nversion: 1\n`,
  `workloads: {w-0: {jobs: [${'a,'.repeat(290_000)}b], version: 1}}\nversion: 1\n`,
  `workloads:\n${Array.from({ length: 9_999 }, (_, index) => `  w-${index}: {jobs: [a${index}], version: 1, parameters: {a: {b: c}}}\n`).join('')}version: 1\n`,
  `workloads: ${'['.repeat(400_000)}`,
  `version: 1\nworkloads: "${'\\x01'.repeat(250_000)}"`,
  'x'.repeat(1_048_576),
  `"${'y\n'.repeat(250_000)}`,
  `- ${'? '.repeat(200_000)}`,
  'x'.repeat(2 * 1_048_576 + 1),
  '-\n'.repeat(300_001),
];

function check(text: string): string {
  const read = readAssignment(text);
  mustBeSame(readAssignment(text), read, 'two readings differ');
  must(
    sliceOf(learn(nothingKnown, { texts: new Map() }), REMOVED) === undefined,
    'without a file a worker has a slice',
  );
  const known = learn(nothingKnown, { texts: new Map([['config.yml', text]]) });
  if (!read.ok) {
    mustBeMessage(read.problem);
    // A message may quote names of workers and a format, so that a user can correct them. Text that
    // is no assignment may be secret.
    if (!/^(workloads|slots)\.|^format /.test(read.problem)) mustTellNothing(read.problem);
    must(known.problems.length === 1, 'the worker takes what the operator refuses');
    const before = learn(nothingKnown, { texts: new Map([['config.yml', written]]) });
    mustStayKnown(before, before.files, 'swarm-worker-1');
    const after = learn(before, { texts: new Map([['config.yml', text]]) });
    mustBeSame(
      sliceOf(after, 'swarm-worker-1'),
      sliceOf(before, 'swarm-worker-1'),
      'what was good does not hold',
    );
    return outcomeOf(read.problem);
  }
  const { assignment } = read;
  must(
    assignment.version >= 1 && assignment.version <= HIGHEST_VERSION,
    'a version is beyond its bounds',
  );
  const again = writeAssignment(assignment);
  must(
    again.length <= MOST_GROWTH * text.length + 1_000,
    'a short text becomes a long one',
    () => `${text.length} characters become ${again.length}`,
  );
  // The operator refuses to publish more.
  if (again.length > LONGEST) return 'ok, and too long to be published';
  const reread = readAssignment(again);
  must(reread.ok, 'what was written cannot be read', () => (reread.ok ? '' : reread.problem));
  mustBeSame(reread.assignment, assignment, 'what was written reads otherwise');
  must(writeAssignment(reread.assignment) === again, 'written again it is another text');
  must(known.problems.length === 0, 'the worker refuses what the operator takes', () =>
    known.problems.join(),
  );
  if (!assignment.workloads.has(REMOVED))
    mustBeSame(
      sliceOf(known, REMOVED),
      { jobs: [], version: assignment.version },
      'a removed worker has a slice',
    );
  const later = learn(learn(nothingKnown, { texts: new Map([['config.yml', written]]) }), {
    texts: new Map([['config.yml', text]]),
  });
  must(
    later.problems.length === (assignment.version < plain.version ? 1 : 0),
    'an older file is followed, or a newer one is not',
  );
  must(writeAssignment(assignment) === again, 'written twice it is another text');
  for (const [worker, slice] of assignment.workloads) {
    mustBeSame(sliceOf(known, worker), slice, 'the worker reads another slice');
    const rewritten = reread.assignment.workloads.get(worker);
    must(
      rewritten !== undefined && digestOf(rewritten) === digestOf(slice),
      'the digest of a slice is not that of what was written',
    );
    const told = writeAssigned({
      version: slice.version,
      uid: 'u',
      digest: digestOf(slice),
      attempt: 1,
    });
    must(isPermitted(slice, told, 'u'), 'its own annotation does not permit a slice', () => told);
    must(
      !isPermitted(slice, told, 'v') && !isPermitted(slice, text, 'u'),
      'an annotation permits a slice that it does not name',
    );
    mustBeHeldBack(slice, told);
    mustStayKnown(
      known,
      learn(nothingKnown, {
        texts: new Map([
          ['config-0.yml', text],
          ['config-1.yml', again],
        ]),
      }).files,
      worker,
    );
  }
  return `ok ${Math.min(3, assignment.workloads.size)}`;
}

/** A worker keeps its slice when files cannot be read, are gone, or name the worker twice. */
function mustStayKnown(known: KnownSlice, inTwo: KnownSlice['files'], worker: string): void {
  const slice = sliceOf(known, worker);
  mustBeSame(
    sliceOf(learn(known, { unreadable: 'EIO' }), worker),
    slice,
    'what cannot be read any more does not hold',
  );
  mustBeSame(
    sliceOf(learn(known, { texts: new Map() }), worker),
    slice,
    'what is gone does not hold',
  );
  mustBeSame(
    sliceOf({ files: inTwo, problems: [] }, worker),
    slice,
    'in two files it is another slice',
  );
  const again = learn(known, {
    texts: new Map([...known.files].map(([name, { text }]) => [name, text])),
  });
  mustBeSame(again, known, 'the same text says something else the next time');
}

/** Without its annotation a worker keeps the streams that it runs, and starts none. */
function mustBeHeldBack(slice: Slice, told: string): void {
  const present = new Set(slice.jobs.slice(0, 1));
  const unfenced = allowedNow(slice, undefined, present);
  const permitted = allowedNow(slice, { annotation: told, podUid: 'u' }, present);
  mustBeSame(permitted, unfenced, 'with its annotation it is another slice');
  must(unfenced.slice === slice && !unfenced.isPartial, 'without a fence something is held back');
  const fenced = allowedNow(slice, { annotation: undefined, podUid: 'u' }, present);
  must(
    fenced.slice.jobs.every((job) => present.has(job)),
    'a stream is started that no annotation permits',
  );
  must(
    fenced.isPartial === fenced.slice.jobs.length < slice.jobs.length,
    'what is held back is not told',
  );
}

const written = writeAssignment(plain);

export const assignment: Target = {
  name: 'assignment',
  files: [
    'src/api/assignment.ts',
    'src/worker/file/slice-file.ts',
    'src/worker/file/fence.ts',
    'src/api/yaml.ts',
    'src/api/bounds.ts',
  ],
  guides: ['node_modules/js-yaml/dist/js-yaml.mjs'],
  form: 'yaml',
  seeds: [
    written,
    'workloads: {}\nslots: {3: {jobs: [a], version: 1}, 1: {jobs: [b], version: 1}}\nversion: 1\n',
    'format: {a: 2}\n',
    'workloads: {w-0: {jobs: [12, true], parameters: {a: {b: 1, c: false}}, weights: {a: 5}}}\nversion: 4\n',
    'workloads: {w-0: {jobs: [a], restarts: {a: 12, b: {c: 1}}, policy: {maxRestarts: 0}}}\nversion: 1\n',
    'workloads: {"slot 4": {jobs: [a], version: 1}}\nversion: 1\n',
    'workloads: {w-0: {jobs: [a], releasing: 5}}\nversion: 1\n',
    'workloads: {w-0: {jobs: [a, [b]]}}\nversion: 1\n',
    'workloads: {w-0: {jobs: [a], version: 3}}\nversion: 2\n',
    'format: 1\nworkloads: {}\nslots:\n  "0": {jobs: [a], version: 1}\nversion: 1',
  ],
  large,
  words: [
    'format: ',
    'workloads:',
    'version: ',
    'jobs:',
    'releasing:',
    'parameters:',
    'weights:',
    'suspended:',
    'restarts:',
    'policy:',
    'movedFrom:',
    'slots:',
    'slot: ',
    '  w-1:\n    jobs: []\n    version: 1\n',
    'format',
    'workloads',
    'version',
    'jobs',
    'releasing',
    'parameters',
    'weights',
    'suspended',
    'restarts',
    'policy',
    'maxRestarts',
    'movedFrom',
    'slots',
    'slot',
  ],
  longest: LONGEST,
  read: readAssignment,
  check,
};
