// Which streams may be in no ConfigMap of a pool between two writes of one version? Those that two
// ConfigMaps exchange: one of them has to be written first.
import type { Assignment } from '../../../src/api/assignment.ts';
import { streamsIn } from './published.ts';

type Names = ReadonlySet<string>;

type Written = { readonly before: Names; readonly after: Names; readonly completed: Names };

const nothing: Names = new Set();

export class Exchanges {
  /** By ConfigMap: the streams in it since its last write. */
  readonly #streams = new Map<string, Names>();
  #version = 0;
  /** By ConfigMap: the writes of this version. */
  readonly #writes = new Map<string, Written>();
  /** By stream that is in no ConfigMap: the one that it was in. */
  readonly #missing = new Map<string, string>();

  /** `missing`: streams that this write leaves in no ConfigMap. */
  onWrite(configMap: string, assignment: Assignment, missing: readonly string[]): void {
    this.#version = assignment.version;
    const before = this.#streams.get(configMap) ?? nothing;
    const after = streamsIn(assignment);
    const completed = new Set(assignment.completed?.keys());
    this.#writes.set(configMap, { before, after, completed });
    this.#streams.set(configMap, after);
    for (const stream of missing) this.#missing.set(stream, configMap);
  }

  get version(): number {
    return this.#version;
  }

  /** The version is written: streams that were missing without need. */
  end(): readonly string[] {
    const lost = [...this.#missing].filter(([stream, from]) => !this.#isExchanged(stream, from));
    this.#writes.clear();
    this.#missing.clear();
    return lost.map(([stream]) => stream);
  }

  #isExchanged(stream: string, from: string): boolean {
    // The record of what is done needs no room at a worker: it can be written first.
    if ([...this.#writes.values()].some(({ completed }) => completed.has(stream))) return false;
    const to = [...this.#writes].find(
      ([configMap, { after }]) => configMap !== from && after.has(stream),
    );
    if (to !== undefined) return this.#reachedFrom(to[0]).has(from);
    // The leader ended before it wrote the other one, which still has what it gives.
    const gained = [...(this.#writes.get(from)?.after ?? nothing)].filter(
      (it) => this.#writes.get(from)?.before.has(it) === false,
    );
    return [...this.#streams].some(
      ([configMap, streams]) =>
        !this.#writes.has(configMap) && gained.some((it) => streams.has(it)),
    );
  }

  /** The ConfigMaps that get streams of this one, and on from there. */
  #reachedFrom(start: string): ReadonlySet<string> {
    const reached = new Set([start]);
    for (const from of reached) {
      const { before = nothing, after = nothing } = this.#writes.get(from) ?? {};
      const given = [...before].filter((stream) => !after.has(stream));
      for (const [to, write] of this.#writes)
        if (given.some((it) => write.after.has(it) && !write.before.has(it))) reached.add(to);
    }
    return reached;
  }
}
