// Which blocks does a board have, in which state is each stream, and which streams have moved?
import type {
  AssignedStream,
  BoardWorker,
  ShownBoard,
  WorkerState,
} from '../../api/introspection.ts';

/**
 * Confirmed: the worker reports that it runs the stream. Waiting: the worker has not reported it
 * yet. Stuck: the worker should have reported it by now. Leaving: the stream was taken from its
 * worker, which has not released it. Failing, suspended, completed: as the worker reports. Down:
 * the worker is down.
 */
export type BlockState =
  | 'confirmed'
  | 'waiting'
  | 'stuck'
  | 'failing'
  | 'down'
  | 'suspended'
  | 'completed'
  | 'leaving';

export type Block = {
  readonly name: string;
  readonly worker: string;
  readonly weight: number;
  readonly state: BlockState;
  /** The part of its worker's capacity that it reserves, 0 to 1. */
  readonly share: number;
  /** Why the stream fails, in its own words. */
  readonly message?: string;
};

export type Column = {
  readonly worker: BoardWorker;
  readonly tone: Tone;
  readonly blocks: readonly Block[];
};

/** The state of a worker, as a colour. */
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
    tone: worker.failing === undefined && worker.isDown !== true ? tones[worker.state] : 'bad',
    blocks: blocksOf(worker, capacity, elsewhere),
  }));
}

/** A stream is drawn once: not as leaving if another worker already has it. */
function blocksOf(
  worker: BoardWorker,
  capacity: number,
  elsewhere: ReadonlySet<string>,
): readonly Block[] {
  const assigned = (worker.assigned ?? []).map((stream): Block => {
    const { name, weight } = stream;
    const share = capacity > 0 ? Math.min(1, weight / capacity) : 0;
    const state = stateOf(worker, stream);
    const message = state === 'failing' ? failureText(stream) : undefined;
    return {
      ...{ name, worker: worker.name, weight, share, state },
      ...(message !== undefined && { message }),
    };
  });
  const left = (worker.leaving ?? []).filter((name) => !elsewhere.has(name));
  const leaving = left.map(
    (name): Block => ({ name, worker: worker.name, weight: 0, share: 0, state: 'leaving' }),
  );
  // The heaviest first; all others stay in the order of names, so that no block moves without a
  // reason.
  return [...assigned.toSorted((a, b) => b.weight - a.weight), ...leaving];
}

export function stateOf({ state }: Pick<BoardWorker, 'state'>, stream: AssignedStream): BlockState {
  const { isRunning = state === 'Converged' || state === 'Cordoned' } = stream;
  const told = toldStates.get(stream.state);
  if (told !== undefined) return told;
  if (isRunning) return 'confirmed';
  return tones[state] === 'bad' ? 'stuck' : 'waiting';
}

/** A stream that is about to start or to stop is drawn as its worker last confirmed. */
const toldStates: ReadonlyMap<AssignedStream['state'], BlockState> = new Map([
  ['Restarting', 'failing'],
  ['Failed', 'failing'],
  ['Down', 'down'],
  ['Suspended', 'suspended'],
  ['Completed', 'completed'],
]);

/** Undefined: the worker reports no reason, or too many streams fail for a reason of each. */
const failureText = ({ state, message }: AssignedStream): string | undefined =>
  state === 'Failed' ? `gave up restarting${message === undefined ? '' : `: ${message}`}` : message;

/** The failing streams, and the workers that have them. */
export const onlyFailing = (columns: readonly Column[]): readonly Column[] =>
  columns.flatMap((column) => {
    const blocks = column.blocks.filter(({ state }) => state === 'failing');
    const fails = blocks.length > 0 || column.worker.failing !== undefined;
    return fails ? [{ ...column, blocks }] : [];
  });

export const stateText: Readonly<Record<BlockState, string>> = {
  confirmed: 'confirmed',
  waiting: 'not confirmed yet',
  stuck: 'stuck',
  failing: 'failing',
  down: 'worker is down',
  suspended: 'suspended',
  completed: 'completed',
  leaving: 'being released',
};

export type Travel = { readonly stream: string; readonly from: string; readonly to: string };

export const workersIn = (columns: readonly Column[]): ReadonlyMap<string, string> =>
  new Map(
    columns.flatMap(({ blocks }) => blocks.map(({ name, worker }) => [name, worker] as const)),
  );

/** Moves from one worker to another: new and removed streams do not travel. */
export function travelsBetween(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly Travel[] {
  return [...after].flatMap(([stream, to]) => {
    const from = before.get(stream);
    return from === undefined || from === to ? [] : [{ stream, from, to }];
  });
}

/** For boards without names of streams: the moves of the change that has just come into force. */
export function travelsOf(before: ShownBoard | undefined, after: ShownBoard): readonly Travel[] {
  const { lastChange } = after;
  const isNew =
    before !== undefined &&
    lastChange !== undefined &&
    before.version < lastChange.version &&
    lastChange.version <= after.version;
  if (!isNew) return [];
  return lastChange.moves.first.flatMap(({ stream, from, to }) =>
    from === undefined || to === undefined ? [] : [{ stream, from, to }],
  );
}
