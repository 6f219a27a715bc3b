// Candidates for one Lease: each a process with its own wall clock, that can freeze, be killed, and
// lose its requests.
import { kinds } from '../../../src/api/kinds.ts';
import { sleep } from '../../../src/runtime/clock.ts';
import { Election } from '../../../src/runtime/lease.ts';
import { type Call, type Faults, hang, holderOf, MemoryApi } from '../../support/memory-api.ts';
import { ProcessClock } from '../../support/process-clock.ts';
import type { Store } from '../../support/store.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

export const leaseRef = { namespace: 'n', name: 'lease' };
export const holder = (store: Store): string => holderOf(store.find(kinds.Lease, leaseRef));

export class Candidate {
  readonly identity: string;
  readonly election: Election;
  readonly api: MemoryApi;
  readonly process: ProcessClock;
  /** 'started' and 'stopped', in order, with the time. */
  readonly terms: { readonly what: 'started' | 'stopped'; readonly at: number }[] = [];
  readonly troubles: unknown[] = [];
  readonly mistakes: string[] = [];
  #isStopping = false;
  /** What `onStopped` waits for. */
  stopping: () => Promise<void> = () => Promise.resolve();
  /**
   * Requests take a second each, or get no response: they do not arrive, or only the response is
   * lost. Silent: only those on the connections of before get none.
   */
  network: 'fine' | 'slow' | 'deaf' | 'silent' | 'answers lost' | 'refused' = 'fine';
  readonly #stop = new AbortController();
  readonly done: Promise<void>;

  constructor(identity: string, clock: VirtualClock, store: Store, wallOffset = 0) {
    this.identity = identity;
    this.process = new ProcessClock(clock, wallOffset);
    this.api = new MemoryApi(this.process, store, this.#faults());
    this.election = new Election({
      clock: this.process,
      api: this.api,
      ...leaseRef,
      identity,
      annotations: () => ({ said: identity }),
      onStarted: () => {
        if (this.#isStopping)
          this.mistakes.push(`${identity} starts before its last term has ended`);
        this.terms.push({ what: 'started', at: clock.monotonic() });
      },
      onStopped: async () => {
        this.terms.push({ what: 'stopped', at: clock.monotonic() });
        this.#isStopping = true;
        await this.stopping();
        this.#isStopping = false;
      },
      onTrouble: (error) => this.troubles.push(error),
    });
    this.done = this.election.run(this.#stop.signal);
  }

  get isLeading(): boolean {
    return this.election.isLeading;
  }

  /** SIGTERM. */
  stop(): void {
    this.#stop.abort();
  }

  /** SIGKILL. */
  kill(): void {
    this.process.kill();
  }

  #faults(): Faults {
    const pass = (): Promise<void> => new Promise((resolve) => this.process.whenAwake(resolve));
    const before = (_: Call): Promise<void> => {
      if (this.network === 'slow') return sleep(this.process, 1_000);
      if (this.network === 'refused') return Promise.reject(new Error('connection refused'));
      const isSilent = this.network === 'silent' && this.api.renewals === 0;
      return this.network === 'deaf' || isSilent ? hang() : pass();
    };
    return { before, after: () => (this.network === 'answers lost' ? hang() : pass()) };
  }
}

export function setUp(wallOffsets: readonly number[]) {
  const clock = new VirtualClock();
  const store = new MemoryApi(clock).store;
  const candidates = wallOffsets.map(
    (offset, index) => new Candidate(`c${index}`, clock, store, offset),
  );
  return {
    clock,
    store,
    candidates,
    leaders: () => candidates.filter(({ isLeading }) => isLeading).map(({ identity }) => identity),
    anyLeads: () => candidates.some(({ isLeading }) => isLeading),
  };
}

/** Waits until one of two leads. */
export async function leaderOf(
  clock: VirtualClock,
  candidates: readonly Candidate[],
): Promise<{ leader: Candidate; other: Candidate }> {
  await clock.until('there is a leader', () => candidates.some(({ isLeading }) => isLeading));
  const leader = candidates.find(({ isLeading }) => isLeading);
  const other = candidates.find(({ isLeading }) => !isLeading);
  if (leader === undefined || other === undefined) throw new Error('there are not two candidates');
  return { leader, other };
}
