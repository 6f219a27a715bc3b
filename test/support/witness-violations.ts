// Which observations of a witness are violations? A stream with two owners, and a status that
// claims health while something is wrong.

/** How long an answer counts from the time of its request. */
export const FRESH_MS = 300;
/** A witness that was delayed longer than this has a gap in its observations. */
export const LONGEST_GAP_MS = 600;
/** A status may not claim for longer than this what is not true. */
export const PATIENCE_MS = 2_000;

/**
 * The result of one request to a pod: `silent` proves nothing; `dead` proves that it runs nothing:
 * no process listens, or it is not Ready either.
 */
export type Heard = {
  readonly pod: string;
  readonly askedMs: number;
  readonly said: readonly string[] | 'silent' | 'dead';
};

export type Violation = {
  readonly rule: 'TwoOwners' | 'UntrueStatus';
  readonly pool: string;
  readonly stream: string;
  readonly sinceMs: number;
  readonly seenMs: number;
  readonly message: string;
};

/** Worker -> its streams. */
export type Slices = ReadonlyMap<string, readonly string[]>;

type Wrong = { readonly sinceMs: number; readonly message: string };

type Pool = {
  isExclusive: boolean;
  slices: Slices;
  /** Any worker that was ever assigned a stream may run one. */
  readonly workers: Set<string>;
  /** The conditions that are True in the last status, and when it was written. */
  claims: readonly string[];
  claimedMs: number;
  /** By stream: what is wrong, and since which round without a break. */
  readonly wrong: Map<string, Wrong>;
  /** Stream and two pods that had it in the last round. */
  overlaps: ReadonlyMap<string, number>;
};

export class ViolationLog {
  readonly #pools = new Map<string, Pool>();
  readonly #violations = new Map<string, Violation>();
  #lastMs = Number.NEGATIVE_INFINITY;

  /** Each once, at the moment when it became one. */
  get violations(): readonly Violation[] {
    return [...this.#violations.values()];
  }

  handoff(pool: string, isExclusive: boolean): void {
    this.#pool(pool).isExclusive = isExclusive;
  }

  published(pool: string, slices: Slices): void {
    const known = this.#pool(pool);
    known.slices = slices;
    for (const worker of slices.keys()) known.workers.add(worker);
  }

  /** A status was just written. */
  claimed(pool: string, claims: readonly string[], atMs: number): void {
    Object.assign(this.#pool(pool), { claims, claimedMs: atMs });
  }

  gone(pool: string): void {
    this.#pools.delete(pool);
  }

  /** All existing pods, each requested once. */
  round(heard: readonly Heard[], atMs: number): void {
    const isHeldUp = atMs - this.#lastMs > LONGEST_GAP_MS;
    this.#lastMs = atMs;
    const fresh = heard.filter(({ askedMs }) => atMs - askedMs <= FRESH_MS);
    for (const [name, pool] of this.#pools) {
      if (isHeldUp) this.#forget(pool);
      const podsOf = podsByStream(fresh.filter(({ pod }) => pool.workers.has(pod)));
      this.#checkOwners(name, pool, podsOf, atMs);
      this.#checkStatus(name, pool, podsOf, heard, atMs);
    }
  }

  /**
   * Needs two rounds: what the first has seen of one worker lies between both observations of the
   * other.
   */
  #checkOwners(name: string, pool: Pool, podsOf: PodsByStream, atMs: number): void {
    const overlaps = new Map<string, number>();
    for (const [stream, pods] of pool.isExclusive ? podsOf : []) {
      for (const [a, b] of pairsOf(pods)) {
        const key = JSON.stringify([stream, a, b]);
        const sinceMs = pool.overlaps.get(key);
        overlaps.set(key, sinceMs ?? atMs);
        if (sinceMs === undefined) continue;
        this.#add({
          rule: 'TwoOwners',
          pool: name,
          stream,
          sinceMs,
          seenMs: atMs,
          message: `${stream} runs at ${a} and at ${b}`,
        });
      }
    }
    pool.overlaps = overlaps;
  }

  /**
   * Only what was wrong before the status was written counts: the operator has yet to notice later
   * changes.
   */
  #checkStatus(
    name: string,
    pool: Pool,
    podsOf: PodsByStream,
    heard: readonly Heard[],
    atMs: number,
  ): void {
    const owners = new Map(
      [...pool.slices].flatMap(([worker, streams]) =>
        streams.map((stream) => [stream, worker] as const),
      ),
    );
    for (const stream of new Set([...owners.keys(), ...podsOf.keys(), ...pool.wrong.keys()])) {
      const message = wrongOf(stream, owners.get(stream), podsOf.get(stream) ?? [], heard, atMs);
      if (message === undefined) {
        pool.wrong.delete(stream);
        continue;
      }
      const sinceMs = pool.wrong.get(stream)?.sinceMs ?? atMs;
      pool.wrong.set(stream, { sinceMs, message });
      if (pool.claims.length === 0 || pool.claimedMs < sinceMs || atMs - sinceMs <= PATIENCE_MS)
        continue;
      const text = `status had ${pool.claims.join(' and ')} while ${message}`;
      this.#add({ rule: 'UntrueStatus', pool: name, stream, sinceMs, seenMs: atMs, message: text });
    }
  }

  #forget(pool: Pool): void {
    pool.wrong.clear();
    pool.overlaps = new Map();
  }

  #add(violation: Violation): void {
    const { rule, pool, stream, sinceMs } = violation;
    const key = JSON.stringify([rule, pool, stream, sinceMs]);
    if (!this.#violations.has(key)) this.#violations.set(key, violation);
  }

  #pool(name: string): Pool {
    const known = this.#pools.get(name) ?? {
      isExclusive: false,
      slices: new Map(),
      workers: new Set(),
      claims: [],
      claimedMs: 0,
      wrong: new Map(),
      overlaps: new Map(),
    };
    this.#pools.set(name, known);
    return known;
  }
}

type PodsByStream = ReadonlyMap<string, readonly string[]>;

function podsByStream(heard: readonly Heard[]): PodsByStream {
  const podsOf = new Map<string, string[]>();
  for (const { pod, said } of heard) {
    for (const stream of typeof said === 'string' ? [] : new Set(said))
      podsOf.set(stream, [...(podsOf.get(stream) ?? []), pod]);
  }
  return podsOf;
}

/** What cannot be known is not wrong. */
function wrongOf(
  stream: string,
  owner: string | undefined,
  pods: readonly string[],
  heard: readonly Heard[],
  atMs: number,
): string | undefined {
  const [first, ...others] = pods;
  if (others.length > 0) return `${stream} runs at ${pods.join(' and at ')}`;
  if (first !== undefined)
    return first === owner
      ? undefined
      : `${stream} runs at ${first}, and is assigned to ${owner ?? 'no worker'}`;
  if (owner === undefined) return undefined;
  const answer = heard.find(({ pod }) => pod === owner);
  if (answer === undefined) return `${stream} runs nowhere: ${owner} does not exist`;
  if (answer.said === 'dead') return `${stream} runs nowhere: ${owner} is dead`;
  return answer.said === 'silent' || atMs - answer.askedMs > FRESH_MS
    ? undefined
    : `${stream} runs nowhere: not at ${owner} either`;
}

const pairsOf = (pods: readonly string[]): readonly (readonly [string, string])[] =>
  pods
    .flatMap((a, index) => pods.slice(index + 1).map((b) => [a, b] as const))
    .map(([a, b]) => (a < b ? [a, b] : [b, a]));
