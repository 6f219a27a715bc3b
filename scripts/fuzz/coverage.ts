// Which blocks of source have run? V8 counts them; the source is not instrumented.
import { readFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { pathToFileURL } from 'node:url';

/**
 * The coverage of one file, by character. Node replaces types by blanks, so V8's offsets are those
 * of the source.
 */
type Painted = {
  readonly text: string;
  readonly hasRun: Uint8Array;
  readonly bounds: Set<number>;
  /**
   * The most paths through one function that are worth an input each, although their blocks are
   * known.
   */
  readonly mostWays: number;
  /** The paths that were seen through each function, by its start offset. */
  readonly ways: Map<number, Set<string>>;
};

/** In the target's own files; in its guides a new block counts, and a new path does not. */
const MOST_WAYS = 16;

export type FileCoverage = {
  readonly file: string;
  readonly blocks: number;
  readonly reached: number;
  readonly unreached: readonly string[];
};

export class Coverage {
  readonly #session = new Session();
  readonly #files = new Map<string, Painted>();

  /** Must be made before those files are loaded. */
  constructor(root: string, files: readonly string[], guides: readonly string[]) {
    for (const file of [...files, ...guides]) {
      const text = readFileSync(root + file, 'utf8');
      this.#files.set(pathToFileURL(root + file).href, {
        text,
        hasRun: new Uint8Array(text.length),
        bounds: new Set(),
        mostWays: files.includes(file) ? MOST_WAYS : 0,
        ways: new Map(),
      });
    }
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Has anything new run since the last call? It counts as new until `keep` is called. */
  take(): Taken {
    const news: New[] = [];
    // An in-process session calls back synchronously.
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error;
      for (const script of result) {
        const painted = this.#files.get(script.url);
        if (painted !== undefined)
          for (const it of script.functions) news.push(...newIn(painted, it, script.functions));
      }
    });
    return { isNew: news.some(({ isWorthIt }) => isWorthIt), keep: () => news.forEach(keep) };
  }

  of(root: string, file: string): FileCoverage {
    const painted = this.#files.get(pathToFileURL(root + file).href);
    if (painted === undefined) throw new Error(`${file} is not measured`);
    return { file, ...blocksOf(painted) };
  }

  close(): void {
    this.#session.disconnect();
  }
}

type New = {
  readonly painted: Painted;
  readonly start: number;
  readonly way: string;
  readonly ranges: readonly Profiler.CoverageRange[];
  readonly isWorthIt: boolean;
};
export type Taken = { readonly isNew: boolean; readonly keep: () => void };

function newIn(
  painted: Painted,
  { ranges }: Profiler.FunctionCoverage,
  all: readonly Profiler.FunctionCoverage[],
): readonly New[] {
  const [whole] = ranges;
  if (whole === undefined) return [];
  const start = whole.startOffset;
  const way = ranges
    .map(
      ({ startOffset, endOffset, count }) => `${startOffset}${count > 0 ? '+' : '-'}${endOffset}`,
    )
    .join();
  const ways = painted.ways.get(start);
  if (ways?.has(way) === true) return [];
  // V8 reports nested functions on their own.
  const inner = all.flatMap(({ ranges: [its] }) =>
    its !== undefined &&
    its !== whole &&
    its.startOffset >= start &&
    its.endOffset <= whole.endOffset
      ? [{ ...its, count: 0 }]
      : [],
  );
  const outer = [...ranges, ...inner];
  const isNewBlock = executedRanges(outer).some(([from, to]) =>
    painted.hasRun.subarray(from, to).includes(0),
  );
  return [
    {
      painted,
      start,
      way,
      ranges: outer,
      isWorthIt: isNewBlock || (whole.count > 0 && (ways?.size ?? 0) < painted.mostWays),
    },
  ];
}

function keep({ painted: { hasRun, bounds, ways }, start, way, ranges }: New): void {
  ways.set(start, (ways.get(start) ?? new Set()).add(way));
  for (const { startOffset, endOffset } of ranges) bounds.add(startOffset).add(endOffset);
  for (const [from, to] of executedRanges(ranges)) hasRun.fill(1, from, to);
}

/** The parts of a function that ran: a nested range overrides the range around it. */
function executedRanges(
  ranges: readonly Profiler.CoverageRange[],
): readonly (readonly [from: number, to: number])[] {
  const start = ranges[0]?.startOffset ?? 0;
  const ran = new Uint8Array((ranges[0]?.endOffset ?? 0) - start);
  for (const { startOffset, endOffset, count } of ranges)
    ran.fill(count > 0 ? 1 : 0, startOffset - start, endOffset - start);
  const executed: (readonly [number, number])[] = [];
  for (let from = ran.indexOf(1); from >= 0; ) {
    const end = ran.indexOf(0, from);
    const to = end < 0 ? ran.length : end;
    executed.push([start + from, start + to]);
    from = end < 0 ? -1 : ran.indexOf(1, end);
  }
  return executed;
}

/**
 * A block lies between two offsets at which V8 ever began or ended a range; a block without a word
 * in it does not count.
 */
function blocksOf({ text, hasRun, bounds }: Painted): {
  readonly blocks: number;
  readonly reached: number;
  readonly unreached: readonly string[];
} {
  const offsets = [...bounds].sort((a, b) => a - b);
  const lines = new Set<number>();
  let blocks = 0;
  let reached = 0;
  for (const [index, from] of offsets.entries()) {
    const block = text.slice(from, offsets[index + 1] ?? text.length);
    const word = /\w/.exec(block)?.index;
    if (word === undefined) continue;
    blocks += 1;
    if (hasRun[from + word] === 1) reached += 1;
    else lines.add(text.slice(0, from + word).split('\n').length);
  }
  return { blocks, reached, unreached: joined([...lines]) };
}

/** 3, 4, 5, 9 -> 3-5, 9 */
function joined(lines: readonly number[]): readonly string[] {
  const runs: [from: number, to: number][] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last !== undefined && line <= last[1] + 1) last[1] = line;
    else runs.push([line, line]);
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`));
}
