// Is every status true? Compares each one that an operator writes with what the processes really do
// and what that operator knew.
import { ANYTHING, type Assignment } from '../../../src/api/assignment.ts';
import { kinds } from '../../../src/api/kinds.ts';
import { asList, asNumber, dig, type KubeObject } from '../../../src/api/objects.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import type { Consumer, Ledger } from '../cluster/ledger.ts';
import { NAMESPACE, poolRef } from '../cluster/manifests.ts';
import type { Sent } from '../operator/sim-api.ts';
import type { Violation } from '../world.ts';
import { isReportedBy, overstatements, podOf, type StatusWorker, workersIn } from './figures.ts';
import type { Heard, Knowledge, Look } from './knowledge.ts';
import { namedIn, publishedIn } from './published.ts';

export type StatusFacts = {
  readonly server: ApiServer;
  readonly clock: Clock;
  readonly ledger: Ledger;
  readonly knowledge: Knowledge;
  /** Pods that users declared dead, and streams that a broken worker ran. */
  readonly declaredDead: ReadonlySet<string>;
  readonly strayed: ReadonlySet<string>;
  readonly report: (violation: Violation) => void;
};

/** A publication may be older than the decision by this much. */
const FRESH_MS = 1_000;

type WrittenStatus = {
  readonly identity: string;
  readonly at: number;
  readonly pool: KubeObject;
  readonly status: unknown;
  readonly look: Look | undefined;
  readonly workers: readonly StatusWorker[];
  readonly fail: (message: string) => void;
};

/** `named`: how many streams it names anywhere. */
type Published = {
  readonly at: number;
  readonly assignment: Assignment | undefined;
  readonly named: number;
};

export class StatusOracle {
  readonly #with: StatusFacts;
  /** By the UID of a pool and the generation. */
  readonly #specs = new Map<string, unknown>();
  #published: readonly Published[] = [];
  #excusedUntil = 0;
  #pool: string | undefined;

  constructor(facts: StatusFacts) {
    this.#with = facts;
    facts.server.onChange(kinds.SwarmPool, () => this.#noteSpecs());
  }

  #noteSpecs(): void {
    for (const { metadata, spec } of this.#with.server.all({ kind: kinds.SwarmPool })) {
      this.#specs.set(`${metadata.uid} ${metadata.generation}`, spec);
      if (metadata.name !== poolRef.name) continue;
      const now = this.#with.clock.monotonic();
      if (dig(spec, 'probe', 'type') !== 'HTTPGet') this.#with.knowledge.askedNobody(now);
      // It may have been published while there was no pool.
      if (metadata.uid !== this.#pool) this.onPublication(now);
      this.#pool = metadata.uid;
    }
  }

  /** Checks nothing until then: the operator cannot know the truth yet. */
  excuse(until: number): void {
    this.#excusedUntil = Math.max(this.#excusedUntil, until);
  }

  onPublication(at: number): void {
    // Without a pool, no spec says where it publishes.
    if (this.#with.server.find(kinds.SwarmPool, poolRef) === undefined) return;
    this.#published = [
      ...this.#published.slice(-9),
      { at, assignment: publishedIn(this.#with.server), named: namedIn(this.#with.server) },
    ];
  }

  onWrite(identity: string, { call, at }: Sent): void {
    if (call.kind.kind !== 'SwarmPool' || call.subresource !== 'status' || call.name === undefined)
      return;
    if (at < this.#excusedUntil) return;
    const pool = this.#with.server.find(kinds.SwarmPool, { namespace: NAMESPACE, name: call.name });
    if (pool === undefined) return;
    const status = pool['status'];
    const fail = (message: string): void =>
      this.#with.report({ oracle: 'true status', message: `${call.name}: ${message}` });
    const look = this.#with.knowledge.lookOf(identity, call.name, status);
    const written: WrittenStatus = {
      identity,
      at,
      pool,
      status,
      look,
      workers: workersIn(status),
      fail,
    };
    const spec = this.#specs.get(
      `${pool.metadata.uid} ${asNumber(dig(status, 'observedGeneration'))}`,
    );
    const isAsked = dig(spec, 'probe', 'type') === 'HTTPGet';
    const good = ['Ready', 'Converged'].filter((type) => isTrue(status, type));
    if (good.length > 0 && isAsked) this.#checkGood(written, good.join(' and '), spec);
    const problems = overstatements({
      status,
      look,
      named:
        call.name === poolRef.name
          ? Math.max(0, ...this.#inForce(at).map(({ named }) => named))
          : undefined,
      streams:
        dig(spec, 'streamsFrom') === undefined ? asList(dig(spec, 'streams')).length : undefined,
      isAsked,
      reportsOf: ({ name }) => this.#reportsOf(written, name),
    });
    for (const problem of problems) fail(problem);
  }

  /**
   * Each assigned stream runs once, at its worker, by the last answers; and no other stream runs.
   */
  #checkGood(written: WrittenStatus, what: string, spec: unknown): void {
    const { status, workers, fail, pool } = written;
    const given = workers.flatMap(({ jobs }) => jobs);
    const total = asNumber(dig(status, 'streams', 'total')) ?? 0;
    const unassigned = asNumber(dig(status, 'streams', 'unassigned')) ?? 0;
    if (new Set(given).size !== given.length)
      fail(`${what}, but a stream is assigned to two workers`);
    const suspended = asNumber(dig(status, 'streams', 'suspended')) ?? 0;
    // Else they are counted where they are told, at their workers.
    const isOnce = dig(spec, 'streamPolicy', 'completion') === 'Once';
    const completed = isOnce ? (asNumber(dig(status, 'streams', 'completed')) ?? 0) : 0;
    if (given.length + suspended + completed + unassigned !== total)
      fail(
        `${what}, but of ${total} streams status shows ${given.length} at workers, ${suspended} as suspended, ${completed} as completed and ${unassigned} as unassigned`,
      );
    for (const worker of workers)
      if (worker.jobs.length > 0) this.#checkWorker(written, what, worker);
    // No worker mounts what another pool publishes: none of its streams ever runs.
    if (pool.metadata.name !== poolRef.name) return;
    this.#checkElsewhere(written, what);
    const inForce = this.#inForce(written.at).flatMap(({ assignment }) => assignment ?? []);
    const isReleasing = ({ workloads }: Assignment): boolean =>
      [...workloads.values()].some(({ releasing = [] }) => releasing.length > 0);
    const held = inForce.at(-1);
    if (held !== undefined && inForce.every(isReleasing))
      fail(`${what}, but ${releasingIn(held)} is not released yet`);
  }

  #checkWorker(written: WrittenStatus, what: string, worker: StatusWorker): void {
    const { name, jobs, version } = worker;
    const { fail, look } = written;
    const { ledger } = this.#with;
    const seen = look === undefined ? undefined : podOf(look, name);
    if (look !== undefined && seen === undefined)
      return void fail(`${what}, but ${name} has no pod (it is to run ${jobs.join()})`);
    const said = this.#reportsOf(written, name);
    if (!isReportedBy(said, worker))
      fail(
        `${what}, but ${name} did not report last that it runs ${jobs.join()}, version ${version} (${textOf(said.at(-1)?.report)})`,
      );
    const isGoing = seen !== undefined && (seen.isTerminating || seen.hasEnded || !seen.isReady);
    const idle = jobs.filter((stream) => ledger.consumersOf(stream).length === 0);
    if (isGoing && idle.length === jobs.length)
      fail(
        `${what}, but ${name} is ${seen.isTerminating ? 'terminating' : 'not Ready'}, and ${idle.join()} runs nowhere`,
      );
  }

  /**
   * Recent answers of the pod that the writing operator saw under this name, at the time of its
   * decision.
   */
  #reportsOf({ identity, at, pool, look }: WrittenStatus, name: string): readonly Heard[] {
    const { knowledge } = this.#with;
    const seen = look ?? knowledge.lastLook(identity, pool.metadata.name);
    const uid = seen === undefined ? undefined : podOf(seen, name)?.uid;
    return uid === undefined ? [] : knowledge.lately(identity, uid, look?.at ?? at);
  }

  /** Streams that run where they should not, as this operator was told. */
  #checkElsewhere({ identity, at, look, workers, fail }: WrittenStatus, what: string): void {
    const { ledger, knowledge } = this.#with;
    const owner = new Map(
      workers.flatMap(({ name, jobs }) => jobs.map((stream) => [stream, name] as const)),
    );
    for (const stream of ledger.streams) {
      const isStrange = ({ pod, uid }: Consumer): boolean =>
        pod !== owner.get(stream) && this.#counts(stream, uid);
      const until = look?.at ?? at;
      const known = ledger
        .consumersOf(stream)
        .filter((it) => isStrange(it) && knowledge.isKnownToRun(identity, it.uid, stream, until));
      const [first] = known;
      if (first !== undefined)
        fail(
          `${what}, but ${stream} runs at ${first.pod} (${first.uid}), as it reported; ${owner.get(stream) ?? 'no worker'} should run it`,
        );
    }
  }

  /** Pods and streams that the operator is responsible for. */
  #counts(stream: string, uid: string): boolean {
    const { declaredDead, strayed } = this.#with;
    return !declaredDead.has(uid) && !strayed.has(stream);
  }

  /** The publications that a decision sent at that time may have read. */
  #inForce(at: number): readonly Published[] {
    const from = this.#published.findLastIndex((it) => it.at < at - FRESH_MS);
    return this.#published.slice(Math.max(0, from));
  }
}

const releasingIn = ({ workloads }: Assignment): string =>
  [...workloads]
    .flatMap(([name, { releasing = [] }]) =>
      releasing.map((it) => `${it === ANYTHING ? 'anything' : it} at ${name}`),
    )
    .join();

const textOf = (
  report: { readonly version: number; readonly jobs?: readonly string[] | undefined } | undefined,
): string =>
  report === undefined
    ? 'it did not answer'
    : `it reported version ${report.version}: ${report.jobs?.join() ?? 'no jobs'}`;

const isTrue = (status: unknown, type: string): boolean =>
  asList(dig(status, 'conditions')).some(
    (it) => dig(it, 'type') === type && dig(it, 'status') === 'True',
  );
