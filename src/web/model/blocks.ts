// What is there to draw of a board, and in which state is each stream?
import type {
  AssignedStream,
  BoardWorker,
  ShownBoard,
  WorkerState,
} from '../../api/introspection.ts';

/**
 * Confirmed: its worker says that it runs it. Waiting: the worker has not said so yet. Stuck: it
 * should have by now. Leaving: it was taken from its worker, which has not released it.
 */
export type BlockState = 'confirmed' | 'waiting' | 'stuck' | 'leaving';

export type Block = {
  readonly name: string;
  readonly worker: string;
  readonly weight: number;
  readonly state: BlockState;
  /** The part of its worker's capacity that it reserves, 0 to 1. */
  readonly share: number;
};

export type Column = {
  readonly worker: BoardWorker;
  readonly tone: Tone;
  readonly blocks: readonly Block[];
};

/** How a worker is doing, for the eye. */
export type Tone = 'good' | 'busy' | 'bad' | 'away' | 'quiet';

const tones: Readonly<Record<WorkerState, Tone>> = {
  Converged: 'good',
  Refreshing: 'busy',
  Releasing: 'busy',
  Pending: 'away',
  Missing: 'bad',
  Stuck: 'bad',
  Cordoned: 'quiet',
};

export function columnsOf({ workers, capacity }: ShownBoard): readonly Column[] {
  const elsewhere = new Set(
    workers.first.flatMap(({ assigned = [] }) => assigned.map(({ name }) => name)),
  );
  return workers.first.map((worker) => ({
    worker,
    tone: tones[worker.state],
    blocks: blocksOf(worker, capacity, elsewhere),
  }));
}

/** A stream is drawn once: not as leaving if another worker has it already. */
function blocksOf(
  worker: BoardWorker,
  capacity: number,
  elsewhere: ReadonlySet<string>,
): readonly Block[] {
  const assigned = (worker.assigned ?? []).map((stream): Block => {
    const { name, weight } = stream;
    const share = capacity > 0 ? Math.min(1, weight / capacity) : 0;
    return { name, worker: worker.name, weight, share, state: stateOf(worker, stream) };
  });
  const left = (worker.leaving ?? []).filter((name) => !elsewhere.has(name));
  const leaving = left.map(
    (name): Block => ({ name, worker: worker.name, weight: 0, share: 0, state: 'leaving' }),
  );
  // The heaviest first; the rest keeps the order of names, so that no block moves without a reason.
  return [...assigned.toSorted((a, b) => b.weight - a.weight), ...leaving];
}

export function stateOf(
  { state }: Pick<BoardWorker, 'state'>,
  { isRunning = state === 'Converged' || state === 'Cordoned' }: AssignedStream,
): BlockState {
  if (isRunning) return 'confirmed';
  return tones[state] === 'bad' ? 'stuck' : 'waiting';
}

export const stateText: Readonly<Record<BlockState, string>> = {
  confirmed: 'confirmed',
  waiting: 'not confirmed yet',
  stuck: 'stuck',
  leaving: 'being let go',
};
