// How long does it take until an honest pool's change is published, and is just that published?
import { readAssignment } from '../../src/api/assignment.ts';
import { kinds } from '../../src/api/kinds.ts';
import { asList, asString, dig, type KubeObject } from '../../src/api/objects.ts';
import { parseSwarmPool } from '../../src/api/validate.ts';
import type { KubeClient } from '../../src/runtime/client/client.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { Watcher } from '../../src/runtime/watch/watcher.ts';
import { names } from '../integration/support/shape.ts';
import type { SimulatedWorkers } from '../support/simulated-workers.ts';
import { HONEST, POOLS, STREAMS, WORKERS } from './arena.ts';

/** A change that takes longer counts as this long. */
const LONGEST_MS = 30_000;
const PACE_MS = 1_000;

export type Change = {
  /** When the user made the change. */
  readonly at: number;
  readonly publishedMs: number;
  /** The time that an operator without any delay of its own would need. */
  readonly idealMs: number;
  /** Not yet, or not in time. */
  confirmedMs: number;
};

type Waiting = { readonly stream: string; readonly seen: (at: number) => void };

export class HonestPools {
  readonly changes: Change[] = [];
  /** Anything that an honest pool should never have published. */
  readonly wrong: string[] = [];
  readonly #api: KubeClient;
  readonly #pools: readonly string[];
  readonly #wanted = new Map<string, ReadonlySet<string>>();
  readonly #before = new Map<string, ReadonlySet<string>>();
  readonly #versions = new Map<string, number>();
  readonly #published = new Map<string, Waiting>();
  readonly #confirmed = new Map<string, Waiting>();
  /** By pool: what the control client writes as soon as it sees the change. */
  readonly #ideal = new Map<string, string>();
  readonly #own = new Map<string, (at: number) => void>();
  readonly #ending = new AbortController();
  #edits = 0;

  constructor(api: KubeClient, pools: readonly string[]) {
    this.#api = api;
    this.#pools = pools;
    for (const pool of pools) this.#wanted.set(pool, new Set(names(STREAMS, 'h')));
  }

  async watch(): Promise<void> {
    const { signal } = this.#ending;
    const options = { clock: systemClock };
    const maps = new Watcher(
      this.#api,
      { kind: kinds.ConfigMap, namespace: HONEST },
      options,
      ({ type, object }) => {
        if (type !== 'DELETED') this.#onConfigMap(object);
        else if (object.metadata.name.endsWith('-assignments'))
          this.wrong.push(`${object.metadata.name} was deleted`);
      },
    );
    const pools = new Watcher(
      this.#api,
      { kind: kinds.SwarmPool, namespace: HONEST },
      options,
      ({ object }) => this.#onPool(object),
    );
    void maps.run(signal);
    void pools.run(signal);
    await Promise.all([maps.synced, pools.synced]);
  }

  stop(): void {
    this.#ending.abort();
  }

  /** One pool after another, one each second, as long as `isWanted`. */
  async edit(isWanted: () => boolean): Promise<void> {
    while (isWanted()) {
      const started = performance.now();
      await this.#change(this.#pools[this.#edits % POOLS] ?? '');
      const left = PACE_MS - (performance.now() - started);
      if (left > 0) await new Promise((resolve) => setTimeout(resolve, left));
    }
  }

  /**
   * All converged, and each worker runs just what is published for it: no attacker has changed it.
   */
  async problems(workers: SimulatedWorkers): Promise<readonly string[]> {
    const problems: string[] = [];
    for (const pool of this.#pools) {
      const { status } = parseSwarmPool(
        await this.#api.get(kinds.SwarmPool, { namespace: HONEST, name: pool }),
      );
      const map = await this.#api
        .get(kinds.ConfigMap, { namespace: HONEST, name: `${pool}-assignments` })
        .catch(() => undefined);
      const read = readAssignment(asString(dig(map, 'data', 'config.yml')) ?? '');
      if (!read.ok) {
        problems.push(`${pool}: ${read.problem}`);
        continue;
      }
      const converged = status?.conditions?.find(({ type }) => type === 'Converged');
      if (converged?.status !== 'True')
        problems.push(`${pool} is not converged: ${converged?.message ?? 'no condition'}`);
      for (const [worker, { jobs, version }] of read.assignment.workloads) {
        const runs = workers.running.get(worker);
        if (
          runs === undefined ||
          runs.version !== version ||
          [...runs.jobs].sort().join() !== [...jobs].sort().join()
        )
          problems.push(
            `${worker} runs ${JSON.stringify(runs)}, published for it is ${JSON.stringify({ version, jobs })}`,
          );
      }
    }
    return problems;
  }

  async #change(pool: string): Promise<void> {
    this.#edits += 1;
    const before = this.#wanted.get(pool) ?? new Set();
    const stream = `e${this.#edits}`;
    const wanted = new Set([...[...before].slice(1), stream]);
    this.#before.set(pool, before);
    this.#wanted.set(pool, wanted);
    const published = waited();
    const confirmed = waited();
    const own = waited();
    this.#published.set(pool, { stream, seen: published.seen });
    this.#confirmed.set(pool, { stream, seen: confirmed.seen });
    // The time that an operator without any delay needs: it sees the pool, writes a ConfigMap, and
    // sees that.
    this.#own.set(stream, own.seen);
    this.#ideal.set(pool, stream);
    const at = Date.now();
    const asked = performance.now();
    const body = { spec: { streams: [...wanted].map((name) => ({ name })) } };
    await this.#api.patch(
      kinds.SwarmPool,
      { namespace: HONEST, name: pool },
      { type: 'merge', body },
    );
    const publishedAt = await published.at(LONGEST_MS);
    const idealMs = (await own.at(LONGEST_MS)) - asked;
    const change: Change = {
      at,
      publishedMs: publishedAt - asked,
      idealMs,
      confirmedMs: Number.POSITIVE_INFINITY,
    };
    this.changes.push(change);
    // The next pool does not wait for the confirmation.
    void confirmed.at(LONGEST_MS).then((at) => {
      change.confirmedMs = at - asked;
    });
  }

  async #writeControl(stream: string): Promise<void> {
    const metadata = { name: 'control', namespace: HONEST };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { stream } };
    await this.#api.patch(kinds.ConfigMap, metadata, {
      type: 'apply',
      body: object,
      fieldManager: 'control',
      force: true,
    });
  }

  #onConfigMap(object: KubeObject): void {
    const { name } = object.metadata;
    const at = performance.now();
    if (name === 'control') {
      const stream = asString(dig(object, 'data', 'stream')) ?? '';
      this.#own.get(stream)?.(at);
      this.#own.delete(stream);
      return;
    }
    const pool = name.replace(/-assignments$/, '');
    const wanted = this.#wanted.get(pool);
    if (wanted === undefined) return;
    const read = readAssignment(asString(dig(object, 'data', 'config.yml')) ?? '');
    if (!read.ok) {
      this.wrong.push(`${name}: ${read.problem}`);
      return;
    }
    const { version, workloads } = read.assignment;
    const last = this.#versions.get(pool) ?? version;
    // One edit, one version or two: more would be an attacker's doing.
    if (version < last || version > last + 2)
      this.wrong.push(`${name}: version ${version} after ${last}`);
    this.#versions.set(pool, version);
    const jobs = [...workloads.values()].flatMap((slice) => slice.jobs);
    const waiting = this.#published.get(pool);
    const expected =
      waiting === undefined || jobs.includes(waiting.stream)
        ? wanted
        : (this.#before.get(pool) ?? wanted);
    if (
      jobs.length !== expected.size ||
      !jobs.every((job) => expected.has(job)) ||
      workloads.size !== WORKERS
    )
      this.wrong.push(
        `${name}: publishes ${jobs.join()} for ${[...workloads.keys()].join()}, wanted is ${[...expected].join()}`,
      );
    if (waiting !== undefined && jobs.includes(waiting.stream)) waiting.seen(at);
  }

  #onPool(object: KubeObject): void {
    const ideal = this.#ideal.get(object.metadata.name);
    if (
      ideal !== undefined &&
      asList(dig(object, 'spec', 'streams')).some((it) => dig(it, 'name') === ideal)
    ) {
      this.#ideal.delete(object.metadata.name);
      // A failed write is never seen, and counts as slow.
      this.#writeControl(ideal).catch(() => undefined);
    }
    const waiting = this.#confirmed.get(object.metadata.name);
    if (waiting === undefined) return;
    const { status, meta } = parseSwarmPool(object);
    const converged = status?.conditions?.find(({ type }) => type === 'Converged');
    const has = status?.workers?.some(({ jobs }) => jobs?.includes(waiting.stream)) ?? false;
    if (has && converged?.status === 'True' && status?.observedGeneration === meta.generation)
      waiting.seen(performance.now());
  }
}

function waited(): {
  readonly seen: (at: number) => void;
  readonly at: (longestMs: number) => Promise<number>;
} {
  const { promise, resolve } = Promise.withResolvers<number>();
  return {
    seen: resolve,
    at: (longestMs) => {
      const timer = Promise.withResolvers<number>();
      const id = setTimeout(() => timer.resolve(performance.now()), longestMs);
      return Promise.race([promise, timer.promise]).finally(() => clearTimeout(id));
    },
  };
}
