// From when on does Exclusive promise that a stream has one owner, where a pool was not Exclusive
// all along?
import type { Assignment } from '../../../src/api/assignment.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import type { Start } from '../cluster/ledger.ts';

type Holders = ReadonlyMap<string, ReadonlySet<string>>;

/** From the first version that was published under Exclusive until one that was not. */
type Era = {
  /** By stream: the workers that stood in what was published just before, with it. */
  readonly before: Holders;
  /** By stream: the workers that have been named for it since, and those of before. */
  readonly named: Map<string, Set<string>>;
  /** By stream: the workers to which it was given since. */
  readonly given: Map<string, Set<string>>;
};

/**
 * While the last publication was made under Exclusive, a worker to which it or one before it in the
 * same era gave a stream does not start it beside another that stood for that stream when the era
 * began, or since. Two owners that AtLeastOnce has made are not looked at: one that was given a
 * stream before, and one from whom it was taken before without a word of what it released, may both
 * run it on.
 */
export class Exclusivity {
  #era: Era | undefined;
  #last: Assignment | undefined;
  /** By who publishes, and the version: was it decided for a pool that is Exclusive? */
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

  /** May this start be held against the operator? */
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
