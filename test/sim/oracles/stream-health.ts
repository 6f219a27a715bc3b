// Does a pool say how its streams are? Compares what status says with which processes really fail,
// and which run although they are suspended.
import { kinds } from '../../../src/api/kinds.ts';
import { asList, asNumber, asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { isReady, isTerminating } from '../cluster/facts.ts';
import type { Ledger } from '../cluster/ledger.ts';
import { NAMESPACE, poolRef } from '../cluster/manifests.ts';
import type { PodRunner } from '../cluster/pod-runner.ts';
import type { SimWorker } from '../cluster/worker.ts';
import type { Sent } from '../operator/sim-api.ts';
import type { Violation } from '../world.ts';
import { publishedIn } from './published.ts';

export type StreamHealthFacts = {
  readonly server: ApiServer;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly runners: () => readonly PodRunner[];
  readonly isAiling: (stream: string, pod: string) => boolean;
  readonly declaredDead: ReadonlySet<string>;
  readonly strayed: ReadonlySet<string>;
  /** Faults keep operators from reading or writing, or did a moment ago. */
  readonly isHindered: () => boolean;
  readonly report: (violation: Violation) => void;
};

/** At rest every worker is probed so often; a decision and a write come after it. */
const AUDIT_MS = 30_000;
const TOLD_WITHIN_MS = AUDIT_MS + 10_000;
/** What was true at the last audit may still be said; a faulty network makes it older. */
const LATELY_MS = AUDIT_MS + 5_000;
const LATELY_HINDERED_MS = 3 * AUDIT_MS;
/** A worker that starts again may read an old file first. */
const SUSPENDED_WITHIN_MS = 2_500;
/** A shorter part of a parameter may stand in a message by chance. */
const PART = 5;

type At = { readonly pod: string; readonly uid: string; readonly worker: SimWorker };

export class StreamHealthOracle {
  readonly #with: StreamHealthFacts;
  /** By worker and stream: when it failed last. */
  readonly #failed = new Map<string, number>();
  /** By worker and stream: since when it was published last that the one has the other. */
  readonly #given = new Map<string, number>();
  /** By UID of a pod and what it tells: it has named a stream of another worker by now. */
  readonly #naming = new Set<string>();
  #last: ReadonlySet<string> = new Set();
  /** By problem: since when, without a break. */
  #since = new Map<string, number>();
  #excusedUntil = 0;
  #signature = '';
  #changedAt = 0;
  /** How often a stream began or ceased to fail, was completed, or a worker told otherwise. */
  changes = 0;
  readonly #secrets = new Set<string>();

  constructor(facts: StreamHealthFacts) {
    this.#with = facts;
    facts.server.onChange(kinds.SwarmPool, () => this.#noteSecrets());
  }

  #noteSecrets(): void {
    for (const stream of asList(dig(this.#pool, 'spec', 'streams')))
      for (const value of Object.values((dig(stream, 'parameters') ?? {}) as object))
        if (String(value).includes('://')) this.#secrets.add(String(value));
  }

  excuse(until: number): void {
    this.#excusedUntil = Math.max(this.#excusedUntil, until);
  }

  get #pool(): KubeObject | undefined {
    return this.#with.server.find(kinds.SwarmPool, poolRef);
  }

  get #workers(): readonly At[] {
    return this.#with.runners().flatMap(({ pod, worker }) => {
      const { name, uid = '' } = pod.metadata;
      return worker?.isServing === true ? [{ pod: name, uid, worker }] : [];
    });
  }

  /** Often enough that the operator hears of no failure that is not noted. */
  note(): void {
    const now = this.#with.clock.monotonic();
    const all: string[] = [];
    for (const { pod, uid, worker } of this.#workers) {
      const told = `${uid} ${worker.telling}`;
      if (worker.telling.endsWith(' of others') && this.#runsElsewhere(uid)) this.#naming.add(told);
      if (worker.telling !== 'all') all.push(`${told} ${this.#naming.has(told)}`);
      for (const stream of worker.completed()) all.push(`${uid} ${stream} is completed`);
      for (const stream of worker.failing()) {
        all.push(`${uid} ${stream}`);
        this.#failed.set(`${pod} ${stream}`, now);
      }
    }
    const signature = all.sort().join();
    if (signature === this.#signature) return;
    this.#signature = signature;
    this.#changedAt = now;
    this.changes += 1;
  }

  #runsElsewhere(uid: string): boolean {
    const { ledger } = this.#with;
    return ledger.streams.some((stream) =>
      ledger.consumersOf(stream).every((consumer) => consumer.uid !== uid),
    );
  }

  onPublication(): void {
    const now = this.#with.clock.monotonic();
    const published = [...(publishedIn(this.#with.server)?.workloads ?? [])];
    const all = new Set(
      published.flatMap(([worker, { jobs }]) => jobs.map((stream) => `${worker} ${stream}`)),
    );
    for (const at of all) if (!this.#last.has(at)) this.#given.set(at, now);
    this.#last = all;
  }

  /** What workers report has changed a moment ago, or will change by itself. */
  get isMoving(): boolean {
    if (this.changes === 0) return false;
    const now = this.#with.clock.monotonic();
    const { isAiling } = this.#with;
    return (
      now - this.#changedAt < TOLD_WITHIN_MS ||
      this.#workers.some(({ pod, worker }) =>
        worker.failing().some((it) => !isAiling(it, pod) && worker.troubles.isRecovering(it, now)),
      )
    );
  }

  onWrite({ call, at }: Sent): void {
    const { kind, subresource, name, body } = call;
    this.note();
    if (kind.kind === 'Event') this.#checkSecrets('an Event', body);
    if (kind.kind !== 'SwarmPool' || subresource !== 'status' || name !== poolRef.name) return;
    const status = this.#pool?.['status'];
    this.#checkSecrets('status', status);
    if (at >= this.#excusedUntil) this.#checkFailing(status);
  }

  #checkSecrets(where: string, value: unknown): void {
    const text = JSON.stringify(value) ?? '';
    for (const secret of this.#secrets) {
      const parts = Array.from({ length: secret.length - PART + 1 }, (_, index) =>
        secret.slice(index, index + PART),
      );
      const part = parts.find((it) => text.includes(it));
      if (part !== undefined)
        this.#fail('no parameter', `${where} has ${part} of the parameter ${secret}: ${text}`);
    }
  }

  /** A stream that status calls failing does fail, or did at the last audit, at its worker. */
  #checkFailing(status: unknown): void {
    const now = this.#with.clock.monotonic();
    const lately = now - (this.#with.isHindered() ? LATELY_HINDERED_MS : LATELY_MS);
    const failing = failingIn(status);
    const liars = this.#workers.filter(({ worker }) => worker.telling !== 'all');
    // What a worker told before it got the stream may still be said of it.
    const isExcused = (at: string): boolean =>
      (this.#given.get(at) ?? 0) > lately && liars.some(({ pod }) => at.startsWith(`${pod} `));
    for (const at of failing.filter((it) => !isExcused(it))) {
      if ((this.#failed.get(at) ?? -1) < lately)
        this.#fail('true failing', `status says that ${at} fails, and it does not`);
      else if (!this.#given.has(at))
        this.#fail('true failing', `status says that ${at} fails, which was never assigned so`);
    }
    const count = asNumber(dig(status, 'streams', 'failing')) ?? 0;
    const state = conditionIn(status, 'StreamsHealthy');
    if ((state === 'False') !== count > 0)
      this.#fail('true failing', `StreamsHealthy is ${state}, and ${count} streams fail`);
  }

  /** Of the leading process, undisturbed; without a leader, all measurements start over. */
  look(leader: string | undefined): void {
    this.note();
    const now = this.#with.clock.monotonic();
    const late = leader === undefined ? [] : [...this.#untold(), ...this.#notSuspended()];
    this.#since = new Map(late.map(({ what }) => [what, this.#since.get(what) ?? now]));
    for (const { oracle, what, withinMs } of late)
      if (now - (this.#since.get(what) ?? now) >= withinMs)
        this.#fail(oracle, `${what}, for ${withinMs} ms`);
  }

  *#untold(): Iterable<Late> {
    const { server, declaredDead } = this.#with;
    const pool = this.#pool;
    const isAsked = dig(pool, 'spec', 'probe', 'type') === 'HTTPGet';
    if (!isAsked || conditionIn(pool?.['status'], 'StreamsHealthy') !== 'True') return;
    const given = publishedIn(server)?.workloads;
    for (const { pod, uid, worker } of this.#workers) {
      const present = server.find(kinds.Pod, { namespace: NAMESPACE, name: pod });
      const isCounted =
        present !== undefined &&
        present.metadata.uid === uid &&
        isReady(present) &&
        !isTerminating(present) &&
        !declaredDead.has(uid);
      if (worker.telling !== 'all' || !isCounted) continue;
      for (const stream of worker.failing())
        if (given?.get(pod)?.jobs.includes(stream) === true)
          yield {
            oracle: 'late failure',
            what: `${stream} fails at ${pod} (${uid}), and the pool is StreamsHealthy`,
            withinMs: TOLD_WITHIN_MS,
          };
    }
  }

  *#notSuspended(): Iterable<Late> {
    const { ledger, declaredDead, strayed } = this.#with;
    const pool = this.#pool;
    const isConfirmed =
      conditionIn(pool?.['status'], 'Converged') === 'True' &&
      dig(pool, 'status', 'observedGeneration') === pool?.metadata.generation &&
      dig(pool, 'spec', 'probe', 'type') === 'HTTPGet';
    if (!isConfirmed) return;
    for (const stream of suspendedIn(pool)) {
      const [at] = ledger
        .consumersOf(stream)
        .filter(({ uid }) => !declaredDead.has(uid) && !strayed.has(stream));
      if (at !== undefined)
        yield {
          oracle: 'suspended',
          what: `${stream} is suspended, all is confirmed, and it runs at ${at.pod} (${at.uid})`,
          withinMs: SUSPENDED_WITHIN_MS,
        };
    }
  }

  /** Empty when status says just what is so. */
  problems(): readonly string[] {
    this.note();
    const status = this.#pool?.['status'];
    const tellers = this.#workers.filter(({ worker }) => worker.telling === 'all');
    const honest = new Set(tellers.map(({ pod }) => pod));
    const real = tellers
      .flatMap(({ pod, worker }) => worker.failing().map((stream) => `${pod} ${stream}`))
      .sort();
    const told = failingIn(status)
      .filter((it) => honest.has(it.slice(0, it.indexOf(' '))))
      .sort();
    const problems =
      real.join() === told.join()
        ? []
        : [`${real.join() || 'no stream'} fails, status says ${told.join() || 'none'}`];
    const others = this.#workers.filter(({ pod }) => !honest.has(pod));
    const isSilent = others.every(({ worker }) => worker.telling === 'nothing');
    const hasJobs = others.some(({ worker }) => worker.swarm.wanted.jobs.size > 0);
    const wanted = real.length > 0 ? 'False' : hasJobs ? 'Unknown' : 'True';
    const found = conditionIn(status, 'StreamsHealthy');
    return !isSilent || found === wanted
      ? problems
      : [...problems, `StreamsHealthy is ${found}, not ${wanted}`];
  }

  #fail(oracle: string, message: string): void {
    this.#with.report({ oracle, message });
  }
}

type Late = { readonly oracle: string; readonly what: string; readonly withinMs: number };

const failingIn = (status: unknown): readonly string[] =>
  asList(dig(status, 'failing')).map(
    (it) => `${asString(dig(it, 'worker'))} ${asString(dig(it, 'name'))}`,
  );

const conditionIn = (status: unknown, type: string): string | undefined =>
  asString(
    dig(
      asList(dig(status, 'conditions')).find((it) => dig(it, 'type') === type),
      'status',
    ),
  );

export const suspendedIn = (pool: KubeObject | undefined): readonly string[] =>
  asList(dig(pool, 'spec', 'streams')).flatMap((it) =>
    dig(it, 'suspend') === true ? [asString(dig(it, 'name')) ?? ''] : [],
  );
