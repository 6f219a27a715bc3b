// What did the scale of each object say last, of kinds that no watch reports? Each is read at a
// pace while a group needs it, and listeners hear of each new answer.

import { type Kind, type NamedKind, namedText } from '../../api/kinds.ts';
import { isName, type KubeObject, type Ref } from '../../api/objects.ts';
import { type ObservedScale, parseScale } from '../../api/observed.ts';
import { errorText } from '../../api/text.ts';
import { isSameJson } from '../../core/json.ts';
import type { CallOptions, KubeApi } from '../client/api.ts';
import { KubeError, orNothing } from '../client/errors.ts';
import type { Clock } from '../clock.ts';
import { FairSemaphore } from '../queue/fair-semaphore.ts';
import { ServedKinds } from './served-kinds.ts';

export type ScaledRef = NamedKind & { readonly namespace: string; readonly name: string };

export type ScaleReading =
  /** It is being asked for the first time. */
  | { readonly state: 'pending' }
  | { readonly state: 'found'; readonly kind: Kind; readonly scale: ObservedScale }
  /** There is no such object. */
  | { readonly state: 'missing' }
  | { readonly state: 'refused'; readonly why: string };

type Answer = Exclude<ScaleReading, { readonly state: 'pending' }>;
/** A failure may have passed at the next request. */
type Failure = { readonly state: 'failed'; readonly why: string };

/** Undefined: no group reads it any more. */
type Listener = (ref: ScaledRef, reading: ScaleReading | undefined) => void;

type ScaleReadingsOptions = {
  readonly api: Pick<KubeApi, 'getScale' | 'resources'>;
  readonly clock: Clock;
  /** The kinds that may be read. */
  readonly kinds: readonly NamedKind[];
};

type Polled = {
  readonly ref: ScaledRef;
  /** By name: the pace that each needs. */
  readonly readers: Map<string, number>;
  /** Since when a group has read it. */
  readonly sinceMs: number;
  askedMs: number;
  isUnderWay: boolean;
  /** Grows when an answer that is under way becomes outdated. */
  turn: number;
  known: Answer | undefined;
  failing: { readonly sinceMs: number; readonly why: string } | undefined;
  told: ScaleReading;
  /** Of the timer until it is asked again. */
  cancel: () => void;
};

/** Of one kind: a server that hangs delays those of no other kind. */
const MOST_REQUESTS = 8;
const ANSWER_MS = 5_000;
/** After a failure it is asked again so soon. */
const FAILED_AGAIN_MS = 5_000;
/** During a shorter outage the last answer stays. */
const KEPT_MS = 60_000;
/** A group waits no longer for the first answer. */
const PENDING_MS = 10_000;

/**
 * Guarantees: an object has one request under way at a time, and none once no group reads it; a
 * kind has a few under way, and one for each namespace, which take turns.
 */
export class ScaleReadings {
  readonly kinds: readonly NamedKind[];
  readonly #api: ScaleReadingsOptions['api'];
  readonly #clock: Clock;
  readonly #served: ServedKinds;
  readonly #ended = new AbortController();
  readonly #listeners: Listener[] = [];
  /** By name of the kind. */
  readonly #requests: ReadonlyMap<string, FairSemaphore>;
  readonly #polled = new Map<string, Polled>();
  /** By reader. */
  readonly #read = new Map<string, ReadonlySet<string>>();

  constructor({ api, clock, kinds }: ScaleReadingsOptions) {
    this.kinds = kinds;
    this.#api = api;
    this.#clock = clock;
    this.#served = new ServedKinds(api, clock);
    this.#requests = new Map(
      kinds.map((kind) => [namedText(kind), new FairSemaphore(MOST_REQUESTS)]),
    );
  }

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** From now on these are asked for this reader, and no others. */
  follow(reader: string, refs: readonly ScaledRef[], paceMs: number): void {
    const wanted = new Set(refs.map(keyOfScale));
    for (const key of this.#read.get(reader) ?? []) if (!wanted.has(key)) this.#leave(key, reader);
    if (wanted.size === 0) this.#read.delete(reader);
    else this.#read.set(reader, wanted);
    for (const ref of refs) {
      const key = keyOfScale(ref);
      const polled = this.#polled.get(key) ?? this.#begin(key, ref);
      const before = polled.readers.get(reader);
      polled.readers.set(reader, paceMs);
      if (before !== paceMs) this.#plan(polled);
    }
  }

  /** What is known of an object that is followed. */
  reading(ref: ScaledRef): ScaleReading {
    const polled = this.#polled.get(keyOfScale(ref));
    return polled === undefined ? { state: 'pending' } : this.#readingOf(polled);
  }

  release(reader: string): void {
    for (const key of this.#read.get(reader) ?? []) this.#leave(key, reader);
    this.#read.delete(reader);
  }

  /** A write was answered with it: newer than any answer under way. */
  take(kind: Kind, { namespace = '', name }: Ref, object: KubeObject): void {
    const polled = this.#polled.get(keyOfScale({ ...kind, namespace, name }));
    const scale = parseScale(object);
    if (polled === undefined || scale === undefined) return;
    polled.turn += 1;
    this.#note(polled, { state: 'found', kind, scale });
  }

  /** What is known of it is outdated, or may be. */
  markOutdated(kind: Kind, { namespace = '', name }: Ref): void {
    const polled = this.#polled.get(keyOfScale({ ...kind, namespace, name }));
    if (polled === undefined) return;
    polled.turn += 1;
    polled.askedMs = Number.NEGATIVE_INFINITY;
    this.#plan(polled);
  }

  stop(): void {
    for (const reader of [...this.#read.keys()]) this.release(reader);
    this.#ended.abort();
  }

  #begin(key: string, ref: ScaledRef): Polled {
    const polled: Polled = {
      ref,
      readers: new Map(),
      sinceMs: this.#clock.monotonic(),
      askedMs: Number.NEGATIVE_INFINITY,
      isUnderWay: false,
      turn: 0,
      known: undefined,
      failing: undefined,
      told: { state: 'pending' },
      cancel: () => undefined,
    };
    this.#polled.set(key, polled);
    return polled;
  }

  #leave(key: string, reader: string): void {
    const polled = this.#polled.get(key);
    polled?.readers.delete(reader);
    if (polled === undefined || polled.readers.size > 0) return;
    polled.cancel();
    this.#polled.delete(key);
    this.#requestsOf(polled)?.abandon(polled, new Error('no group needs it any more'));
    this.#tell(polled.ref, undefined);
  }

  #requestsOf({ ref }: Polled): FairSemaphore | undefined {
    return this.#requests.get(namedText(ref));
  }

  #plan(polled: Polled): void {
    polled.cancel();
    const least = Math.min(...polled.readers.values());
    const paceMs = polled.failing === undefined ? least : Math.min(least, FAILED_AGAIN_MS);
    const leftMs = polled.askedMs + paceMs - this.#clock.monotonic();
    polled.cancel = this.#clock.after(Math.max(0, leftMs), () => void this.#ask(polled));
  }

  async #ask(polled: Polled): Promise<void> {
    const requests = this.#requestsOf(polled);
    if (polled.isUnderWay || requests === undefined) return;
    polled.isUnderWay = true;
    const { namespace } = polled.ref;
    try {
      await requests.acquire(namespace, polled);
    } catch {
      return;
    }
    const { turn } = polled;
    polled.askedMs = this.#clock.monotonic();
    const answer = await this.#answerTo(polled.ref);
    requests.release(namespace);
    polled.isUnderWay = false;
    if (polled.readers.size === 0) return;
    if (turn === polled.turn) this.#note(polled, answer);
    this.#plan(polled);
  }

  async #answerTo(ref: ScaledRef): Promise<Answer | Failure> {
    if (!isName(ref.name)) return { state: 'missing' };
    const options: CallOptions = { timeoutMs: ANSWER_MS, signal: this.#ended.signal };
    try {
      return await this.#scaleOf(ref, options);
    } catch (error) {
      const why = errorText(error);
      const isFinal = error instanceof KubeError && error.verdict === 'terminal';
      return { state: isFinal ? 'refused' : 'failed', why: `cannot read its scale: ${why}` };
    }
  }

  async #scaleOf(ref: ScaledRef, options: CallOptions): Promise<Answer> {
    const served = await this.#served.find(ref, options);
    if (!served.ok) return { state: 'refused', why: served.why };
    const { namespace, name } = ref;
    const object = await orNothing(this.#api.getScale(served.kind, { namespace, name }, options));
    if (object === undefined) return this.#absent(ref, options);
    const scale = parseScale(object);
    return scale === undefined
      ? { state: 'refused', why: `its scale is a ${object.kind} without replicas` }
      : { state: 'found', kind: served.kind, scale };
  }

  /** What is absent may be the object, its kind, or the kind's scale subresource. */
  async #absent(ref: ScaledRef, options: CallOptions): Promise<Answer> {
    this.#served.markOutdated(ref);
    const served = await this.#served.find(ref, options);
    return served.ok ? { state: 'missing' } : { state: 'refused', why: served.why };
  }

  #note(polled: Polled, answer: Answer | Failure): void {
    if (answer.state === 'failed') {
      const sinceMs = polled.failing?.sinceMs ?? polled.askedMs;
      polled.failing = { sinceMs, why: answer.why };
    } else {
      polled.failing = undefined;
      polled.known = answer;
    }
    const reading = this.#readingOf(polled);
    if (isSameJson(reading, polled.told)) return;
    polled.told = reading;
    this.#tell(polled.ref, reading);
  }

  #readingOf({ known, failing, sinceMs }: Polled): ScaleReading {
    const nowMs = this.#clock.monotonic();
    if (known !== undefined && nowMs - (failing?.sinceMs ?? nowMs) < KEPT_MS) return known;
    if (known === undefined && nowMs - sinceMs < PENDING_MS) return { state: 'pending' };
    return { state: 'refused', why: failing?.why ?? 'its scale has not been read yet' };
  }

  #tell(ref: ScaledRef, reading: ScaleReading | undefined): void {
    for (const listener of this.#listeners) listener(ref, reading);
  }
}

const keyOfScale = (ref: ScaledRef): string => `${namedText(ref)} ${ref.namespace}/${ref.name}`;
