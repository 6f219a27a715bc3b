// How does the cost of one pool grow from a hundred streams to the most that a pool may have? Only
// the pure core: no network, no API server.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MOST_STREAMS } from '../../src/api/bounds.ts';
import type { StreamReport } from '../../src/api/reported-streams.ts';
import { rereadStreamList } from '../../src/api/reread-list.ts';
import { readStreamList } from '../../src/api/stream-list.ts';
import { decidePool } from '../../src/pool/decide.ts';
import type { NamedList } from '../../src/pool/streams/streams.ts';
import type { PoolWorld } from '../../src/pool/world.ts';
import { carriedOut, confirmed, readBack } from '../../test/support/pool-decisions.ts';
import { NOW, world } from '../../test/support/pool-worlds.ts';

export const STREAMS = [100, 1_000, 10_000, 100_000, MOST_STREAMS] as const;
/** Names of 13 characters: this many fill a ConfigMap. */
const PER_LIST = 70_000;
/** An odd number: the median is one of them. */
const RUNS = 15;
const MIB = 1024 * 1024;

export type Cost = {
  readonly streams: number;
  readonly workers: number;
  /** The number that the operator recommends. */
  readonly shards: number;
  readonly readMs: number;
  /** All streams are new: assigned, and written as text. */
  readonly firstMs: number;
  /** One stream is renamed. */
  readonly editMs: number;
  readonly restMs: number;
  /** One stream in a hundred fails, which status has already. */
  readonly failingMs: number;
  readonly publishedBytes: number;
  readonly editBytes: number;
  readonly heapMiB: number;
};

const workersFor = (streams: number): number => Math.min(1_000, Math.max(5, streams / 100));

const namesOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `stream-${String(index).padStart(6, '0')}`);

function listsOf(names: readonly string[]): readonly NamedList[] {
  const count = Math.ceil(names.length / PER_LIST);
  return Array.from({ length: count }, (_, list) => {
    const source = `list-${list}/all`;
    return { source, read: readStreamList(textOf(names, list), source) };
  });
}

function textOf(names: readonly string[], list: number): string {
  const count = Math.ceil(names.length / PER_LIST);
  return names.filter((_, index) => index % count === list).join('\n');
}

/** One edit after the other: each is read, decided, published and confirmed. */
function editsOf(rest: PoolWorld, names: readonly string[]): { ms: number; bytes: number } {
  const costs: number[] = [];
  let bytes = 0;
  // No edit waits for the next: a minute lies between two.
  let at: PoolWorld = { ...rest, ages: { ...rest.ages, publishedMs: 60_000 } };
  let text = textOf(names, 0);
  for (let run = 0; run < RUNS; run += 1) {
    const before = text;
    const lines = before.split('\n');
    const name = lines[Math.floor((run * lines.length) / RUNS)] ?? '';
    // As from the API server: in one piece.
    text = Buffer.from(before.replace(name, `renamed-${run}`)).toString();
    const { ms, result } = used(1, () => {
      const lists = at.lists.map((list, index) =>
        index === 0 ? reread(list, before, text) : list,
      );
      const edited = { ...at, lists };
      return { edited, decision: decidePool(edited, NOW) };
    });
    const patches = result.decision.steps.filter(({ do: what }) => what === 'patch');
    if (patches.length !== 1) throw new Error('the edit of one stream is not published');
    costs.push(ms);
    bytes = JSON.stringify(patches).length;
    at = told(told(confirmed(readBack(result.edited, result.decision))));
  }
  return { ms: costs.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0, bytes };
}

function reread(list: NamedList, before: string, text: string): NamedList {
  const read = list.read && rereadStreamList(text, list.source, { text: before, read: list.read });
  if (read === undefined) throw new Error('the edited list is read as a whole');
  return { ...list, read };
}

export function costOf(streams: number): Cost {
  const heapBefore = heapMiB();
  const workers = workersFor(streams);
  const names = namesOf(streams);
  const { ms: readMs, result: lists } = used(1, () => listsOf(names));
  const { at, shards, firstMs } = published(lists, workers);
  mustPublish(at, streams);
  // What the last decisions have found is known, as in the operator.
  const rest = told(told(confirmed(at)));
  const { ms: restMs } = used(RUNS, () => decidePool(rest, NOW));
  const failing = told(failingIn(rest));
  const { ms: failingMs, result: again } = used(RUNS, () => decidePool(failing, NOW));
  if (again.steps.some(({ do: what }) => what === 'status'))
    throw new Error('streams that go on to fail cost a write of status');
  const heap = heapMiB() - heapBefore;
  const { ms: editMs, bytes: editBytes } = editsOf(rest, names);
  return {
    streams,
    workers,
    shards,
    readMs,
    firstMs,
    editMs,
    restMs,
    failingMs,
    publishedBytes: at.published.shards.reduce(
      (sum, { configMap, key }) => sum + Buffer.byteLength(configMap.data[key] ?? ''),
      0,
    ),
    editBytes,
    heapMiB: heap,
  };
}

/** A pool that is refused costs nothing. */
function mustPublish({ published: { shards } }: PoolWorld, streams: number): void {
  const texts = shards.map(({ configMap, key }) => configMap.data[key] ?? '');
  const count = texts.reduce((sum, text) => sum + (text.match(/stream-\d{6}/g)?.length ?? 0), 0);
  if (count !== streams) throw new Error(`${count} of ${streams} streams are published`);
}

const told = (at: PoolWorld): PoolWorld => readBack(at, decidePool(at, NOW));

/** The first streams of each worker that answers. */
function failingIn(at: PoolWorld): PoolWorld {
  const answers = Object.entries(at.answers).map(([uid, answer]) => {
    if (!answer.ok) return [uid, answer] as const;
    const { jobs = [] } = answer.report;
    const report: StreamReport = { state: 'Restarting', restarts: 7, message: 'exit code 1' };
    const streams = Object.fromEntries(
      jobs.slice(0, Math.ceil(jobs.length / 100)).map((stream) => [stream, report]),
    );
    return [uid, { ok: true, report: { ...answer.report, streams } } as const] as const;
  });
  return { ...at, answers: Object.fromEntries(answers) };
}

/** Follows the operator's own advice on the number of ConfigMaps. */
function published(
  lists: readonly NamedList[],
  workers: number,
): { readonly at: PoolWorld; readonly shards: number; readonly firstMs: number } {
  let shards = 1;
  for (;;) {
    const spec = { streams: [], assignments: { shards } };
    const at: PoolWorld = { ...world({ streams: [], workers, spec }), lists };
    const { ms: firstMs, result: decision } = used(1, () => decidePool(at, NOW));
    const enough = decision.steps.flatMap((step) =>
      step.do === 'status'
        ? [/shards: (\d+) is enough/.exec(JSON.stringify(step.status))?.[1]]
        : [],
    )[0];
    if (enough === undefined) return { at: carriedOut(at, decision), shards, firstMs };
    shards = Number(enough);
  }
}

/**
 * Processor time of this process with its garbage collection: the median of several runs, on a
 * machine with any load.
 */
function used<T>(
  runs: number,
  work: (run: number) => T,
): { readonly ms: number; readonly result: T } {
  const once = (run: number): { readonly ms: number; readonly result: T } => {
    const before = process.cpuUsage();
    const result = work(run);
    const { user, system } = process.cpuUsage(before);
    return { ms: (user + system) / 1000, result };
  };
  const first = once(0);
  const others = Array.from({ length: runs - 1 }, (_, run) => once(run + 1));
  return [first, ...others].sort((a, b) => a.ms - b.ms)[Math.floor(runs / 2)] ?? first;
}

function heapMiB(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed / MIB;
}
