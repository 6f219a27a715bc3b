// What is a fault? A function that makes a change while it injects a failure, and resolves when the
// failure is over.
import { eventually } from '../../support/processes.ts';
import type { Cell } from '../cell.ts';
import type { Goal } from '../checks.ts';
import type { Call } from '../proxy/call.ts';
import type { Rule } from '../proxy/proxy.ts';
import type { ReplicaOptions } from '../replica.ts';

export type Fault = {
  /** The operators that run before it; left out: one without leader election. */
  readonly replicas?: readonly Pick<ReplicaOptions, 'isElected' | 'environment'>[];
  readonly inject: (cell: Cell, act: () => Promise<Goal>) => Promise<Goal>;
};

/** A fault that hit no call would prove nothing. */
export async function untilInjected(cell: Cell, times: number, seconds = 60): Promise<void> {
  const before = cell.injections;
  const wanted = before + times;
  await eventually(
    `${cell.namespace}: the fault was injected ${times} times`,
    () => cell.injections >= wanted,
    seconds,
  );
}

/** Applies these rules while the change is made, until they have been applied this often. */
export const duringChange = (times: number, ...rules: readonly Rule[]): Fault => ({
  inject: async (cell, act) => {
    cell.proxy.addRules(...rules);
    const injected = untilInjected(cell, times);
    const [goal] = await Promise.all([act(), injected]);
    cell.proxy.heal();
    return goal;
  },
});

export const isWrite = ({ isWrite }: Call): boolean => isWrite;
export const writes =
  (resource: string) =>
  (call: Call): boolean =>
    call.isWrite && call.resource === resource;
export const isList = ({ verb }: Call): boolean => verb === 'list';
export const isWatch = ({ verb }: Call): boolean => verb === 'watch';
