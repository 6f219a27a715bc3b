// What does a worker promise? The same sentences, under the same numbers, as in
// docs/worker-contract.md.

export const promises = [
  {
    id: 'answers',
    says: 'answers GET /internal/version: 200, within 2 s, one JSON object with a whole number `version`',
  },
  {
    id: 'jobs',
    says: 'if its answer has `jobs`, these are the streams that it consumes, each once, by their exact names',
  },
  { id: 'pod-uid', says: 'if its answer has `podUid`, it is the UID of its own pod' },
  { id: 'health', says: 'answers GET /internal/health with 200 while it can work' },
  {
    id: 'steadfast',
    says: 'answers unknown requests with an error, and no request keeps it from answering the next one',
  },
  { id: 'empty', says: 'starts without a file, and reports version 0 and no jobs' },
  { id: 'takes-up', says: 'follows every change of its own entry, and ignores other entries' },
  { id: 'lets-go', says: 'ends streams that are no longer assigned to it' },
  { id: 'keeps', says: 'does not interrupt streams that stay assigned to it' },
  {
    id: 'true',
    says: 'confirms a version only when it has applied it completely, and never goes back',
  },
  { id: 'names', says: 'runs streams with any name, whatever characters it contains' },
  {
    id: 'last-good',
    says: 'keeps following the last valid file while the file is broken, older, or missing',
  },
  {
    id: 'no-entry',
    says: 'runs nothing when a newer file has no entry for it, and confirms that',
  },
  { id: 'restarts', says: 'restarts a stream that ended by itself, after a pause' },
  {
    id: 'fence',
    says: "with handoff Exclusive, starts only streams that its own pod's annotation permits",
  },
  {
    id: 'drains',
    says: 'on SIGTERM ends all streams, then itself with exit code 0, within the grace period; leaves nothing behind',
  },
  {
    id: 'tells',
    says: 'if its answer has `streams`, this correctly reports the streams that are not simply running, within limits, and without values of parameters',
  },
  {
    id: 'token',
    says: 'restarts a stream when its entry has a new token for it, once, and confirms the version after that',
  },
] as const;

export type PromiseId = (typeof promises)[number]['id'];

type PromiseVerdict =
  | { readonly is: 'kept' }
  | { readonly is: 'broken'; readonly expected: string; readonly got: string }
  | { readonly is: 'not tried'; readonly why: string };

type Row<Verdict> = {
  readonly number: number;
  readonly says: string;
  readonly id: PromiseId;
  readonly verdict: Verdict;
};
export type Judged = Row<PromiseVerdict>;

/** Before the check has ended. A promise that is kept so far may still be broken. */
export type RowSoFar = Row<PromiseVerdict | { readonly is: 'trying' | 'waiting' }>;

/** `news`: the promise whose trial begins, or that was found broken just now. */
export type OnProgress = (news: RowSoFar, all: readonly RowSoFar[]) => void;

/** Keeps the first break of each promise: later ones often follow from it. */
export class Ledger {
  readonly #verdicts = new Map<PromiseId, PromiseVerdict>();
  readonly #onProgress: OnProgress;
  #trying: PromiseId | undefined;

  constructor(onProgress: OnProgress = () => undefined) {
    this.#onProgress = onProgress;
  }

  /** The trial of this promise begins; that of the one before is over. */
  trying(id: PromiseId): void {
    this.#trying = id;
    this.#tell(id);
  }

  kept(id: PromiseId): void {
    this.#set(id, { is: 'kept' });
  }

  broken(id: PromiseId, expected: string, got: string): void {
    this.#set(id, { is: 'broken', expected, got });
  }

  /** Without `got`, the promise is kept. */
  judge(id: PromiseId, expected: string, got: string | undefined): void {
    if (got === undefined) this.kept(id);
    else this.broken(id, expected, got);
  }

  notTried(id: PromiseId, why: string): void {
    if (!this.#verdicts.has(id)) this.#verdicts.set(id, { is: 'not tried', why });
  }

  judged(otherwise: string): readonly Judged[] {
    return rowsOf((id) => this.#verdicts.get(id) ?? { is: 'not tried', why: otherwise });
  }

  #set(id: PromiseId, verdict: PromiseVerdict): void {
    if (this.#verdicts.get(id)?.is === 'broken') return;
    this.#verdicts.set(id, verdict);
    if (verdict.is === 'broken') this.#tell(id);
  }

  #tell(id: PromiseId): void {
    const all = rowsOf((of): RowSoFar['verdict'] => {
      const verdict = this.#verdicts.get(of);
      if (verdict?.is === 'broken') return verdict;
      return of === this.#trying ? { is: 'trying' } : (verdict ?? { is: 'waiting' });
    });
    const news = all.find((row) => row.id === id);
    if (news !== undefined) this.#onProgress(news, all);
  }
}

const rowsOf = <Verdict>(verdictOn: (id: PromiseId) => Verdict): readonly Row<Verdict>[] =>
  promises.map(({ id, says }, index) => ({ number: index + 1, id, says, verdict: verdictOn(id) }));

export const hasBroken = (all: readonly Judged[]): boolean =>
  all.some(({ verdict }) => verdict.is === 'broken');

export const textOf = (all: readonly Judged[]): string => all.map(lineOf).join('\n');

export function lineOf({ number, says, verdict }: RowSoFar): string {
  const head = `${verdict.is.padEnd(9)} ${String(number).padStart(2)} ${says}`;
  if (verdict.is === 'broken') return `${head}: expected ${verdict.expected}; got ${verdict.got}`;
  return verdict.is === 'not tried' ? `${head}: ${verdict.why}` : head;
}
