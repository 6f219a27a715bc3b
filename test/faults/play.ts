// What do all cells have in common: a fault that ends in time, the operators' logs when something
// fails, and an end.
import { eventually } from '../support/processes.ts';
import type { OperatedNamespace } from './operated-namespace.ts';

const LOG_CHARACTERS = 4_000;

type Within = <T>(fault: Promise<T>) => Promise<T>;

export async function playIn(
  cell: OperatedNamespace,
  faultSeconds: number,
  work: (within: Within) => Promise<void>,
): Promise<void> {
  try {
    await work((fault) => within(faultSeconds, `${cell.namespace}: the fault is over`, fault));
  } catch (error) {
    const logs = cell.replicas
      .map((replica) => replica.logs().slice(-LOG_CHARACTERS))
      .join('\n---\n');
    throw new Error(
      `${error instanceof Error ? error.message : String(error)}\n\nthe operators:\n${logs}`,
    );
  } finally {
    await cell.close();
  }
}

/** By the clock of all other waits. */
async function within<T>(seconds: number, what: string, work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  work.then(over, over);
  await eventually(what, () => isOver, seconds);
  return work;
}
