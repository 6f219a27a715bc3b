// Does a stream that fails for long at one worker move to another one: not too soon, once, few at
// once, and in time? (streamPolicy.moveAfterSeconds)
import { placedIn } from '../../../src/api/assignment.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { asList, asNumber, asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { isReady, isTerminating } from '../cluster/facts.ts';
import { isWeighted, NAMESPACE, poolRef } from '../cluster/manifests.ts';
import type { PodRunner } from '../cluster/pod-runner.ts';
import type { SimWorker } from '../cluster/worker.ts';
import type { Sent } from '../operator/sim-api.ts';
import type { Shape } from '../story/story.ts';
import type { Violation } from '../world.ts';
import { publishedIn, streamsIn } from './published.ts';

export type ElsewhereFacts = {
  readonly server: ApiServer;
  readonly clock: Clock;
  readonly shape: Shape;
  readonly runners: () => readonly PodRunner[];
  readonly declaredDead: ReadonlySet<string>;
  /** A user may have put an older publication back. */
  readonly isEditedByHand: () => boolean;
  readonly report: (violation: Violation) => void;
};

/** A worker is asked so often at last, and may have become well since. */
const AUDIT_MS = 35_000;
/** An audit, a decision and a write come after the time. */
const LATE_MS = 45_000;
/** Where weights leave no room, streams wait in vain. */
const PATIENCE_MS = 300_000;
/** ConfigMap, annotations, status and events of one move. */
const WRITES = 4;
/**
 * With Auto, a worker that does not follow its file is replaced besides: two more annotations, a
 * note, the eviction, the annotation of the next pod, two of status and an Event. Four to a change.
 */
const REPLACEMENT = 2;

type At = { readonly pod: string; readonly uid: string; readonly worker: SimWorker };
type Move = { readonly stream: string; readonly at: number };
type Failure = { readonly since: number; until: number; isOver: boolean };

export class ElsewhereOracle {
  readonly #with: ElsewhereFacts;
  /** By UID of a pod and stream: when it failed there last. */
  readonly #failures = new Map<string, Failure>();
  /** The same, for the leader that leads without hindrance. */
  #calm: { readonly key: string; readonly since: Map<string, number> } | undefined;
  readonly #moves: Move[] = [];
  readonly #lied = new Set<string>();
  /** By stream: the worker that it left last, until a publication says that it failed there. */
  readonly #left = new Map<string, string>();
  #last: ReturnType<typeof publishedIn>;
  #most = 0;
  #isAsked = false;
  /** Versions in which a stream moved, each with the workers that were replaced for it. */
  readonly #replaced = new Map<number, Set<string>>();
  #movedAt = Number.NEGATIVE_INFINITY;
  changes = 0;

  constructor(facts: ElsewhereFacts) {
    this.#with = facts;
  }

  get #pool(): KubeObject | undefined {
    return this.#with.server.find(kinds.SwarmPool, poolRef);
  }

  get #afterMs(): number | undefined {
    const seconds = asNumber(dig(this.#pool, 'spec', 'streamPolicy', 'moveAfterSeconds'));
    return seconds === undefined ? undefined : seconds * 1000;
  }

  get #workers(): readonly At[] {
    return this.#with.runners().flatMap(({ pod, worker }) => {
      const { name, uid = '' } = pod.metadata;
      return worker?.isServing === true ? [{ pod: name, uid, worker }] : [];
    });
  }

  /** Often enough that no operator can have heard of a failure that is not noted. */
  note(): void {
    this.#isAsked ||= this.#afterMs !== undefined;
    if (!this.#isAsked) return;
    const now = this.#with.clock.monotonic();
    for (const { uid, worker } of this.#workers) {
      if (worker.telling !== 'all') this.#lied.add(uid);
      const failing = new Set(worker.failing().map((stream) => `${uid} ${stream}`));
      for (const [key, failure] of this.#failures)
        if (key.startsWith(`${uid} `) && !failing.has(key)) failure.isOver = true;
      for (const key of failing) {
        const known = this.#failures.get(key);
        if (known?.isOver === false) known.until = now;
        else this.#failures.set(key, { since: now, until: now, isOver: false });
      }
    }
  }

  /** What stood there is there again. */
  onRestore(): void {
    this.#last = publishedIn(this.#with.server);
    this.#moves.length = 0;
    this.#left.clear();
    this.#calm = undefined;
  }

  /** A worker is replaced once for each version that moves a stream. */
  onWrite({ call: { verb, name = '' } }: Sent): void {
    if (verb !== 'evict' || dig(this.#pool, 'spec', 'refresh', 'mode') !== 'Auto') return;
    const replaced = this.#replaced.get(this.#last?.version ?? 0);
    if (replaced === undefined || replaced.has(name)) return;
    replaced.add(name);
    this.changes += REPLACEMENT;
  }

  onPublication(): void {
    this.note();
    if (!this.#isAsked) return;
    const before = this.#last;
    const now = publishedIn(this.#with.server);
    this.#last = now;
    this.#most = Math.max(this.#most, Math.floor(streamsIn(now).size / 10), 1);
    // A worker keeps a suspended stream.
    const placed = new Map([...(now?.workloads ?? [])].map(([at, it]) => [at, placedIn(it)]));
    for (const [from, slice] of before?.workloads ?? [])
      for (const stream of placedIn(slice)) {
        if (placed.get(from)?.includes(stream) === true) continue;
        this.#left.set(stream, from);
        if (this.#failureAt(from, stream)?.isOver === false)
          this.#movedAt = this.#with.clock.monotonic();
      }
    // A stream that came back counts as left only once it leaves again.
    for (const [at, streams] of placed)
      for (const stream of streams) if (this.#left.get(stream) === at) this.#left.delete(stream);
    // With several shards, one of them says where it went, and another one may say why, later.
    for (const [stream, from] of now?.movedFrom ?? [])
      if (this.#left.get(stream) === from) {
        this.#left.delete(stream);
        this.#moved(stream, from);
      }
  }

  #moved(stream: string, from: string): void {
    const now = this.#with.clock.monotonic();
    const afterMs = this.#afterMs;
    this.changes += WRITES;
    this.#movedAt = now;
    this.#replaced.set(this.#last?.version ?? 0, new Set());
    if (afterMs === undefined) return;
    const last = this.#moves.findLast((move) => move.stream === stream);
    this.#moves.push({ stream, at: now });
    if (this.#with.isEditedByHand()) return;
    const said = `${stream} leaves ${from}`;
    if (last !== undefined && now - last.at < afterMs)
      this.#fail('moves once', `${said} ${now - last.at} ms after it moved`);
    const lately = this.#moves.filter(({ at }) => now - at < afterMs);
    if (lately.length > this.#most)
      this.#fail(
        'few at once',
        `${said}, and ${lately.length - 1} have moved within ${afterMs} ms`,
      );
    const uids = this.#uidsOf(from);
    const { since = now, until = now } = this.#failureAt(from, stream) ?? {};
    // Its pod may have gone meanwhile, and a worker may have lied.
    if (uids.length !== 1 || uids.some((uid) => this.#lied.has(uid))) return;
    if (now - since < afterMs || now - until > AUDIT_MS)
      this.#fail('not too soon', `${said} at ${now}, and failed there from ${since} to ${until}`);
  }

  #uidsOf(name: string): readonly string[] {
    return this.#with
      .runners()
      .flatMap(({ pod: { metadata } }) => (metadata.name === name ? [metadata.uid ?? ''] : []));
  }

  #failureAt(worker: string, stream: string): Failure | undefined {
    const [uid = ''] = this.#uidsOf(worker);
    return this.#failures.get(`${uid} ${stream}`);
  }

  /** Those that are still to move, if it has failed for so long. */
  *#pending(tells = ({ telling }: SimWorker): boolean => telling === 'all'): Iterable<string> {
    const { server, declaredDead } = this.#with;
    const pool = this.#pool;
    if (this.#afterMs === undefined || dig(pool, 'spec', 'probe', 'type') === 'None') return;
    const published = publishedIn(server);
    const pinned = asList(dig(pool, 'spec', 'streams')).flatMap((it) =>
      dig(it, 'ordinal') === undefined ? [] : [asString(dig(it, 'name')) ?? ''],
    );
    const ready = this.#workers.filter(({ pod, uid }) => {
      const present = server.find(kinds.Pod, { namespace: NAMESPACE, name: pod });
      return (
        present?.metadata.uid === uid &&
        isReady(present) &&
        !isTerminating(present) &&
        !declaredDead.has(uid) &&
        published?.workloads.has(pod) === true
      );
    });
    if (ready.length < 2) return;
    for (const { pod, uid, worker } of ready)
      for (const stream of tells(worker) ? worker.failing() : [])
        if (
          published?.workloads.get(pod)?.jobs.includes(stream) === true &&
          published.movedFrom?.has(stream) !== true &&
          !pinned.includes(stream)
        )
          yield `${uid} ${stream}`;
  }

  get isMoving(): boolean {
    if (!this.#isAsked) return false;
    this.note();
    const now = this.#with.clock.monotonic();
    // It may fail where it is now, and that is told at an audit.
    if (now - this.#movedAt < LATE_MS) return true;
    // With several shards: the next write takes it from the worker that it leaves.
    const given = [...(this.#last?.workloads.values() ?? [])].flatMap(({ jobs }) => jobs);
    if (new Set(given).size < given.length) return true;
    const sinceOf = (key: string): number => this.#failures.get(key)?.since ?? now;
    const patienceMs = isWeighted(this.#with.shape) ? PATIENCE_MS : Number.POSITIVE_INFINITY;
    if ([...this.#pending()].some((key) => now - sinceOf(key) < patienceMs)) return true;
    // One that reports false data besides may be believed about its own streams, or not.
    const all = [...this.#pending(({ telling }) => telling !== 'nothing')];
    return all.some((key) => now - sinceOf(key) < PATIENCE_MS);
  }

  /** Of the leading process, undisturbed; without a leader, all measurements start over. */
  look(leader: string | undefined): void {
    if (!this.#isAsked) return;
    this.note();
    const afterMs = this.#afterMs;
    const pool = this.#pool;
    // Weights may leave no room, and other fields make a move wait.
    const isPlain =
      !isWeighted(this.#with.shape) &&
      !['cordoned', 'failover'].some(
        (field) => dig(pool, 'spec', 'workers', field) !== undefined,
      ) &&
      (asNumber(dig(pool, 'spec', 'rebalance', 'maxMoves')) ?? 0) === 0 &&
      isCondition(pool, 'Converged');
    if (leader === undefined || afterMs === undefined || !isPlain) {
      this.#calm = undefined;
      return;
    }
    const now = this.#with.clock.monotonic();
    const { uid = '', generation } = pool?.metadata ?? {};
    const key = `${leader} ${uid} ${generation}`;
    const before = this.#calm?.key === key ? this.#calm.since : new Map<string, number>();
    const since = new Map([...this.#pending()].map((it) => [it, before.get(it) ?? now]));
    this.#calm = { key, since };
    const isFree = now - (this.#moves.at(-1)?.at ?? -afterMs - LATE_MS) >= afterMs + LATE_MS;
    for (const [stream, at] of since)
      if (isFree && now - at >= afterMs + LATE_MS)
        this.#fail('moves in time', `${stream} fails there for ${now - at} ms, and does not move`);
  }

  #fail(oracle: string, message: string): void {
    this.#with.report({ oracle, message });
  }
}

const isCondition = (pool: KubeObject | undefined, type: string): boolean =>
  asList(dig(pool, 'status', 'conditions')).some(
    (it) => dig(it, 'type') === type && dig(it, 'status') === 'True',
  );
