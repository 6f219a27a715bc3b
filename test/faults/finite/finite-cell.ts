// A cell whose streams are work that ends: each when the test says so, and then with exit code 0.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Cell, RECORD } from '../cell.ts';
import { base } from '../states.ts';

/** Where its file is there already, it ends at once. */
const WORK = `${RECORD}; while [ ! -e "$0/$1.end" ]; do sleep 0.1; done`;

export const WORKERS = 2;

export class FiniteCell extends Cell {
  createWork(): Promise<void> {
    return this.create({
      streams: base,
      workers: WORKERS,
      worker: { args: ['--', 'sh', '-c', WORK, this.records, '{stream}'] },
      spec: { streamPolicy: { completion: 'Once' } },
    });
  }

  finish(...streams: readonly string[]): void {
    for (const stream of streams) writeFileSync(path.join(this.records, `${stream}.end`), '');
  }

  /** Recorded, and gone from their workers. */
  async untilCompleted(count: number): Promise<void> {
    await this.pool.until(
      `has ${count} completed streams`,
      ({ streams, replicas, convergedReplicas }) =>
        streams?.completed === count && convergedReplicas === replicas,
      60,
    );
  }
}
