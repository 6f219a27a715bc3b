// When does a kind run, and in which namespaces? While this replica leads, and where it can read
// everything that the kind watches.
import type { Decision } from '../../core/decision.ts';
import type { KindReport } from '../../core/kind-report.ts';
import type { QueueFigures } from '../queue/workqueue.ts';
import type { Readable } from '../watch/readable.ts';
import type { Subscription } from '../watch/subscriptions.ts';
import type { Watches } from '../watch/watches.ts';
import { Engine, type EngineOptions } from './engine.ts';
import { reportOf } from './kind-report.ts';

export type KindRunnerOptions<World, Decided extends Decision> = EngineOptions<World, Decided> & {
  readonly watches: Pick<Watches, 'isBroken' | 'namespaces' | 'readable' | 'refreshed'>;
};

/** The part of a runner that does not depend on its kind's types. */
export type RunningKind = Pick<
  KindRunner<never>,
  | 'subscriptions'
  | 'report'
  | 'queue'
  | 'lead'
  | 'readableChanged'
  | 'beginAnew'
  | 'eventsDrained'
  | 'stop'
>;

export class KindRunner<World, Decided extends Decision = Decision> {
  readonly subscriptions: readonly Subscription[];
  readonly #options: KindRunnerOptions<World, Decided>;
  readonly #engine: Engine<World, Decided>;
  readonly #needed: readonly Subscription[];
  /** Namespaces that are open, or open when their lists are there; each with its own start. */
  readonly #opened = new Map<string, symbol>();
  #isLeading = false;
  /** It may still wait for its lists. */
  #isBegun = false;
  #isStarted = false;
  /** Counts starts and ends. */
  #term = 0;
  #ended: Promise<void> = Promise.resolve();
  #told: KindReport['state'] = 'Syncing';
  /** Messages by namespace: those that were logged as unreadable. */
  #toldUnreadable: ReadonlyMap<string, string> = new Map();

  constructor(options: KindRunnerOptions<World, Decided>) {
    this.#options = options;
    this.#engine = new Engine(options);
    this.subscriptions = options.controller.subscriptions(this.#engine.wake);
    this.#needed = this.subscriptions.filter(({ isOptional }) => isOptional !== true);
    this.#closeAll();
  }

  get report(): KindReport {
    return reportOf(this.#options.controller.name, this.#readable);
  }

  get #readable(): Readable {
    return this.#options.watches.readable(this.#needed);
  }

  /** For a kind's own sources, such as probes. */
  readonly wake = (key: string): void => this.#engine.wake(key);

  get queue(): QueueFigures {
    return this.#engine.queue.figures;
  }

  /** Resolves when the kind runs, or has stopped. */
  async lead(isLeading: boolean): Promise<void> {
    this.#isLeading = isLeading;
    await this.readableChanged();
  }

  /** To call whenever `watches.readable` may return something new. */
  async readableChanged(): Promise<void> {
    this.#tell();
    const isWanted = this.#isLeading && this.#readable.state === 'synced';
    if (!isWanted) await (this.#isBegun ? this.#end() : this.#ended);
    else if (this.#isBegun) await this.#openReadable();
    else await this.#begin();
  }

  /** Starts over, as if this replica had just become the leader. */
  async beginAnew(): Promise<void> {
    if (this.#isBegun) await this.#end();
    await this.readableChanged();
  }

  eventsDrained(): Promise<void> {
    return this.#engine.eventsDrained();
  }

  async stop(): Promise<void> {
    this.#term += 1;
    await this.#engine.stop();
    this.#options.controller.paused?.();
    await this.#options.controller.close?.();
  }

  /** Lists first: a watch that lags may hide what the leader before has done. */
  async #begin(): Promise<void> {
    this.#isBegun = true;
    this.#term += 1;
    const own = this.#term;
    await this.#ended;
    await this.#options.watches.refreshed(this.#needed);
    if (own !== this.#term) return;
    this.#engine.start();
    this.#isStarted = true;
    await this.#openReadable();
  }

  #end(): Promise<void> {
    this.#isBegun = false;
    this.#isStarted = false;
    this.#term += 1;
    this.#ended = this.#engine.pause();
    this.#closeAll();
    return this.#ended;
  }

  #closeAll(): void {
    this.#opened.clear();
    for (const namespace of this.#options.watches.namespaces) this.#engine.close(namespace);
  }

  /** Each namespace begins as with a new leader: its lists first, then every object. */
  async #openReadable(): Promise<void> {
    const readable = this.#readable;
    if (!this.#isStarted || readable.state !== 'synced') return;
    const unreadable = new Set(readable.unreadable.map(({ namespace }) => namespace));
    const { namespaces } = this.#options.watches;
    for (const namespace of unreadable) {
      this.#opened.delete(namespace);
      this.#engine.close(namespace);
    }
    const isNew = (name: string): boolean => !unreadable.has(name) && !this.#opened.has(name);
    await Promise.all(namespaces.filter(isNew).map((name) => this.#open(name)));
  }

  async #open(namespace: string): Promise<void> {
    const start = Symbol(namespace);
    this.#opened.set(namespace, start);
    await this.#options.watches.refreshed(this.#needed, namespace);
    // It may have been closed meanwhile, and opened again.
    if (this.#opened.get(namespace) === start) this.#engine.open(namespace);
  }

  #tell(): void {
    const { report } = this;
    this.#tellUnreadable(report);
    if (report.state === this.#told) return;
    this.#told = report.state;
    const { log } = this.#options;
    if (report.state === 'Off') log.warn(`${report.kind} is off`, report);
    else log.info(`${report.kind} is on`, report);
  }

  #tellUnreadable(report: KindReport): void {
    const { log } = this.#options;
    const { kind } = report;
    const denied = (report.state === 'On' ? (report.unreadable ?? []) : []).filter(
      ({ reason }) => reason === 'Forbidden',
    );
    const before = this.#toldUnreadable;
    this.#toldUnreadable = new Map(denied.map((it) => [it.namespace, it.message]));
    for (const { namespace, message } of denied)
      if (before.get(namespace) !== message)
        log.warn(`${kind} rests in a namespace that cannot be read`, { kind, namespace, message });
    if (report.state !== 'On') return;
    for (const namespace of before.keys())
      if (!this.#toldUnreadable.has(namespace))
        log.info(`${kind} goes on in a namespace that can be read again`, { kind, namespace });
  }
}
