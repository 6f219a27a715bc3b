// Does a decision about very many streams pause on its way, so that other work can go first?
import { describe, expect, it } from '@jest/globals';
import type { PoolStream } from '../../../src/api/validate.ts';
import { runToEnd, type Work } from '../../../src/core/work.ts';
import { problemOf } from '../../../src/pool/assign/problem/pose.ts';
import { decideInTurns, decidePool } from '../../../src/pool/decide.ts';
import { removalInTurns } from '../../../src/pool/streams/removal.ts';
import type { NamedList } from '../../../src/pool/streams/streams.ts';
import { carriedOut } from '../../support/pool-decisions.ts';
import { NOW, world } from '../../support/pool-worlds.ts';

const STREAMS = 20_000;

/** Streams that count how often their names are read. */
class CountedNames {
  #reads = 0;
  readonly streams = Array.from({ length: STREAMS }, (_, index) => this.#stream(`s${index}`));

  /** The most reads between two pauses, and all. */
  in(work: Work<unknown>): { readonly most: number; readonly all: number } {
    let [most, before] = [0, this.#reads];
    const first = before;
    for (const _ of work) {
      most = Math.max(most, this.#reads - before);
      before = this.#reads;
    }
    return { most: Math.max(most, this.#reads - before), all: this.#reads - first };
  }

  #stream(name: string) {
    const read = (): string => {
      this.#reads += 1;
      return name;
    };
    return {
      ...{ weight: 0, priority: 0 },
      get name() {
        return read();
      },
    };
  }
}

const listOf = (streams: readonly PoolStream[]): NamedList => ({
  source: 'list/all',
  read: { ok: true, streams, lines: Int32Array.from(streams.keys()) },
});

describe('a decision about 20,000 streams', () => {
  it('the lists are joined with a pause after each thousand streams', () => {
    const names = new CountedNames();
    const { streams } = names;
    const at = { ...world({ streams: [] }), lists: [listOf(streams)] };
    const { most, all } = names.in(decideInTurns(at, NOW));
    expect(all).toBeGreaterThan(STREAMS);
    expect(most).toBeLessThan(5_000);
  });

  it('a list that has lost all published streams is compared with a pause after each thousand', () => {
    const before = Array.from({ length: STREAMS }, (_, index) => `old-${index}`);
    const start = world({ streams: [], workers: 2 });
    const at = {
      ...start,
      lists: [listOf(before.map((name) => ({ name, weight: 0, priority: 0 })))],
    };
    const published = carriedOut(at, decidePool(at, NOW));
    const names = new CountedNames();
    const { spec } = published.pool;
    if (!spec.ok) throw new Error('the spec is invalid');
    const compared = () => removalInTurns(published, spec.value, names.streams);
    const { most, all } = names.in(compared());
    expect(runToEnd(compared())).toMatchObject({ state: 'Held', held: { size: STREAMS } });
    // The second time it was known.
    expect(names.in(compared()).all).toBe(0);
    expect(all).toBeGreaterThan(STREAMS);
    expect(most).toBeLessThan(5_000);
  });

  it('the workers of streams that were rearranged are found with a pause after each thousand', () => {
    const names = new CountedNames();
    const previous = names.streams.map(({ name }) => name).reverse();
    const input = {
      streams: names.streams,
      workers: [{ name: 'worker-0', ordinal: 0, isCordoned: false }],
      previous: new Map([['worker-0', previous]]),
      ...{ capacity: 100, overcommit: false, rebalances: true, maxMoves: undefined },
    };
    const { most, all } = names.in(problemOf(input));
    expect(all).toBeGreaterThan(STREAMS);
    expect(most).toBeLessThan(2_000);
    expect(runToEnd(problemOf(input)).problem.before.every((worker) => worker === 0)).toBe(true);
  });
});
