// What has been published for the worker, and does all that it says and does agree with that? It is
// probed the whole time, not only while something is awaited.
import { setTimeout as delay } from 'node:timers/promises';
import { digestOf, type Slice, writeAssigned, writeAssignment } from '../api/assignment.ts';
import type { WorkerReport } from '../api/report.ts';
import { askAt, type RequestWorker, reportIn, shown } from './ask.ts';
import type { Ledger } from './promises.ts';
import type { Sources } from './sources.ts';
import { type Subject, workerName } from './subject.ts';

const lookEveryMs = 40;
/** A source that is read so long after the worker's answer contradicts the answer. */
const witnessMs = 300;
/** Starting a program may take longer than anything after that. */
const startMs = 60_000;
/** A worker that gives no answer for so long is not awaited any longer. */
const silenceMs = 30_000;
const neighbour = 'check-1';
/** The neighbour's stream: the worker must not read it. */
const foreignStream = 'not-mine';

type Published = { readonly slice: Slice; readonly version: number };

export class Drive {
  readonly subject: Subject;
  readonly sources: Sources;
  readonly ledger: Ledger;
  readonly ask: RequestWorker;
  readonly patienceMs: number;
  /** How long to watch for something that must not happen. */
  readonly quietMs: number;
  #published: Published = { slice: { jobs: [], version: 0 }, version: 0 };
  #before: readonly string[] = [];
  #report: WorkerReport | string = 'nothing yet';
  #isListening = false;
  /** How many probes had a result, and whether the last one had none. */
  #heard = 0;
  #isSilent = false;
  #highest = 0;
  /** Published, but without the annotation: the worker may neither start nor confirm it. */
  #withheld: Slice | undefined;
  #isOver = false;
  #looking: Promise<void> | undefined;

  constructor(
    subject: Subject,
    sources: Sources,
    ledger: Ledger,
    times: { readonly patienceMs: number; readonly quietMs: number },
  ) {
    this.subject = subject;
    this.sources = sources;
    this.ledger = ledger;
    this.patienceMs = times.patienceMs;
    this.quietMs = times.quietMs;
    this.ask = askAt(subject.url);
  }

  get report(): WorkerReport | string {
    return this.#report;
  }

  get published(): Published {
    return this.#published;
  }

  /** Starts to probe the worker, all the time. */
  begin(): void {
    this.#looking = (async () => {
      while (!this.#isOver) {
        await this.#look();
        await delay(lookEveryMs);
      }
    })();
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#looking;
  }

  /** A new version with these streams for the worker; `withheld`: without the annotation yet. */
  async publish(
    jobs: readonly string[],
    options: { readonly withheld?: boolean; readonly entry?: 'none' } = {},
  ): Promise<void> {
    const version = this.#published.version + 1;
    const slice = await this.#sliceOf(jobs, version);
    const workloads = new Map([[neighbour, await this.#sliceOf([foreignStream], version)]]);
    if (options.entry !== 'none') workloads.set(workerName, slice);
    this.#before = [...new Set([...this.#before, ...this.#published.slice.jobs])];
    this.#published = { slice, version };
    this.#withheld = options.withheld === true ? slice : undefined;
    await this.subject.mount('config', writeAssignment({ version, workloads }));
  }

  async #sliceOf(jobs: readonly string[], version: number): Promise<Slice> {
    if (jobs.length === 0) return { jobs, version };
    const urls = jobs.map(async (job) => [job, { url: await this.sources.urlOf(job) }] as const);
    return { jobs, version, parameters: Object.fromEntries(await Promise.all(urls)) };
  }

  /** The annotation as the operator writes it for the last version; or one for another pod. */
  async vouch(wrong: { readonly uid?: string; readonly version?: number } = {}): Promise<void> {
    const { slice } = this.#published;
    if (Object.keys(wrong).length === 0) this.#withheld = undefined;
    const uid = wrong.uid ?? this.subject.podUid;
    await this.subject.mount(
      'podinfo',
      writeAssigned({
        version: wrong.version ?? slice.version,
        uid,
        digest: digestOf(slice),
        attempt: 1,
      }),
    );
  }

  /** Waits until the worker reports; returns what came instead. */
  async starts(): Promise<string | undefined> {
    await this.watch(startMs, () => this.#isListening);
    return this.waitFor(() => (typeof this.#report === 'string' ? this.#report : undefined));
  }

  /** Waits until the worker says and does what was published; returns what is still missing. */
  async converges(): Promise<string | undefined> {
    return this.waitFor(() => this.#missing());
  }

  /**
   * Does it read from the sources? A program connects some time after it was started: without
   * waiting, its first connection would look like a second start.
   */
  async isWitnessed(): Promise<boolean> {
    await this.waitFor(() =>
      this.sources.wasEverRead ? this.#missing() : 'nobody reads from any source',
    );
    return this.sources.wasEverRead;
  }

  /** `look` returns what is missing, or nothing. */
  async waitFor(look: () => string | undefined): Promise<string | undefined> {
    let missing: string | undefined;
    await this.watch(this.patienceMs, () => {
      missing = look();
      return missing === undefined;
    });
    return missing;
  }

  /**
   * For so long, or until it is over. Only time with answers counts: a machine that stalls is not
   * the worker's fault.
   */
  async watch(ms: number, isOver: () => boolean): Promise<void> {
    let [left, heard, last] = [ms, this.#heard, performance.now()];
    while (
      !isOver() &&
      left > 0 &&
      !this.subject.hasEnded &&
      performance.now() - last < silenceMs
    ) {
      await delay(lookEveryMs);
      if (this.#heard === heard) continue;
      left -= lookEveryMs;
      [heard, last] = [this.#heard, performance.now()];
    }
  }

  /** Watches that for a while everything stays as it is; returns what did not. */
  async stays(): Promise<string | undefined> {
    const { jobs } = this.#published.slice;
    const connections = new Map(jobs.map((job) => [job, this.sources.connectionsOf(job)]));
    const change = (): string | undefined => {
      const anew = jobs.find((job) => this.sources.connectionsOf(job) !== connections.get(job));
      return (
        this.#missing() ?? (anew === undefined ? undefined : `${shown(anew)} was started anew`)
      );
    };
    await this.watch(this.quietMs, () => !this.#isSilent && change() !== undefined);
    return change();
  }

  #missing(): string | undefined {
    const { slice } = this.#published;
    if (typeof this.#report === 'string') return this.#report;
    if (this.subject.hasEnded) return `it has ended: ${this.subject.lastWords}`;
    if (this.#report.version < slice.version) return `version ${this.#report.version}`;
    if (this.#report.jobs !== undefined && !isSame(this.#report.jobs, slice.jobs))
      return `jobs ${shown(this.#report.jobs)}`;
    const isUnread = (job: string): boolean =>
      this.sources.wasEverRead && this.sources.readersOf(job) === 0;
    const unread = slice.jobs.find(isUnread);
    return unread === undefined ? undefined : `nobody reads from the source of ${shown(unread)}`;
  }

  async #look(): Promise<void> {
    const { published } = this;
    const answer = await this.ask('/internal/version');
    this.#isListening ||= answer.ok || !answer.isRefused;
    this.#isSilent = !answer.ok && !answer.isRefused;
    if (!this.#isSilent) this.#heard += 1;
    this.#report = reportIn(answer);
    // Published while the worker answered: the answer is about the version before.
    if (typeof this.#report === 'string' || published !== this.#published) return;
    this.#judge(this.#report);
    if (this.#report.version === published.slice.version && published.version > 0)
      await this.#judgeByWitnesses(published);
  }

  #judge({ version, jobs }: WorkerReport): void {
    const { slice, version: newest } = this.#published;
    const [withheld, got] = [this.#withheld, `version ${version}`];
    if (version > newest)
      this.ledger.broken('true', `at most version ${newest}, the newest there is`, got);
    if (version < this.#highest)
      this.ledger.broken('true', `no version below ${this.#highest}, which it had confirmed`, got);
    this.#highest = Math.max(this.#highest, version);
    if (withheld !== undefined && version >= withheld.version && withheld.jobs.length > 0)
      this.ledger.broken(
        'fence',
        `nothing confirmed of version ${withheld.version}, for which nothing vouches`,
        got,
      );
    else if (jobs !== undefined && version >= slice.version && !isSame(jobs, slice.jobs))
      this.ledger.broken(
        'true',
        `with ${got} the jobs ${shown(slice.jobs)}`,
        `jobs ${shown(jobs)}`,
      );
    const known = new Set([...slice.jobs, ...this.#before]);
    const stranger = jobs?.find((job) => !known.has(job));
    if (stranger !== undefined)
      this.ledger.broken('takes-up', 'no stream but those of its own entry', shown(stranger));
  }

  /** Does the worker read what it has not confirmed? */
  async #judgeByWitnesses(published: Published): Promise<void> {
    const reading = (): readonly string[] =>
      [...this.sources.read].filter((stream) => !published.slice.jobs.includes(stream));
    if (reading().length === 0) return;
    await delay(witnessMs);
    const [still] = reading();
    if (still === undefined || published !== this.#published) return;
    if (still === foreignStream)
      this.ledger.broken(
        'takes-up',
        'no stream of another worker',
        'it reads from the source of one',
      );
    else
      this.ledger.broken(
        'true',
        `version ${published.slice.version} not confirmed before ${shown(still)} has ended`,
        'its source is still being read',
      );
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && [...a].sort().join('\0') === [...b].sort().join('\0');
}
