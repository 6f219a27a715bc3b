// One target, fuzzed for a while in a thread of its own with a bounded heap.
import { parentPort, workerData } from 'node:worker_threads';
import { Random } from '../../test/sim/random.ts';
import { root } from '../run.ts';
import { Coverage, type FileCoverage } from './coverage.ts';
import { InputSlot } from './input-slot.ts';
import { cpuMs, Stopwatch } from './stopwatch.ts';

export type Task = {
  readonly name: string;
  readonly files: readonly string[];
  readonly guides: readonly string[];
  readonly seed: number;
  readonly ms: number;
  readonly shared: SharedArrayBuffer;
  /** Only this input. */
  readonly input?: string | undefined;
};

export type Found = { readonly kind: string; readonly message: string; readonly input: string };
export type Report = {
  readonly executions: number;
  readonly cpuMs: number;
  readonly inputs: number;
  /** Processor time of the slowest reading. */
  readonly longestMs: number;
  readonly files: readonly FileCoverage[];
  readonly found: readonly Found[];
};

/** Inputs between two looks at the coverage: one look takes as long as ten inputs. */
const BATCH = 24;
/** The most processor time that one reading may take. */
const LONGEST_MS = 200;
/** An input that takes less than this with all its checks, under coverage, is not measured. */
const SUSPICIOUS_MS = 100;
const LONGEST_SHRINKING_MS = 5_000;
/** Longer inputs are not mutated: they are slow, and reach nothing that shorter ones do not. */
const LONGEST_CHANGED = 16_384;

const task: Task = workerData;
const slot = new InputSlot(task.shared);
const coverage = new Coverage(root, task.files, task.guides);
const { targets } = await import('../../test/fuzz/targets/all.ts');
const { tryInput } = await import('../../test/fuzz/try-input.ts');
const { Corpus } = await import('../../test/fuzz/corpus.ts');
const { shrink } = await import('../../test/fuzz/shrink.ts');
const { findings } = await import('../../test/fuzz/findings.ts');

const target = targets.find(({ name }) => name === task.name);
if (target === undefined) throw new Error(`no target ${task.name}`);
const corpus = new Corpus(target, new Random(task.seed).fork(task.name), findings(target.name));
const stopwatch = new Stopwatch(target.name);
const found = new Map<string, Found>();
let executions = 0;
let longestMs = 0;

type Outcome = { readonly outcome: string } | { readonly kind: string; readonly message: string };

async function attempt(input: string): Promise<Outcome> {
  slot.write(input);
  executions += 1;
  const before = cpuMs();
  const tried = await tryInput(target ?? never(), input);
  if ('finding' in tried) return tried.finding;
  const ms = cpuMs() - before > SUSPICIOUS_MS ? await stopwatch.measure(input) : 0;
  longestMs = Math.max(longestMs, ms);
  return ms > LONGEST_MS ? { kind: 'takes too long', message: `${ms.toFixed(0)} ms` } : tried;
}

async function take(input: string): Promise<void> {
  const outcome = await attempt(input);
  if ('outcome' in outcome) {
    if (input.length <= LONGEST_CHANGED) corpus.learn(input, outcome.outcome);
    return;
  }
  const { kind } = outcome;
  if (found.has(kind)) return;
  // Marked at once: the inputs that are tried while it is shrunk show the same finding.
  found.set(kind, { ...outcome, input });
  const shrinkUntil = cpuMs() + LONGEST_SHRINKING_MS;
  const showsToo = async (shorter: string): Promise<boolean> => {
    const its = await attempt(shorter);
    return 'kind' in its && its.kind === kind;
  };
  const shortest = await shrink(input, showsToo, () => cpuMs() < shrinkUntil);
  const shown = await attempt(shortest);
  found.set(kind, {
    kind,
    message: 'message' in shown ? shown.message : outcome.message,
    input: shortest,
  });
}

/** Keeps the inputs that reach a new block, to be mutated further. */
async function batch(inputs: readonly string[]): Promise<void> {
  for (const input of inputs) await take(input);
  const together = coverage.take();
  if (together.isNew && inputs.length > 1)
    await seek(inputs.filter(({ length }) => length <= LONGEST_CHANGED));
  // Blocks that ran only once (caches, lazy values) are marked as known.
  together.keep();
}

/**
 * Finds the inputs that reach it by bisection: a look at the coverage takes longer than an input.
 */
async function seek(inputs: readonly string[]): Promise<void> {
  for (const input of inputs) await tryInput(target ?? never(), input);
  const together = coverage.take();
  const [first, ...others] = inputs;
  if (!together.isNew || first === undefined) return;
  if (others.length === 0) {
    corpus.add(first);
    return together.keep();
  }
  const half = Math.ceil(inputs.length / 2);
  await seek(inputs.slice(0, half));
  await seek(inputs.slice(half));
}

/** Checks only that a large input is read in time and throws nothing. */
async function takeLarge(input: string): Promise<void> {
  slot.write(input);
  executions += 1;
  try {
    await (target ?? never()).read(input);
    const ms = await stopwatch.measure(input);
    longestMs = Math.max(longestMs, ms);
    if (ms > LONGEST_MS)
      found.set('takes too long', {
        kind: 'takes too long',
        message: `${ms.toFixed(0)} ms`,
        input,
      });
  } catch (error) {
    found.set('throws', { kind: 'throws', message: String(error), input });
  }
  coverage.take().keep();
}

const never = (): never => {
  throw new Error('unreachable');
};

coverage.take().keep();
const startedCpu = cpuMs();
const until = performance.now() + task.ms;
if (task.input !== undefined) await batch([task.input]);
else {
  // The seeds stay in the corpus even if they reach nothing new.
  for (const input of [...corpus.inputs]) await batch([input]);
  for (const input of target.large?.() ?? []) await takeLarge(input);
  while (performance.now() < until) await batch(Array.from({ length: BATCH }, () => corpus.next()));
}
const report: Report = {
  executions,
  cpuMs: cpuMs() - startedCpu,
  inputs: corpus.inputs.length,
  longestMs,
  files: task.files.map((file) => coverage.of(root, file)),
  found: [...found.values()],
};
coverage.close();
await stopwatch.close();
parentPort?.postMessage(report);
