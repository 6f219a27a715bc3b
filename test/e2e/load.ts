// A pool whose list changes all the time, while some streams stay: nothing may happen to their
// processes.
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from '../integration/support/pool.ts';
import { names } from '../integration/support/shape.ts';
import { eventually } from '../support/processes.ts';
import type { Recorder } from './recorder.ts';
import type { World } from './world.ts';

const pauseMs = 200;
const passing = 5;

export class Load {
  readonly pool: Pool;
  readonly recorder: Recorder;
  readonly #staying: readonly string[];
  #edits = 0;
  #lately: readonly string[];
  readonly #versions: number[] = [];
  #running: Promise<void> | undefined;
  #isStopping = false;

  private constructor(pool: Pool, recorder: Recorder, staying: readonly string[]) {
    this.pool = pool;
    this.recorder = recorder;
    this.#staying = staying;
    this.#lately = names(passing, 'passing-');
  }

  static async on(world: World, namespace: string, workers: number): Promise<Load> {
    const staying = names(15, 'staying-');
    const streams = [...staying, ...names(passing, 'passing-')];
    const [pool, recorder] = await world.recordedPool(namespace, { streams, workers });
    await pool.converged(streams, workers, 120);
    // A worker confirms once a process exists; the process writes its file a moment later.
    const isWritten = (stream: string): boolean =>
      recorder.runs().some((run) => run.stream === stream);
    await eventually('every stream has recorded that it runs', () => streams.every(isWritten));
    return new Load(pool, recorder, staying);
  }

  get streams(): readonly string[] {
    return [...this.#staying, ...this.#lately];
  }

  /** In the order in which they were seen. */
  get versions(): readonly number[] {
    return this.#versions;
  }

  get edits(): number {
    return this.#edits;
  }

  /**
   * One process for each stream that stays, from the beginning to the end: its worker, and when it
   * started.
   */
  stayed(): readonly string[] {
    return this.recorder
      .runs()
      .filter(({ stream }) => this.#staying.includes(stream))
      .map(({ stream, worker, startMs }) => `${stream} at ${worker} since ${startMs}`)
      .sort();
  }

  /** As many streams are added as removed, so that the others need not move. */
  async edit(): Promise<void> {
    const next = names(passing, `edit${this.#edits}-`);
    await this.pool.streams([...this.#staying, ...next]);
    this.#edits += 1;
    this.#lately = next;
  }

  begin(): void {
    this.#isStopping = false;
    this.#running = this.#goOn();
  }

  async end(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  /** The story may have stopped the API server: the edit is tried again. */
  async #goOn(): Promise<void> {
    while (!this.#isStopping) {
      await this.edit().catch(() => undefined);
      const published = await this.pool.published().catch(() => undefined);
      if (published !== undefined) this.#versions.push(published.version);
      await delay(pauseMs);
    }
  }
}

/** Versions that are lower than the one before. */
export const falls = (versions: readonly number[]): readonly string[] =>
  versions.flatMap((version, index) => {
    const before = versions[index - 1] ?? 0;
    return version < before ? [`${before} -> ${version}`] : [];
  });
