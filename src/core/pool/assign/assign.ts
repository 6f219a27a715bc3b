// Who should consume what? Deterministic, balanced, and with the fewest moves from the assignment before.

export type AssignInput = {
  /** Unique names, in list order. */
  readonly streams: readonly string[];
  /** The workers that may be given something, in their order. */
  readonly workers: readonly string[];
  readonly previous: ReadonlyMap<string, readonly string[]>;
};

export type Unassigned = { readonly name: string; readonly reason: string; readonly message: string };

export type AssignResult = {
  readonly jobs: ReadonlyMap<string, readonly string[]>;
  readonly unassigned: readonly Unassigned[];
};

const NOBODY = -1;

/**
 * Sizes differ by at most one. A stream stays where it was unless its worker is gone or carries more than its share; so the moves are
 * the fewest that balance allows. From nothing, streams are dealt out in contiguous runs in list order.
 */
export function assign({ streams, workers, previous }: AssignInput): AssignResult {
  if (workers.length === 0) {
    const message = 'there is no worker to give it to';
    return { jobs: new Map(), unassigned: streams.map((name) => ({ name, reason: 'NoWorkers', message })) };
  }
  const owner = previousOwners(streams, workers, previous);
  const counts = countByWorker(owner, workers.length);
  const shares = sharesOf(streams.length, counts);
  releaseExcess(owner, counts, shares);
  fillUp(owner, counts, shares);
  return { jobs: byWorker(streams, workers, owner), unassigned: [] };
}

/** Per stream, the index of the worker that has it already. The first worker in order counts where two claim it. */
function previousOwners(streams: readonly string[], workers: readonly string[], previous: AssignInput['previous']): Int32Array {
  const owner = new Int32Array(streams.length).fill(NOBODY);
  const position = new Map<string, number>();
  for (let at = 0; at < streams.length; at += 1) position.set(streams[at] ?? '', at);
  for (let worker = 0; worker < workers.length; worker += 1) {
    for (const job of previous.get(workers[worker] ?? '') ?? []) {
      const at = position.get(job);
      if (at !== undefined && owner[at] === NOBODY) owner[at] = worker;
    }
  }
  return owner;
}

function countByWorker(owner: Int32Array, workers: number): Int32Array {
  const counts = new Int32Array(workers);
  for (const worker of owner) if (worker !== NOBODY) counts[worker] = (counts[worker] ?? 0) + 1;
  return counts;
}

/**
 * How many each worker is to have: the same for all, and one more for as many as remain. Those that already have more keep it, so that
 * the one stream too many does not travel.
 */
function sharesOf(streams: number, counts: Int32Array): Int32Array {
  const even = Math.floor(streams / counts.length);
  const extra = streams % counts.length;
  const shares = new Int32Array(counts.length).fill(even);
  const order = Array.from(counts.keys());
  const gain = (worker: number): number => Math.min(counts[worker] ?? 0, even + 1);
  order.sort((a, b) => gain(b) - gain(a) || a - b);
  for (const worker of order.slice(0, extra)) shares[worker] = even + 1;
  return shares;
}

/** The last in list order go first: a list that grows at its end disturbs its beginning least. */
function releaseExcess(owner: Int32Array, counts: Int32Array, shares: Int32Array): void {
  for (let at = owner.length - 1; at >= 0; at -= 1) {
    const worker = owner[at] ?? NOBODY;
    if (worker === NOBODY || (counts[worker] ?? 0) <= (shares[worker] ?? 0)) continue;
    owner[at] = NOBODY;
    counts[worker] = (counts[worker] ?? 0) - 1;
  }
}

function fillUp(owner: Int32Array, counts: Int32Array, shares: Int32Array): void {
  let worker = 0;
  for (let at = 0; at < owner.length; at += 1) {
    if (owner[at] !== NOBODY) continue;
    while ((counts[worker] ?? 0) >= (shares[worker] ?? 0)) worker += 1;
    owner[at] = worker;
    counts[worker] = (counts[worker] ?? 0) + 1;
  }
}

function byWorker(streams: readonly string[], workers: readonly string[], owner: Int32Array): ReadonlyMap<string, readonly string[]> {
  const lists: string[][] = workers.map(() => []);
  for (let at = 0; at < streams.length; at += 1) lists[owner[at] ?? NOBODY]?.push(streams[at] ?? '');
  return new Map(workers.map((worker, index) => [worker, lists[index] ?? []]));
}
