// Is a stream restarted just when a user asks for it, and is work that is done left alone? Compares
// what users wrote and when processes started with what is published and confirmed.
import { kinds } from '../../../src/api/kinds.ts';
import { asList, asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { ANNOTATION_RESTART, readRestarts } from '../../../src/pool/streams/restarts.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import type { Start } from '../cluster/ledger.ts';
import { poolRef } from '../cluster/manifests.ts';
import type { PodRunner } from '../cluster/pod-runner.ts';
import type { Violation } from '../world.ts';
import { countedIn, isSpread, isWhole, publishedIn } from './published.ts';
import { suspendedIn } from './stream-health.ts';

export type RestartFacts = {
  readonly server: ApiServer;
  readonly clock: Clock;
  readonly runners: () => readonly PodRunner[];
  readonly report: (violation: Violation) => void;
};

/** A stream that is recorded as completed, with the token that it ran with. */
type Recorded = {
  readonly token: string;
  readonly version: number;
  /** A user may have asked for it again, took it out of the list, or spoiled the record. */
  isExcused: boolean;
};

export class RestartOracle {
  readonly #with: RestartFacts;
  /** By stream: the tokens that users wrote, in order, and when. */
  readonly #asked = new Map<string, Map<string, number>>();
  /** By worker, stream and token: when that was published first. */
  readonly #published = new Map<string, number>();
  /** By worker: the version of the newest slice that it was given. */
  readonly #versions = new Map<string, number>();
  /** By worker and stream: the last token there. */
  readonly #tokens = new Map<string, string>();
  /** By stream: the last of its tokens that was published. */
  readonly #newest = new Map<string, number>();
  /** By pod and stream: its last start there. */
  readonly #started = new Map<string, number>();
  /** Streams whose work was ever done, as their own worker knows. */
  readonly #done = new Set<string>();
  readonly #records = new Map<string, Recorded>();
  #isEdited = false;
  #uid: string | undefined;

  constructor(facts: RestartFacts) {
    this.#with = facts;
    facts.server.onChange(kinds.SwarmPool, () => this.#notePool());
  }

  get #pool(): KubeObject | undefined {
    return this.#with.server.find(kinds.SwarmPool, poolRef);
  }

  #fail(oracle: string, message: string): void {
    this.#with.report({ oracle, message });
  }

  #notePool(): void {
    const pool = this.#pool;
    if (pool?.metadata.uid !== this.#uid) this.#versions.clear();
    this.#uid = pool?.metadata.uid;
    const tokens = tokensIn(pool);
    for (const [stream, token] of tokens) {
      const known = this.#asked.get(stream) ?? new Map<string, number>();
      if (!known.has(token)) known.set(token, this.#with.clock.monotonic());
      this.#asked.set(stream, known);
    }
    const listed = listedIn(pool);
    for (const [stream, record] of this.#records)
      record.isExcused ||=
        !isOnce(pool) ||
        !listed.has(stream) ||
        (tokens.get(stream) ?? record.token) !== record.token;
  }

  /** A user edits what the operator made, or the API server is restored from a snapshot. */
  excuse(): void {
    this.#isEdited = true;
    this.#versions.clear();
    for (const record of this.#records.values()) record.isExcused = true;
  }

  onStart({ stream, by: { uid } }: Start): void {
    this.#started.set(`${uid} ${stream}`, this.#with.clock.monotonic());
  }

  onSpawn(pod: string, stream: string, version: number): void {
    const record = this.#records.get(stream);
    if (record !== undefined && !record.isExcused && version > record.version)
      this.#fail('runs once', `${stream} starts at ${pod} (version ${version}): ${saidOf(record)}`);
  }

  /** Often enough that the operator hears of nothing that is not noted. */
  note(): void {
    for (const { pod, worker } of this.#with.runners()) {
      if (worker?.isServing !== true) continue;
      for (const stream of worker.completed()) this.#done.add(stream);
      const { wanted, confirmed } = worker.swarm;
      if (wanted.isPartial || confirmed < wanted.version) continue;
      const { name, uid = '' } = pod.metadata;
      for (const [stream, { restart }] of wanted.jobs) {
        const since = this.#published.get(`${name} ${stream} ${restart}`);
        const started = this.#started.get(`${uid} ${stream}`) ?? 0;
        if (restart !== undefined && since !== undefined && started < since)
          this.#fail(
            'restarts',
            `${name} (${uid}) confirms version ${confirmed} with the token ${restart} of ${stream}, which it started before that was published`,
          );
      }
    }
  }

  onPublication(): void {
    const { server, clock } = this.#with;
    const assignment = publishedIn(server);
    if (assignment === undefined || this.#pool === undefined) return;
    const { workloads, version, completed = new Map<string, string>() } = assignment;
    for (const [worker, slice] of workloads) {
      // A pool that comes back to an earlier ConfigMap finds there what it left.
      if (slice.version < (this.#versions.get(worker) ?? 0)) continue;
      this.#versions.set(worker, slice.version);
      for (const [stream, token] of Object.entries(slice.restarts ?? {})) {
        const key = `${worker} ${stream} ${token}`;
        if (!this.#published.has(key)) this.#published.set(key, clock.monotonic());
        // A worker that keeps its token restarts nothing, and one that is going reads nothing.
        const isNews = this.#tokens.get(`${worker} ${stream}`) !== token && this.#lives(worker);
        if (isNews && slice.version === version) this.#checkToken(worker, stream, token);
        this.#tokens.set(`${worker} ${stream}`, token);
      }
      for (const stream of slice.jobs) {
        const record = this.#records.get(stream);
        if (!completed.has(stream) || record === undefined) continue;
        // Asked for again: the next write, of another ConfigMap, takes the record away.
        const token = slice.restarts?.[stream] ?? record.token;
        const isAgain = isSpread(server) && token !== record.token;
        if (slice.version > record.version && !isAgain)
          this.#fail('runs once', `${worker} is to run ${stream}: ${saidOf(record)}`);
      }
    }
    if (isWhole(server)) this.#checkRecords(countedIn(server)?.completed ?? new Map(), version);
  }

  #lives(worker: string): boolean {
    const pod = this.#with.server.find(kinds.Pod, { ...poolRef, name: worker });
    return pod !== undefined && pod.metadata.deletionTimestamp === undefined;
  }

  #checkToken(worker: string, stream: string, token: string): void {
    const asked = [...(this.#asked.get(stream)?.keys() ?? [])].indexOf(token);
    const what = `${worker} is to restart ${stream} for the token ${token}`;
    if (asked < 0) this.#fail('restarts', `${what}, which no user wrote`);
    else if (asked < (this.#newest.get(stream) ?? 0) && !this.#isEdited)
      this.#fail('restarts', `${what}, and a later one was published before`);
    this.#newest.set(stream, Math.max(asked, this.#newest.get(stream) ?? 0));
  }

  #checkRecords(completed: ReadonlyMap<string, string>, version: number): void {
    for (const [stream, record] of this.#records) {
      if (completed.get(stream) === record.token) continue;
      if (!record.isExcused && !completed.has(stream))
        this.#fail('runs once', `its record is lost in version ${version}: ${saidOf(record)}`);
      this.#records.delete(stream);
    }
    for (const [stream, token] of completed) {
      if (this.#records.has(stream)) continue;
      if (!this.#done.has(stream) && !this.#isEdited)
        this.#fail('runs once', `${stream} is recorded as completed, and never was`);
      this.#records.set(stream, { token, version, isExcused: this.#isEdited });
    }
    this.#notePool();
  }

  /** Empty when all is done that users asked for. */
  problems(): readonly string[] {
    this.note();
    const { server, runners } = this.#with;
    const { workloads, completed } = publishedIn(server) ?? {};
    const pool = this.#pool;
    const idle = new Set(suspendedIn(pool));
    const asked = [...tokensIn(pool)].flatMap(([stream, token]) => {
      if (idle.has(stream)) return [];
      const recorded = completed?.get(stream);
      if (recorded !== undefined)
        return recorded === token ? [] : [`${stream} is to run again (${token}), and is recorded`];
      const worker = [...(workloads ?? [])].find(([, { jobs }]) => jobs.includes(stream))?.[0];
      const pod = runners().find((it) => it.pod.metadata.name === worker)?.pod;
      if (pod === undefined) return [];
      const started = this.#started.get(`${pod.metadata.uid} ${stream}`) ?? 0;
      const isAgain = started >= (this.#asked.get(stream)?.get(token) ?? 0);
      return isAgain ? [] : [`${stream} is to restart at ${worker} (${token}), and has not`];
    });
    const done = runners().flatMap(({ pod, worker }) =>
      worker?.telling === 'all' && isOnce(pool)
        ? worker
            .completed()
            .filter((it) => workloads?.get(pod.metadata.name)?.jobs.includes(it) === true)
        : [],
    );
    return [...asked, ...done.map((stream) => `${stream} is completed, and not recorded`)];
  }
}

const saidOf = ({ token, version }: Recorded): string =>
  `it was recorded as completed in version ${version}${token === '' ? '' : `, with the token ${token}`}`;

const tokensIn = (pool: KubeObject | undefined): ReadonlyMap<string, string> =>
  readRestarts(pool?.metadata.annotations?.[ANNOTATION_RESTART]).tokens;

const isOnce = (pool: KubeObject | undefined): boolean =>
  dig(pool, 'spec', 'streamPolicy', 'completion') === 'Once';

const listedIn = (pool: KubeObject | undefined): ReadonlySet<string> =>
  new Set(asList(dig(pool, 'spec', 'streams')).map((it) => asString(dig(it, 'name')) ?? ''));
