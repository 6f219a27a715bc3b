// Does all that the worker says and does agree with what was published for it? Probes it all the
// time, not only while something is awaited.
import { setTimeout as delay } from 'node:timers/promises';
import { digestOf, type Slice, writeAssigned, writeAssignment } from '../api/assignment.ts';
import type { WorkerReport } from '../api/report.ts';
import { askAt, fieldsIn, type RequestWorker, reportIn, shown } from './ask.ts';
import type { Ledger } from './promises.ts';
import type { Sources } from './sources.ts';
import { type Subject, workerName } from './subject.ts';
import { brokenTelling } from './telling.ts';

const probeEveryMs = 40;
/** A source that is still read so long after the worker's answer contradicts the answer. */
const witnessMs = 300;
/** Starting a program may take longer than anything after that. */
const startMs = 60_000;
/** A worker that gives no answer for so long is not awaited any longer. */
const silenceMs = 30_000;
/** Another worker of the pool, with a stream that the worker must not read. */
const neighbour = 'check-1';
const foreignStream = 'not-mine';

/** `restarts`: tokens by stream. */
type PublishOptions = {
  readonly withheld?: boolean;
  readonly entry?: 'none';
  readonly restarts?: Readonly<Record<string, string>>;
};

export class Drive {
  readonly subject: Subject;
  readonly sources: Sources;
  readonly ledger: Ledger;
  readonly ask: RequestWorker;
  readonly patienceMs: number;
  /** How long to watch for something that must not happen. */
  readonly quietMs: number;
  #published: Slice = { jobs: [], version: 0 };
  #before: readonly string[] = [];
  #report: WorkerReport | string = 'nothing yet';
  #isListening = false;
  /** How many probes were answered or refused, and whether the last one was neither. */
  #heard = 0;
  #isSilent = false;
  #highest = 0;
  /** Published without the annotation: the worker may neither start nor confirm it. */
  #isWithheld = false;
  #isOver = false;
  #probing: Promise<void> | undefined;

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

  get published(): Slice {
    return this.#published;
  }

  begin(): void {
    this.#probing = (async () => {
      while (!this.#isOver) {
        await this.#probe();
        await delay(probeEveryMs);
      }
    })();
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#probing;
  }

  /** A new version with these streams for the worker; `withheld`: its annotation comes later. */
  async publish(jobs: readonly string[], options: PublishOptions = {}): Promise<void> {
    const version = this.#published.version + 1;
    const { restarts } = options;
    const asked = await this.#sliceOf(jobs, version);
    const slice = restarts === undefined ? asked : { ...asked, restarts };
    const workloads = new Map([[neighbour, await this.#sliceOf([foreignStream], version)]]);
    if (options.entry !== 'none') workloads.set(workerName, slice);
    this.#before = [...new Set([...this.#before, ...this.#published.jobs])];
    this.#published = slice;
    this.#isWithheld = options.withheld === true;
    await this.subject.mount('config', writeAssignment({ version, workloads }));
  }

  async #sliceOf(jobs: readonly string[], version: number): Promise<Slice> {
    if (jobs.length === 0) return { jobs, version };
    const urls = jobs.map(async (job) => [job, { url: await this.sources.urlOf(job) }] as const);
    return { jobs, version, parameters: Object.fromEntries(await Promise.all(urls)) };
  }

  /** The annotation as the operator writes it for the last version, or with something wrong. */
  async permit(wrong: { readonly uid?: string; readonly version?: number } = {}): Promise<void> {
    const slice = this.#published;
    if (Object.keys(wrong).length === 0) this.#isWithheld = false;
    const right = { version: slice.version, uid: this.subject.podUid };
    const assigned = { ...right, digest: digestOf(slice), attempt: 1, ...wrong };
    await this.subject.mount('podinfo', writeAssigned(assigned));
  }

  /** Waits for the worker's first report; returns what came instead. */
  async starts(): Promise<string | undefined> {
    await this.watch(startMs, () => this.#isListening);
    return this.waitFor(() => (typeof this.#report === 'string' ? this.#report : undefined));
  }

  /** Waits until the worker says and does what was published; returns what is missing at last. */
  async converges(): Promise<string | undefined> {
    return this.waitFor(() => this.#missing());
  }

  /**
   * Does it read from the sources? Waits, since a program connects some time after its start: that
   * connection would look like a second start.
   */
  async isWitnessed(): Promise<boolean> {
    await this.waitFor(() =>
      this.sources.wasEverRead ? this.#missing() : 'it reads from none of the sources',
    );
    return this.sources.wasEverRead;
  }

  /** Waits until `missing` returns undefined; returns what is missing at last. */
  async waitFor(missing: () => string | undefined): Promise<string | undefined> {
    let last: string | undefined;
    await this.watch(this.patienceMs, () => {
      last = missing();
      return last === undefined;
    });
    return last;
  }

  /**
   * Waits for so long, or until `isOver`. Only time with answers counts: a machine that stalls is
   * not the worker's fault.
   */
  async watch(ms: number, isOver: () => boolean): Promise<void> {
    let [left, heard, last] = [ms, this.#heard, performance.now()];
    while (
      !isOver() &&
      left > 0 &&
      !this.subject.hasEnded &&
      performance.now() - last < silenceMs
    ) {
      await delay(probeEveryMs);
      if (this.#heard === heard) continue;
      left -= probeEveryMs;
      [heard, last] = [this.#heard, performance.now()];
    }
  }

  /** Waits whether everything stays as it is for a while; returns what did not. */
  async stays(): Promise<string | undefined> {
    const { jobs } = this.#published;
    const connections = new Map(jobs.map((job) => [job, this.sources.connectionsOf(job)]));
    const change = (): string | undefined => {
      const anew = jobs.find((job) => this.sources.connectionsOf(job) !== connections.get(job));
      return this.#missing() ?? (anew === undefined ? undefined : `${shown(anew)} was restarted`);
    };
    await this.watch(this.quietMs, () => !this.#isSilent && change() !== undefined);
    return change();
  }

  #missing(): string | undefined {
    const slice = this.#published;
    if (typeof this.#report === 'string') return this.#report;
    if (this.subject.hasEnded) return `it has exited: ${this.subject.lastWords}`;
    if (this.#report.version < slice.version) return `version ${this.#report.version}`;
    if (this.#report.jobs !== undefined && !isSame(this.#report.jobs, slice.jobs))
      return `jobs ${shown(this.#report.jobs)}`;
    const isUnread = (job: string): boolean =>
      this.sources.wasEverRead && this.sources.readersOf(job) === 0;
    const unread = slice.jobs.find(isUnread);
    return unread === undefined ? undefined : `it does not read the source of ${shown(unread)}`;
  }

  async #probe(): Promise<void> {
    const { published } = this;
    const answer = await this.ask('/internal/version');
    this.#isListening ||= answer.ok || !answer.isRefused;
    this.#isSilent = !answer.ok && !answer.isRefused;
    if (!this.#isSilent) this.#heard += 1;
    this.#report = reportIn(answer);
    // A version published while the worker answered: the answer is about the one before.
    if (typeof this.#report === 'string' || published !== this.#published) return;
    this.#judge(this.#report);
    this.#judgeTelling(fieldsIn(answer));
    if (this.#report.version === published.version && published.version > 0)
      await this.#judgeByWitnesses(published);
  }

  #judge({ version, jobs }: WorkerReport): void {
    const slice = this.#published;
    const got = `version ${version}`;
    if (version > slice.version)
      this.ledger.broken('true', `at most version ${slice.version}, the newest one`, got);
    if (version < this.#highest)
      this.ledger.broken('true', `no version below ${this.#highest}, which it had confirmed`, got);
    this.#highest = Math.max(this.#highest, version);
    if (this.#isWithheld && version >= slice.version && slice.jobs.length > 0) {
      const expected = `no confirmation of version ${slice.version}, which no annotation permits`;
      this.ledger.broken('fence', expected, got);
    } else if (jobs !== undefined && version >= slice.version && !isSame(jobs, slice.jobs)) {
      const expected = `with ${got} the jobs ${shown(slice.jobs)}`;
      this.ledger.broken('true', expected, `jobs ${shown(jobs)}`);
    }
    const known = new Set([...slice.jobs, ...this.#before]);
    const stranger = jobs?.find((job) => !known.has(job));
    if (stranger !== undefined)
      this.ledger.broken('takes-up', 'only streams of its own entry', shown(stranger));
  }

  #judgeTelling(fields: Readonly<Record<string, unknown>>): void {
    if (fields['streams'] === undefined) return;
    const own = new Set([...this.#published.jobs, ...this.#before]);
    const broken = brokenTelling(fields, Date.now(), (stream) => {
      const url = this.sources.knownUrlOf(stream);
      return own.has(stream) && url !== undefined ? [url] : undefined;
    });
    if (broken !== undefined) this.ledger.broken('tells', broken.expected, broken.got);
  }

  /** Does the worker read what it has not confirmed? */
  async #judgeByWitnesses(published: Slice): Promise<void> {
    const reading = (): string | undefined =>
      [...this.sources.read].find((stream) => !published.jobs.includes(stream));
    if (reading() === undefined) return;
    await delay(witnessMs);
    const still = reading();
    if (still === undefined || published !== this.#published) return;
    if (still === foreignStream) {
      const got = 'it reads from the source of another worker';
      this.ledger.broken('takes-up', 'no stream of another worker', got);
    } else {
      const expected = `version ${published.version} not confirmed before ${shown(still)} has ended`;
      this.ledger.broken('true', expected, 'it still reads its source');
    }
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && [...a].sort().join('\0') === [...b].sort().join('\0');
}
