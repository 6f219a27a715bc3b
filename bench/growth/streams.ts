// How does the cost of one pool grow from a hundred streams to the most that a pool may have? Only
// the pure core: no network, no API server.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MOST_STREAMS } from '../../src/api/bounds.ts';
import type { StreamReport } from '../../src/api/reported-streams.ts';
import { readStreamList } from '../../src/api/stream-list.ts';
import { decidePool } from '../../src/pool/decide.ts';
import type { NamedList, PoolWorld } from '../../src/pool/world.ts';
import { carriedOut, confirmed } from '../../test/support/pool-decisions.ts';
import { NOW, world } from '../../test/support/pool-worlds.ts';

export const STREAMS = [100, 1_000, 10_000, 100_000, MOST_STREAMS] as const;
/** Names of 13 characters: this many fill a ConfigMap. */
const PER_LIST = 70_000;
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

const workersFor = (streams: number): number => Math.min(1_000, Math.max(5, streams / 200));

const namesOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `stream-${String(index).padStart(6, '0')}`);

function listsOf(names: readonly string[]): readonly NamedList[] {
  const count = Math.ceil(names.length / PER_LIST);
  return Array.from({ length: count }, (_, list) => {
    const text = names.filter((_, index) => index % count === list).join('\n');
    return { source: `list-${list}/all`, read: readStreamList(text, `list-${list}/all`) };
  });
}

export function costOf(streams: number): Cost {
  const heapBefore = heapMiB();
  const workers = workersFor(streams);
  const names = namesOf(streams);
  const { ms: readMs, result: lists } = used(1, () => listsOf(names));
  const { at, shards, firstMs } = published(lists, workers);
  mustPublish(at, streams);
  const rest = confirmed(at);
  decidePool(rest, NOW);
  // A new world with the same contents each time, so that memoised results do not count.
  const { ms: restMs } = used(5, () => decidePool({ ...rest }, NOW));
  const failing = told(failingIn(rest));
  const { ms: failingMs, result: again } = used(5, () => decidePool({ ...failing }, NOW));
  if (again.steps.some(({ do: what }) => what === 'status'))
    throw new Error('streams that go on to fail cost a write of status');
  const edited = {
    ...rest,
    lists: [...lists.slice(1), ...listsOf(['renamed', ...firstOf(lists).slice(1)])],
  };
  const { ms: editMs, result } = used(5, () => decidePool({ ...edited }, NOW));
  if (!result.steps.some(({ do: what }) => what === 'patch'))
    throw new Error('the edit of one stream is not published');
  const heap = heapMiB() - heapBefore;
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
    editBytes: result.steps.reduce(
      (sum, step) => sum + (step.do === 'patch' ? JSON.stringify(step.body).length : 0),
      0,
    ),
    heapMiB: heap,
  };
}

/** A pool that is refused costs nothing. */
function mustPublish({ published: { shards } }: PoolWorld, streams: number): void {
  const texts = shards.map(({ configMap, key }) => configMap.data[key] ?? '');
  const count = texts.reduce((sum, text) => sum + (text.match(/stream-\d{6}/g)?.length ?? 0), 0);
  if (count !== streams) throw new Error(`${count} of ${streams} streams are published`);
}

const told = (at: PoolWorld): PoolWorld => carriedOut(at, decidePool(at, NOW));

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

function firstOf([list]: readonly NamedList[]): readonly string[] {
  return list?.read?.ok === true ? list.read.streams.map(({ name }) => name) : [];
}

/**
 * Processor time of this process with its garbage collection: the median of several runs, on a
 * machine with any load.
 */
function used<T>(runs: number, work: () => T): { readonly ms: number; readonly result: T } {
  const once = (): { readonly ms: number; readonly result: T } => {
    const before = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(before);
    return { ms: (user + system) / 1000, result };
  };
  const first = once();
  const others = Array.from({ length: runs - 1 }, () => once());
  return [first, ...others].sort((a, b) => a.ms - b.ms)[Math.floor(runs / 2)] ?? first;
}

function heapMiB(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed / MIB;
}
