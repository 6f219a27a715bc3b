// How does a change become a decision, and a decision writes? execute(decide(observe(key), now)),
// for each key, one at a time.
import type { Kind } from '../../api/kinds.ts';
import { type KubeObject, refOf } from '../../api/objects.ts';
import { errorText } from '../../api/text.ts';
import type { Decision, Refusal, RefusedScale, Step } from '../../core/decision.ts';
import { isSameJson } from '../../core/json.ts';
import type { KubeApi } from '../client/api.ts';
import { hasCode, KubeError } from '../client/errors.ts';
import type { Clock } from '../clock.ts';
import { Abandoned, type TurnScheduler } from '../queue/turn-scheduler.ts';
import { type QueueObserver, WorkQueue } from '../queue/workqueue.ts';
import type { Controller, Observer } from './controller.ts';
import { type EventLoss, EventWriter } from './event-writer.ts';
import { type Executor, execute } from './execute.ts';
import { statusAndItsEvents, withoutCreation } from './partial.ts';
import { Resync } from './resync.ts';

/** A refused write is tried again this often: rights may be granted, quotas raised. */
const REFUSED_MS = 15_000;
/**
 * After a decision that took this long, its key rests for as long: a pool whose workers all answer
 * at once is decided a few times, not once for each answer.
 */
const RESTING_FROM_MS = 5;
const LONGEST_REST_MS = 500;
/** How long the end of a process or term waits for events. */
const LAST_EVENTS_MS = 1_000;

type EngineLog = {
  debug(message: string, facts: object): void;
  info(message: string, facts: object): void;
  warn(message: string, facts: object): void;
  error(message: string, facts: object): void;
};

export type EngineOptions<World, Decided extends Decision = Decision> = {
  readonly controller: Controller<World, Decided>;
  readonly api: KubeApi;
  readonly clock: Clock;
  /** Its turns are shared with other kinds. */
  readonly scheduler: TurnScheduler;
  readonly log: EngineLog;
  readonly identity: string;
  readonly concurrency: number;
  readonly resyncMs: number;
  readonly isLeading: () => boolean;
  readonly onWritten: (kind: Kind, object: KubeObject) => void;
  readonly observers?: readonly Observer<World, Decided>[] | undefined;
  readonly queueObserver?: QueueObserver | undefined;
  /** A request for an object of this namespace was forbidden. */
  readonly onForbidden?: ((namespace: string) => void) | undefined;
  readonly onEventLost?: ((why: EventLoss) => void) | undefined;
};

export class Engine<World, Decided extends Decision = Decision> {
  readonly #options: EngineOptions<World, Decided>;
  readonly #executor: Executor;
  readonly #events: EventWriter;
  readonly queue: WorkQueue;
  readonly #refusals = new Map<string, Refusal>();
  /** Keys whose namespace is being deleted. */
  readonly #ending = new Set<string>();
  /** Keys that were observed in this term: observers and the kind may remember something. */
  readonly #begun = new Set<string>();
  /** Namespaces in which nothing is decided. */
  readonly #closed = new Set<string>();
  readonly #resync: Resync;
  #isRunning = false;

  constructor(options: EngineOptions<World, Decided>) {
    const { api, clock, identity, isLeading, onWritten, log, concurrency, controller } = options;
    this.#options = options;
    const onLost = (why: EventLoss, error?: unknown): void => {
      options.onEventLost?.(why);
      const isUsual = why === 'dropped' || hasCode(error, 'NamespaceTerminating');
      log[isUsual ? 'debug' : 'warn']('an event could not be written', {
        why,
        ...(error !== undefined && { error: String(error) }),
      });
    };
    this.#events = new EventWriter({ api, clock, identity, isLeading, onLost });
    this.#executor = {
      api,
      events: this.#events,
      isLeading,
      onWritten,
      onScaled: (kind, ref, scale) => controller.scaled?.(kind, ref, scale),
      markOutdated: (kind, ref) => controller.markOutdated?.(kind, ref),
    };
    this.queue = new WorkQueue({
      clock,
      concurrency,
      handle: (key) => this.#handle(key),
      groupOf: namespaceIn,
      observer: options.queueObserver,
    });
    this.#resync = new Resync({
      clock,
      periodMs: options.resyncMs,
      keys: () => controller.keys(),
      wake: this.wake,
      // A namespace of the same name may have been created since.
      onPeriod: () => this.#ending.clear(),
    });
  }

  readonly wake = (key: string): void => {
    if (this.#isRunning && !this.#isClosed(key)) this.queue.add(key);
    // The start, or the opening of the namespace, decides about every key: this one need not wait.
    else this.#options.controller.skipped?.(key);
  };

  /** This replica leads, and the caches are synced. */
  start(): void {
    this.#isRunning = true;
    for (const key of this.#options.controller.keys())
      if (!this.#isClosed(key)) this.queue.add(key);
    this.queue.start();
    this.#resync.start();
  }

  /** This namespace cannot be read: its objects rest, and what was known of them is forgotten. */
  close(namespace: string): void {
    const isNews = !this.#closed.has(namespace);
    this.#closed.add(namespace);
    if (!this.#isRunning || !isNews) return;
    for (const key of this.#keysIn(namespace)) this.#letGo(key);
  }

  /** This namespace can be read, and its caches are synced. */
  open(namespace: string): void {
    if (!this.#closed.delete(namespace) || !this.#isRunning) return;
    for (const key of this.#keysIn(namespace)) this.queue.add(key);
  }

  #isClosed(key: string): boolean {
    return this.#closed.has(namespaceIn(key));
  }

  #keysIn(namespace: string): readonly string[] {
    const keys = new Set([...this.#options.controller.keys(), ...this.#begun]);
    return [...keys].filter((key) => namespaceIn(key) === namespace);
  }

  /** This replica no longer leads. The watches go on, so that a later start is quick. */
  async pause(): Promise<void> {
    const { controller } = this.#options;
    this.#end();
    await this.queue.pause();
    this.queue.clear();
    this.#events.forget();
    // A write that is on its way must not arrive when another replica leads.
    await this.#events.drained(LAST_EVENTS_MS);
    for (const key of new Set([...controller.keys(), ...this.#begun])) this.#forget(key);
    this.#refusals.clear();
    this.#ending.clear();
    controller.paused?.();
  }

  async stop(): Promise<void> {
    this.#end();
    await this.queue.stop();
    await this.#events.drained(LAST_EVENTS_MS);
    this.#events.forget();
  }

  /** Writes the events so far, while this replica still leads. */
  eventsDrained(): Promise<void> {
    return this.#events.drained(LAST_EVENTS_MS);
  }

  #end(): void {
    this.#isRunning = false;
    this.#resync.stop();
    this.#options.scheduler.abandon();
  }

  async #handle(key: string): Promise<void> {
    if (!this.#isClosed(key)) await this.#process(key);
    // Its namespace may have been closed meanwhile.
    if (this.#isClosed(key)) this.#letGo(key);
  }

  async #process(key: string): Promise<void> {
    const { controller, clock, scheduler } = this.#options;
    this.#begun.add(key);
    const scales: RefusedScale[] = [];
    try {
      const started = clock.monotonic();
      const world = await controller.observe(key, this.#refusals.get(key));
      if (this.#isClosed(key)) return;
      if (world === undefined) {
        this.#letGo(key);
        return;
      }
      const now = clock.now();
      const { value: decision, workedMs } = await scheduler.run(
        namespaceIn(key),
        controller.decide(world, now),
      );
      if (this.#isClosed(key)) return;
      controller.follow?.(key, decision);
      const took = clock.monotonic() - started;
      this.#show((observer) => observer.decided(key, { world, decision, now, tookMs: took }));
      if (workedMs >= RESTING_FROM_MS) this.queue.rest(key, Math.min(workedMs, LONGEST_REST_MS));
      // Before the steps: the key is due then also if one of them fails.
      if (decision.requeueAfterMs !== undefined) this.queue.addAfter(key, decision.requeueAfterMs);
      const steps = this.#ending.has(key) ? withoutCreation(decision.steps) : decision.steps;
      await execute(this.#executor, steps, (step, error) => {
        if (step.do === 'scale' && error instanceof KubeError && error.verdict === 'terminal')
          scales.push({ kind: step.kind.kind, name: step.ref.name, message: error.message });
      });
      this.queue.forget(key);
      this.#log(key, steps, controller.facts?.(decision) ?? {});
      // The status still reports the refusal.
      if (this.#refusals.delete(key)) this.queue.add(key);
    } catch (error) {
      await this.#failed(key, error, scales);
    }
  }

  /** Of an object that is gone, or rests. */
  #letGo(key: string): void {
    this.#forget(key);
    this.queue.drop(key);
    this.#refusals.delete(key);
    this.#ending.delete(key);
  }

  #forget(key: string): void {
    this.#begun.delete(key);
    this.#options.controller.forget?.(key);
    this.#show((observer) => observer.forgotten(key));
  }

  /** An observer that throws stops nothing. */
  #show(tell: (observer: Observer<World, Decided>) => void): void {
    for (const observer of this.#options.observers ?? []) {
      try {
        tell(observer);
      } catch (error) {
        this.#options.log.error('an observer failed; this is a bug in the operator', {
          error: String(error),
        });
      }
    }
  }

  #subject(key: string): object {
    return { kind: this.#options.controller.name, ...refOf(key) };
  }

  /** Counts steps; events say what they achieved. */
  #log(key: string, steps: readonly Step[], facts: object): void {
    if (steps.length === 0) return;
    const counts: Record<string, number> = {};
    for (const { do: what } of steps) counts[what] = (counts[what] ?? 0) + 1;
    const isNews = steps.some(({ do: what }) => what !== 'status' && what !== 'event');
    this.#options.log[isNews ? 'info' : 'debug']('done', {
      ...this.#subject(key),
      ...facts,
      ...counts,
    });
  }

  /** The only place that decides about retries. */
  async #failed(key: string, error: unknown, scales: readonly RefusedScale[]): Promise<void> {
    const { log, isLeading } = this.#options;
    // The next leader decides about every key.
    if (error instanceof Abandoned) return;
    this.#show((observer) => observer.failed(key));
    const facts = {
      ...this.#subject(key),
      error: errorText(error),
    };
    if (!isLeading()) {
      log.info('no longer leading: the next leader will do it', facts);
      return;
    }
    if (!(error instanceof KubeError)) {
      log.error('a decision failed; this is a bug in the operator', {
        ...facts,
        stack: error instanceof Error ? error.stack : undefined,
      });
      await this.#tellFailed(key, undefined);
      this.queue.retry(key, REFUSED_MS);
      return;
    }
    if (hasCode(error, 'Conflict', 'Stale', 'AlreadyExists', 'NotFound')) {
      // The decision used an outdated cache; the watch will bring the change.
      log.debug('conflict with a newer version: deciding again', facts);
      this.queue.retry(key);
      return;
    }
    if (hasCode(error, 'NamespaceTerminating')) {
      log.debug('the namespace is being deleted: creating nothing in it', facts);
      this.#ending.add(key);
      this.queue.forget(key);
      return;
    }
    if (hasCode(error, 'Forbidden')) this.#options.onForbidden?.(namespaceIn(key));
    const refusal = refusalIn(error, scales);
    const isNews = refusal !== undefined && !isSameJson(this.#refusals.get(key), refusal);
    if (refusal !== undefined) this.#refusals.set(key, refusal);
    log.warn(
      error.verdict === 'retry' ? 'a write failed: retrying' : 'the API server refused a write',
      {
        ...facts,
        code: error.code,
      },
    );
    if (isNews) await this.#tell(key);
    this.queue.retry(key, error.verdict === 'retry' ? error.retryAfterMs : REFUSED_MS);
  }

  /**
   * Writes the status that reports a refusal at once, with its events, and nothing else: the retry
   * has its own time.
   */
  async #tell(key: string): Promise<void> {
    const { controller, clock, log, scheduler } = this.#options;
    try {
      const world = await controller.observe(key, this.#refusals.get(key));
      if (world === undefined) return;
      const { value: decision } = await scheduler.run(
        namespaceIn(key),
        controller.decide(world, clock.now()),
      );
      await execute(this.#executor, statusAndItsEvents(decision.steps));
    } catch (error) {
      log.debug('cannot report a refusal in status in full', {
        ...this.#subject(key),
        error: String(error),
      });
      await this.#tellFailed(key, this.#refusals.get(key));
    }
  }

  /** Status reports that observing or deciding failed, from the object alone. */
  async #tellFailed(key: string, refused: Refusal | undefined): Promise<void> {
    const { controller, clock, log } = this.#options;
    try {
      await execute(
        this.#executor,
        controller.decideFailed(key, refused, clock.now())?.steps ?? [],
      );
    } catch (error) {
      log.debug('cannot report a failure in status', {
        ...this.#subject(key),
        error: String(error),
      });
    }
  }
}

/** Status reports what the API server refuses for good, and an eviction that a budget refuses. */
function refusalIn(
  { verdict, code: reason, message }: KubeError,
  scales: readonly RefusedScale[],
): Refusal | undefined {
  return verdict === 'retry' && reason !== 'EvictionRefused'
    ? undefined
    : { reason, message, scales };
}

const namespaceIn = (key: string): string => refOf(key).namespace ?? '';
