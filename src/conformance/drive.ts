// What has the worker been told, and does everything that it says and does agree with that? Looked
// at the whole time, not only when waiting.
import { setTimeout as delay } from 'node:timers/promises';
import { digestOf, type Slice, writeAssigned, writeAssignment } from '../api/assignment.ts';
import type { WorkerReport } from '../api/report.ts';
import { askAt, type RequestWorker, reportIn, shown } from './ask.ts';
import type { Ledger } from './promises.ts';
import type { Sources } from './sources.ts';
import { type Subject, workerName } from './subject.ts';

const lookEveryMs = 40;
/**
 * Between an answer and what sources see: what is seen so much later than it was said is no mere
 * order of arrival.
 */
const witnessMs = 300;
/** Until a program listens it may take longer than for anything after that. */
const startMs = 60_000;
/** Who says nothing for so long is waited for no longer. */
const silenceMs = 30_000;
const neighbour = 'check-1';
/** A neighbour's stream: who takes that one reads what is not its own. */
const foreignStream = 'not-mine';

export type SentVersion = { readonly slice: Slice; readonly version: number };

export class Drive {
  readonly subject: Subject;
  readonly sources: Sources;
  readonly ledger: Ledger;
  readonly ask: RequestWorker;
  readonly patienceMs: number;
  /** How long something that must not happen is waited for. */
  readonly quietMs: number;
  /** What it should have taken up: what was published last and is good. */
  #told: SentVersion = { slice: { jobs: [], version: 0 }, version: 0 };
  #before: readonly string[] = [];
  #report: WorkerReport | string = 'nothing yet';
  #isListening = false;
  /** How many questions led to something, and whether the last one did: else it is silent. */
  #heard = 0;
  #isSilent = false;
  #highest = 0;
  /** What is held back from it for now: it may neither start nor confirm that. */
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

  get told(): SentVersion {
    return this.#told;
  }

  /** From now on it is asked all the time. */
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

  /** A new version with these streams for it; `withheld`: there, but not yet vouched for. */
  async publish(
    jobs: readonly string[],
    options: { readonly withheld?: boolean; readonly entry?: 'none' } = {},
  ): Promise<void> {
    const version = this.#told.version + 1;
    const parameters = Object.fromEntries(
      await Promise.all(
        [...jobs, foreignStream].map(
          async (job) => [job, { url: await this.sources.urlOf(job) }] as const,
        ),
      ),
    );
    const mine = Object.fromEntries(jobs.map((job) => [job, parameters[job] ?? { url: '' }]));
    const slice: Slice = { jobs, version, ...(jobs.length > 0 && { parameters: mine }) };
    const theirs: Slice = {
      jobs: [foreignStream],
      version,
      parameters: { [foreignStream]: parameters[foreignStream] ?? { url: '' } },
    };
    const workloads = new Map([
      ...(options.entry === 'none' ? [] : [[workerName, slice] as const]),
      [neighbour, theirs] as const,
    ]);
    this.#before = [...new Set([...this.#before, ...this.#told.slice.jobs])];
    this.#told = { slice, version };
    this.#withheld = options.withheld === true ? slice : undefined;
    await this.subject.mount('config', writeAssignment({ version, workloads }));
  }

  /**
   * The annotation, as the operator writes it for what was published last; or one that is about
   * somebody or something else.
   */
  async vouch(wrong: { readonly uid?: string; readonly version?: number } = {}): Promise<void> {
    const { slice } = this.#told;
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

  /** Waits until it reports; answers what comes instead. */
  async starts(): Promise<string | undefined> {
    await this.watch(startMs, () => this.#isListening);
    return this.waitFor(() => (typeof this.#report === 'string' ? this.#report : undefined));
  }

  /**
   * Waits until it says and does what it was told; answers what is still missing when patience has
   * run out.
   */
  async converges(): Promise<string | undefined> {
    return this.waitFor(() => this.#missing());
  }

  /**
   * Whoever starts a program has started it before that connects: without waiting, its first
   * connection would look like a second start.
   */
  async isWitnessed(): Promise<boolean> {
    await this.waitFor(() =>
      this.sources.wasEverRead ? this.#missing() : 'nobody reads from any source',
    );
    return this.sources.wasEverRead;
  }

  /** `look` answers what is missing, or nothing. */
  async waitFor(look: () => string | undefined): Promise<string | undefined> {
    let missing: string | undefined;
    await this.watch(this.patienceMs, () => {
      missing = look();
      return missing === undefined;
    });
    return missing;
  }

  /**
   * For so long, or until it is over. Only the time counts in which it is heard: held up for a
   * while, it has neither dawdled nor been good.
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

  /** Watches that for a while everything stays as it is; answers what did not. */
  async stays(): Promise<string | undefined> {
    const { jobs } = this.#told.slice;
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
    const { slice } = this.#told;
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
    const { told } = this;
    const answer = await this.ask('/internal/version');
    this.#isListening ||= answer.ok || !answer.isRefused;
    this.#isSilent = !answer.ok && !answer.isRefused;
    if (!this.#isSilent) this.#heard += 1;
    this.#report = reportIn(answer);
    // What was published while it answered is not what it answered about.
    if (typeof this.#report === 'string' || told !== this.#told) return;
    this.#judge(this.#report);
    if (this.#report.version === told.slice.version && told.version > 0)
      await this.#judgeByWitnesses(told);
  }

  #judge({ version, jobs }: WorkerReport): void {
    const { slice, version: newest } = this.#told;
    if (version > newest)
      this.ledger.broken(
        'true',
        `at most version ${newest}, the newest there is`,
        `version ${version}`,
      );
    if (version < this.#highest)
      this.ledger.broken(
        'true',
        `no version below ${this.#highest}, which it had confirmed`,
        `version ${version}`,
      );
    this.#highest = Math.max(this.#highest, version);
    if (
      this.#withheld !== undefined &&
      version >= this.#withheld.version &&
      this.#withheld.jobs.length > 0
    ) {
      this.ledger.broken(
        'fence',
        `nothing confirmed of version ${this.#withheld.version}, for which nothing vouches`,
        `version ${version}`,
      );
    } else if (jobs !== undefined && version >= slice.version && !isSame(jobs, slice.jobs)) {
      this.ledger.broken(
        'true',
        `with version ${version} the jobs ${shown(slice.jobs)}`,
        `jobs ${shown(jobs)}`,
      );
    }
    const known = new Set([...slice.jobs, ...this.#before]);
    const stranger = jobs?.find((job) => !known.has(job));
    if (stranger !== undefined)
      this.ledger.broken('takes-up', 'no stream but those of its own entry', shown(stranger));
  }

  /** Sources see what a worker may have wrong about itself. */
  async #judgeByWitnesses(told: SentVersion): Promise<void> {
    const reading = (): readonly string[] =>
      [...this.sources.read].filter((stream) => !told.slice.jobs.includes(stream));
    if (reading().length === 0) return;
    await delay(witnessMs);
    const [still] = reading();
    if (still === undefined || told !== this.#told) return;
    if (still === foreignStream)
      this.ledger.broken(
        'takes-up',
        'no stream of another worker',
        'it reads from the source of one',
      );
    else
      this.ledger.broken(
        'true',
        `version ${told.slice.version} not confirmed before ${shown(still)} has ended`,
        'its source is still being read',
      );
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && [...a].sort().join('\0') === [...b].sort().join('\0');
}
