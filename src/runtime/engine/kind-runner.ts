// When does a kind run? While this replica leads and can read everything that the kind watches.
import type { Kind } from '../../api/kinds.ts';
import type { Decision } from '../../core/decision.ts';
import type { QueueFigures } from '../queue/workqueue.ts';
import type { SwarmOperator } from '../watch/operator.ts';
import type { Subscription } from '../watch/subscriptions.ts';
import { Engine, type EngineOptions } from './engine.ts';

/** Off: the operator decides nothing about objects of this kind. All other kinds run. */
export type KindReport =
  | { readonly kind: string; readonly state: 'Syncing' | 'On' }
  | {
      readonly kind: string;
      readonly state: 'Off';
      readonly reason: 'NotInstalled' | 'Forbidden' | 'LeftOut';
      readonly message: string;
    };

export type KindRunnerOptions<World, Decided extends Decision> = EngineOptions<World, Decided> & {
  readonly watches: Pick<SwarmOperator, 'isBroken' | 'readable' | 'refreshed'>;
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
  readonly #kinds: readonly Kind[];
  #isLeading = false;
  /** It may still wait for its lists. */
  #isBegun = false;
  /** Counts starts and ends. */
  #term = 0;
  #ended: Promise<void> = Promise.resolve();
  #told: KindReport['state'] = 'Syncing';

  constructor(options: KindRunnerOptions<World, Decided>) {
    this.#options = options;
    this.#engine = new Engine(options);
    this.subscriptions = options.controller.subscriptions(this.#engine.wake);
    const needed = this.subscriptions.filter(({ isOptional }) => isOptional !== true);
    this.#kinds = needed.map(({ kind }) => kind);
  }

  get report(): KindReport {
    const kind = this.#options.controller.name;
    const readable = this.#options.watches.readable(this.#kinds);
    if (readable.state === 'syncing') return { kind, state: 'Syncing' };
    if (readable.state === 'synced') return { kind, state: 'On' };
    const isInstalled = readable.denial.code !== 'NotFound';
    return {
      kind,
      state: 'Off',
      reason: isInstalled ? 'Forbidden' : 'NotInstalled',
      message: isInstalled
        ? readable.denial.message
        : `the cluster does not serve ${readable.kind.plural}.${readable.kind.group}`,
    };
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
    const isWanted = this.#isLeading && this.report.state === 'On';
    if (isWanted && !this.#isBegun) await this.#begin();
    if (!isWanted) await (this.#isBegun ? this.#end() : this.#ended);
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
    await this.#options.watches.refreshed(this.#kinds);
    if (own === this.#term) this.#engine.start();
  }

  #end(): Promise<void> {
    this.#isBegun = false;
    this.#term += 1;
    this.#ended = this.#engine.pause();
    return this.#ended;
  }

  #tell(): void {
    const { report } = this;
    if (report.state === this.#told) return;
    this.#told = report.state;
    const { log } = this.#options;
    if (report.state === 'Off') log.warn(`${report.kind} is off`, report);
    else log.info(`${report.kind} is on`, report);
  }
}
