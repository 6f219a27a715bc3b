// What is a fault while work ends? It says which streams have ended, and which of them run again.
import type { Fault } from '../faults/fault.ts';
import { base } from '../states.ts';
import { type FiniteCell, WORKERS } from './finite-cell.ts';

export type FiniteFault = Pick<Fault, 'replicas'> & {
  /** In the end these are recorded. */
  readonly done: readonly string[];
  /** Of these, no component knew that they had ended. */
  readonly again: readonly string[];
  /** Resolves when the failure is over, and all of them have ended once. */
  readonly inject: (cell: FiniteCell) => Promise<void>;
};

/** One at each worker. */
const both = [base[0] ?? '', base.at(-1) ?? ''];

export const whileTheyEnd = ({ inject, ...fault }: Fault): FiniteFault => ({
  ...fault,
  done: both,
  again: [],
  inject: async (cell) => {
    await inject(cell, async () => {
      cell.finish(...both);
      const streams = base.filter((name) => !both.includes(name));
      return { streams, workers: WORKERS, kept: streams };
    });
  },
});
