// From when on does Exclusive promise one owner for each stream, in a pool that was not always
// Exclusive?
import type { Assignment } from '../../../src/api/assignment.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import type { Start } from '../cluster/ledger.ts';

type Holders = ReadonlyMap<string, ReadonlySet<string>>;

/** From the first version that was published under Exclusive until the first that was not. */
type Era = {
  /** By stream: its workers in the publication just before, and in this one. */
  readonly before: Holders;
  /** By stream: its workers just before the era, and all that were named for it since. */
  readonly named: Map<string, Set<string>>;
  /** By stream: the workers to which it was assigned since. */
  readonly given: Map<string, Set<string>>;
};

/**
 * While the last publication was made under Exclusive, a worker does not start a stream that it was
 * assigned in this era beside another worker that was named for the stream when the era began, or
 * since. Two owners from the time of AtLeastOnce are not checked: one that was assigned the stream
 * before, and one that lost it before without a record of the release, may both go on running it.
 */
export class Exclusivity {
  #era: Era | undefined;
  #last: Assignment | undefined;
  /** By operator process and version: was the pool Exclusive when the version was decided? */
  readonly #decided = new Map<string, boolean>();

  onDecided(identity: string, { pool }: PoolWorld, version: number | undefined): void {
    if (version !== undefined && pool.spec.ok)
      this.#decided.set(`${identity} ${version}`, pool.spec.value.handoff.type === 'Exclusive');
  }

  onPublication(identity: string, now: Assignment): void {
    const last = this.#last;
    this.#last = now;
    if (this.#decided.get(`${identity} ${now.version}`) !== true) {
      this.#era = undefined;
      return;
    }
    const before = holdersIn(last);
    this.#era ??= {
      before,
      named: new Map([...before].map(([stream, workers]) => [stream, new Set(workers)])),
      given: new Map(),
    };
    for (const [stream, workers] of holdersIn(now))
      for (const worker of workers) note(this.#era.named, stream, worker);
    for (const [worker, { jobs }] of now.workloads) {
      const had = new Set(last?.workloads.get(worker)?.jobs);
      for (const stream of jobs) if (!had.has(stream)) note(this.#era.given, stream, worker);
    }
  }

  /** Does this start break a promise of the operator? */
  isPromised({ stream, by, others }: Pick<Start, 'stream' | 'by' | 'others'>): boolean {
    const named = this.#era?.named.get(stream);
    const isGiven = this.#era?.given.get(stream)?.has(by.pod) === true;
    return isGiven && others.some(({ pod }) => pod !== by.pod && named?.has(pod) === true);
  }
}

function holdersIn(assignment: Assignment | undefined): Holders {
  const holders = new Map<string, Set<string>>();
  for (const [worker, { jobs, releasing = [] }] of assignment?.workloads ?? [])
    for (const stream of [...jobs, ...releasing]) note(holders, stream, worker);
  return holders;
}

function note(all: Map<string, Set<string>>, stream: string, worker: string): void {
  const workers = all.get(stream) ?? new Set();
  all.set(stream, workers.add(worker));
}
