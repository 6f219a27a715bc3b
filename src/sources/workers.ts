// What does each worker say it runs? Asked over HTTP: quickly while something is outstanding, now and then otherwise.
import { Agent, request } from 'undici';
import { readReport } from '../api/report.ts';
import type { Ask } from '../core/decision.ts';
import type { Answer } from '../core/pool/members.ts';
import type { Clock } from '../kube/clock.ts';

const TIMEOUT_MS = 2_000;
/** Some thousand stream names of full length; what is longer is not a report. */
const LONGEST_ANSWER = 4 * 1024 * 1024;
const QUICK_MS = [50, 50, 100, 100, 200, 200, 400, 800];
const QUICK_AT_LAST_MS = 1_000;
/** After a minute of quick questions the worker is slow or silent: it is asked on, but it must not cost what the others need. */
const QUICK_QUESTIONS = 60;
const PATIENT_MS = 10_000;
const AUDIT_MS = 30_000;

export type WorkersOptions = {
  readonly clock: Clock;
  /** How many questions may be under way at a time, over all pools. */
  readonly concurrency?: number;
  readonly auditMs?: number;
  /** An answer differs from the one before. */
  readonly onChange: (key: string) => void;
  /** Stands in for the request in tests with virtual time. */
  readonly get?: (url: string) => Promise<string>;
};

type Worker = {
  ask: Ask;
  readonly key: string;
  answer: Answer | undefined;
  /** Questions since what is awaited last changed. */
  asked: number;
  cancel: () => void;
  isUnderWay: boolean;
};

export class Workers {
  readonly #options: WorkersOptions;
  readonly #byPod = new Map<string, Worker>();
  readonly #byKey = new Map<string, Set<string>>();
  readonly #agent = new Agent({ connect: { timeout: TIMEOUT_MS, rejectUnauthorized: false }, keepAliveTimeout: 4_000, connections: 1 });
  readonly #waiting: Worker[] = [];
  #underWay = 0;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  answersOf(key: string): Readonly<Record<string, Answer>> {
    const pods = [...(this.#byKey.get(key) ?? [])];
    return Object.fromEntries(
      pods.flatMap((uid) => {
        const answer = this.#byPod.get(uid)?.answer;
        return answer === undefined ? [] : [[uid, answer]];
      }),
    );
  }

  /** From now on, these are the workers of this key; whoever is not among them is asked no more. */
  ask(key: string, asks: readonly Ask[]): void {
    const wanted = new Set(asks.map(({ podUid }) => podUid));
    for (const uid of this.#byKey.get(key) ?? []) if (!wanted.has(uid)) this.#drop(uid);
    if (wanted.size === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, wanted);
    for (const ask of asks) this.#accept(key, ask);
  }

  /** Nobody is asked any more: another leads now, or the process ends. What was answered is forgotten. */
  forgetAll(): void {
    for (const uid of [...this.#byPod.keys()]) this.#drop(uid);
    this.#byKey.clear();
  }

  async stop(): Promise<void> {
    this.forgetAll();
    await this.#agent.destroy();
  }

  #accept(key: string, ask: Ask): void {
    const present = this.#byPod.get(ask.podUid);
    if (present === undefined) {
      const worker: Worker = { ask, key, answer: undefined, asked: 0, cancel: () => undefined, isUnderWay: false };
      this.#byPod.set(ask.podUid, worker);
      this.#queue(worker);
      return;
    }
    const isNews =
      present.ask.awaiting !== ask.awaiting || present.ask.url !== ask.url || (ask.isOutstanding && !present.ask.isOutstanding);
    present.ask = ask;
    if (!isNews || !ask.isOutstanding) return;
    present.asked = 0;
    present.cancel();
    if (!present.isUnderWay) this.#queue(present);
  }

  #drop(uid: string): void {
    const worker = this.#byPod.get(uid);
    worker?.cancel();
    this.#byPod.delete(uid);
  }

  #queue(worker: Worker): void {
    if (worker.isUnderWay) return;
    worker.isUnderWay = true;
    this.#waiting.push(worker);
    this.#next();
  }

  #next(): void {
    while (this.#underWay < (this.#options.concurrency ?? 128)) {
      const worker = this.#waiting.shift();
      if (worker === undefined) return;
      this.#underWay += 1;
      void this.#question(worker).finally(() => {
        this.#underWay -= 1;
        this.#next();
      });
    }
  }

  async #question(worker: Worker): Promise<void> {
    const answer = await this.#answerFrom(worker.ask.url);
    worker.isUnderWay = false;
    if (this.#byPod.get(worker.ask.podUid) !== worker) return;
    const isNews = JSON.stringify(answer) !== JSON.stringify(worker.answer);
    worker.answer = answer;
    worker.asked += 1;
    worker.cancel();
    worker.cancel = this.#options.clock.after(this.#pause(worker), () => this.#queue(worker));
    if (isNews) this.#options.onChange(worker.key);
  }

  #pause({ ask, asked }: Worker): number {
    if (!ask.isOutstanding) return this.#options.auditMs ?? AUDIT_MS;
    return asked > QUICK_QUESTIONS ? PATIENT_MS : (QUICK_MS[asked - 1] ?? QUICK_AT_LAST_MS);
  }

  async #answerFrom(url: string): Promise<Answer> {
    try {
      const text = await (this.#options.get ?? ((to) => this.#get(to)))(url);
      const report = readReport(text);
      return report === undefined ? { ok: false, reason: `${url} answers what is no version report` } : { ok: true, report };
    } catch (error) {
      const cause = error instanceof Error && error.message !== '' ? error.message : String(error);
      return { ok: false, reason: `${url}: ${cause}` };
    }
  }

  /** Follows no redirect, reads no more than a report can have, waits no longer than for one. */
  async #get(url: string): Promise<string> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await request(url, { dispatcher: this.#agent, signal, headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
    if (response.statusCode !== 200) {
      response.body.destroy();
      throw new Error(`answers ${response.statusCode}`);
    }
    const parts: Buffer[] = [];
    let length = 0;
    for await (const part of response.body) {
      if (!(part instanceof Uint8Array)) continue;
      length += part.length;
      if (length > LONGEST_ANSWER) throw new Error(`answers more than ${LONGEST_ANSWER} bytes`);
      parts.push(Buffer.from(part));
    }
    return Buffer.concat(parts).toString('utf8');
  }
}
