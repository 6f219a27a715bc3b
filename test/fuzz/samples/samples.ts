// Do the sample workers read every assignment as the operator does, with any names of streams and
// parameters?
import { spawnSync } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';
import { root } from '../../../scripts/run.ts';
import {
  type Assignment,
  digestOf,
  type Slice,
  writeAssigned,
  writeAssignment,
} from '../../../src/api/assignment.ts';
import { validatePoolStream } from '../../../src/api/generated/validators.cjs';
import { Random } from '../../sim/random.ts';
import { json, names, numbers, oddities, yaml } from '../words.ts';

export type SampleRead = {
  readonly language: string;
  readonly read: number;
  readonly wrong: readonly string[];
};

type Written = { readonly slice: Slice; readonly asked: string };
const WORKER = 'swarm-worker-0';

/** Programs: Python itself, and the reader in Go that scripts/peers/go-samples.ts builds. */
export type SampleReaders = { readonly python?: string; readonly go?: string };

export function readBySamples(
  seed: number,
  count: number,
  { python, go }: SampleReaders,
): readonly SampleRead[] {
  const random = new Random(seed);
  const written = Array.from({ length: count }, () => writtenAt(random));
  const reader = [`${root}test/fuzz/samples/read.py`, `${root}samples/workers/python`];
  return [
    ...(python === undefined
      ? []
      : [compared('python', written, (input) => run(python, reader, input))]),
    ...(go === undefined ? [] : [compared('go', written, (input) => run(go, [], input))]),
  ];
}

function writtenAt(random: Random): Written {
  const slice = sliceOf(random);
  const workloads = new Map([
    ['swarm-worker-1', sliceOf(random)],
    [WORKER, slice],
    ['web-5d4-x2x9z', { slot: 3, ...sliceOf(random) }],
  ]);
  const assignment: Assignment = { workloads, version: 9 };
  const annotation = writeAssigned({
    version: slice.version,
    uid: 'u',
    digest: digestOf(slice),
    attempt: 1,
  });
  return {
    slice,
    asked: JSON.stringify({ text: writeAssignment(assignment), worker: WORKER, annotation }),
  };
}

function sliceOf(random: Random): Slice {
  const jobs = [
    ...new Set(
      Array.from({ length: random.between(0, 4) }, () => text(random)).filter((name) =>
        validatePoolStream({ name }),
      ),
    ),
  ];
  const some = jobs.filter(() => random.chance(0.5));
  const parameters = Object.fromEntries(
    some.map((job) => [
      job,
      Object.fromEntries([
        [text(random), text(random)],
        ['url', text(random)],
      ]),
    ]),
  );
  const weights = Object.fromEntries(some.map((job) => [job, random.between(1, 100)]));
  return {
    jobs,
    version: random.between(1, 9),
    ...(some.length > 0 && { parameters, weights }),
    ...(random.chance(0.2) && { releasing: ['a', ' *'] }),
  };
}

/** Without lone surrogates, which the API server does not store. */
function text(random: Random): string {
  const pieces = Array.from({ length: random.between(1, 3) }, () =>
    random.chance(0.2)
      ? String.fromCodePoint(random.between(1, 0x2fff))
      : random.pick(random.pick([json, names, numbers, oddities, yaml, ['a', 'b c']])),
  );
  return pieces.join('').toWellFormed();
}

function compared(
  language: string,
  written: readonly Written[],
  read: (input: string) => string,
): SampleRead {
  const answers = read(`${written.map(({ asked }) => asked).join('\n')}\n`)
    .trimEnd()
    .split('\n');
  const wrong = written.flatMap(({ slice, asked }, index) => {
    const { jobs, version } = slice;
    const parameters = Object.entries(slice.parameters ?? {}).map(
      ([stream, its]) => [stream, Object.entries(its).sort(byKey)] as const,
    );
    const meant = { jobs, parameters: parameters.sort(byKey), version, isPermitted: true };
    const answer: unknown = JSON.parse(answers[index] ?? 'null');
    return isDeepStrictEqual(answer, JSON.parse(JSON.stringify(meant)))
      ? []
      : [`${asked}\n    is read as ${answers[index]}`];
  });
  return { language, read: written.length, wrong };
}

/** Python and Go compare texts by code points, JavaScript by UTF-16 units. */
const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

function run(tool: string, args: readonly string[], input: string): string {
  const { status, stdout, stderr, error } = spawnSync(tool, [...args], {
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${tool} ended with ${status}: ${stderr}`);
  return stdout;
}
