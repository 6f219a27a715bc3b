// What must hold at every instant? Checked when a process starts, and when an operator has written.
import {
  ANYTHING,
  ASSIGNED_ANNOTATION,
  type Assignment,
  digestOf,
  readAssigned,
  type Slice,
} from '../../../src/api/assignment.ts';
import { kinds } from '../../../src/api/kinds.ts';
import {
  asList,
  asNumber,
  asRecord,
  asString,
  dig,
  type KubeObject,
} from '../../../src/api/objects.ts';
import { readReport } from '../../../src/api/report.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import { currentTargets } from '../cluster/current-targets.ts';
import { ownerUid, replicasOf } from '../cluster/facts.ts';
import type { Start } from '../cluster/ledger.ts';
import { isExclusive, poolRef } from '../cluster/manifests.ts';
import { nodeOf, type PodRunner } from '../cluster/pod-runner.ts';
import type { Sent } from '../operator/sim-api.ts';
import type { Shape } from '../story/story.ts';
import type { Violation } from '../world.ts';
import { Exchanges } from './exchanges.ts';
import { Exclusivity } from './exclusive.ts';
import {
  countedIn,
  highestIn,
  isSpread,
  publishedIn,
  reading,
  shardsNamedIn,
  streamsIn,
} from './published.ts';

/** The operator may still act on what was wanted this recently. */
const LATELY_MS = 60_000;

/** How long a replica leads after its last renewal. */
const TERM_MS = 6_000;

export class Safety {
  readonly #server: ApiServer;
  readonly #clock: Clock;
  readonly #shape: Shape;
  readonly #report: (violation: Violation) => void;
  /** Pods that a user deleted by force, or that a snapshot brought back or lost. */
  readonly declaredDead = new Set<string>();
  /** Streams that a worker ran without having been assigned them. */
  readonly strayed = new Set<string>();
  readonly #permitted = new Map<string, Set<string>>();
  readonly #holders: { readonly at: number; readonly holder: string }[] = [];
  readonly #lists: {
    readonly at: number;
    readonly names: ReadonlySet<string>;
    readonly workers: number;
  }[] = [];
  readonly #reports = new Map<string, Set<string>>();
  readonly #texts = new Map<number, string>();
  readonly #exclusivity = new Exclusivity();
  readonly #exchanges = new Exchanges();
  /** The pool was always Exclusive. */
  isStrict: boolean;
  #last: Assignment | undefined;
  /** Generations of pools whose workers are probed. */
  readonly #asked = new Set<string>();
  #highest = 0;
  #highestBy: { readonly identity: string; readonly pool: string | undefined } = {
    identity: '',
    pool: undefined,
  };
  #podsSeen = 0;
  #isRestoring = false;
  /**
   * The holder in the restored Lease cannot know that another replica became leader since: both
   * lead for the rest of a term.
   */
  #givenBack = { holder: '', until: 0 };
  /** The highest published version in the snapshot. */
  #restoredAs: number | undefined;
  /** The operators that ran at the restoration, until one of them publishes again. */
  #remembering: ReadonlySet<string> | undefined;
  /** The highest version before the restoration: an operator that remembers it may report it. */
  #lost = 0;
  /** UIDs of pods whose containers started after the restoration. */
  readonly #begunSince = new Set<string>();
  #status: { uid: string; version: number; generation: number } = {
    uid: '',
    version: 0,
    generation: 0,
  };

  constructor(
    server: ApiServer,
    clock: Clock,
    shape: Shape,
    report: (violation: Violation) => void,
  ) {
    this.#server = server;
    this.#clock = clock;
    this.#shape = shape;
    this.#report = report;
    this.isStrict = isExclusive(shape);
    server.onChange(kinds.Pod, () => this.#notePods());
    server.onChange(kinds.Lease, () => this.#noteHolder());
    server.onChange(kinds.SwarmPool, () => this.#noteList());
    for (const kind of [kinds.StatefulSet, kinds.Deployment])
      server.onChange(kind, () => this.#noteList());
  }

  /** A process of a stream starts beside others. */
  onStart({ stream, by, others }: Start): void {
    if (this.declaredDead.has(by.uid) || this.strayed.has(stream)) return;
    const living = others.filter(({ uid }) => uid !== by.uid && !this.declaredDead.has(uid));
    if (
      living.length > 0 &&
      (this.isStrict || this.#exclusivity.isPromised({ stream, by, others: living }))
    ) {
      this.#report({
        oracle: 'one owner',
        message: `${stream} starts at ${by.pod} (${by.uid}) while ${living.map(({ pod, uid }) => `${pod} (${uid})`).join()} runs it`,
      });
    }
  }

  onDecided(identity: string, world: PoolWorld, version: number | undefined): void {
    this.#exclusivity.onDecided(identity, world, version);
  }

  /** Exclusive: a worker starts only what its own pod's annotation permits. */
  onSpawn(pod: KubeObject, stream: string, slice: Slice, wasItsOwn: boolean): void {
    const uid = pod.metadata.uid ?? '';
    // A worker may restart its own stream, for example with other parameters.
    if (!isExclusive(this.#shape) || wasItsOwn || this.declaredDead.has(uid)) return;
    if (this.#begunSince.has(uid) && slice.version <= (this.#restoredAs ?? 0))
      this.declaredDead.add(uid);
    const isPermitted =
      this.#permitted.get(uid)?.has(`${slice.version} ${digestOf(slice)}`) === true;
    if (!isPermitted)
      this.#report({
        oracle: 'permitted',
        message: `${stream} starts at ${pod.metadata.name} (${uid}), version ${slice.version}, without its annotation`,
      });
  }

  onContainer(uid: string): void {
    if (this.#restoredAs !== undefined) this.#begunSince.add(uid);
  }

  /**
   * etcd is restored. No version may fall below what workers reported to an operator that still
   * runs. Pods that the snapshot does not know, brings back, or has not bound to a node yet count
   * as replaced. No operator can keep a container that starts just then from running what the
   * annotation in the snapshot permits.
   */
  onRestore(
    runners: readonly PodRunner[],
    remembering: ReadonlySet<string>,
    restore: () => void,
  ): void {
    this.#isRestoring = true;
    restore();
    this.#isRestoring = false;
    this.#givenBack = { holder: this.#namedHolder(), until: this.#clock.monotonic() + TERM_MS };
    const running = new Set(runners.map(({ pod }) => pod.metadata.uid ?? ''));
    const bound = this.#server.all({ kind: kinds.Pod }).filter((pod) => nodeOf(pod) !== undefined);
    const known = new Set(bound.map(({ metadata }) => metadata.uid ?? ''));
    for (const uid of new Set([...running, ...known]))
      if (!running.has(uid) || !known.has(uid)) this.declaredDead.add(uid);
    const { uid = '', generation = 0 } = this.#pool?.metadata ?? {};
    const version = asNumber(dig(this.#pool, 'status', 'version')) ?? 0;
    this.#status = {
      uid,
      version,
      generation: Math.min(
        generation,
        asNumber(dig(this.#pool, 'status', 'observedGeneration')) ?? 0,
      ),
    };
    this.#restoredAs = highestIn(this.#server);
    const told = runners.flatMap(({ pod }) =>
      [...(this.#reports.get(pod.metadata.name) ?? [])].map((text) => Number.parseInt(text, 10)),
    );
    this.#lost = Math.max(this.#lost, this.#highest);
    this.#remembering = remembering;
    // A pool that the snapshot does not know is another pool when it is created again.
    const isKnown = remembering.size > 0 && this.#pool !== undefined;
    this.#setBack(Math.max(this.#restoredAs, version, ...(isKnown ? told : [])));
    this.#last = publishedIn(this.#server);
  }

  /**
   * Marks pods with no link to the pool any more: no operator can know what they run until they
   * read their file again. Returns how many.
   */
  noteStrange(): number {
    const strange = this.#server.all({ kind: kinds.Pod }).filter((pod) => !this.#isNamed(pod));
    for (const { metadata } of strange) this.declaredDead.add(metadata.uid ?? '');
    return strange.length;
  }

  /** Does the publication name the pod, or a target own it? A pod has no other link to the pool. */
  #isNamed(pod: KubeObject): boolean {
    const targets = currentTargets(this.#server, this.#pool).map(({ metadata }) => metadata.uid);
    const sets = this.#server
      .all({ kind: kinds.ReplicaSet })
      .filter((set) => targets.includes(ownerUid(set)));
    const owners = [...targets, ...sets.map(({ metadata }) => metadata.uid)];
    return this.#last?.workloads.has(pod.metadata.name) === true || owners.includes(ownerUid(pod));
  }

  #setBack(version: number): void {
    this.#highest = version;
    for (const published of [...this.#texts.keys()])
      if (published > version) this.#texts.delete(published);
  }

  onReport(text: string, runners: readonly PodRunner[]): void {
    const report = readReport(text);
    const pod = runners.find((it) => it.pod.metadata.uid === report?.podUid)?.pod.metadata.name;
    if (report === undefined || pod === undefined) return;
    const told = this.#reports.get(pod) ?? new Set();
    this.#reports.set(pod, told.add(`${report.version} ${[...(report.jobs ?? [])].sort().join()}`));
  }

  onWrite(identity: string, { call, at, wasHeld }: Sent): void {
    if (call.kind.kind === 'Lease' || call.kind.kind === 'Event') return;
    const holder = this.#holderAt(at);
    if (!wasHeld && holder !== identity && holder !== '' && !this.#isGivenBack(holder, at)) {
      this.#report({
        oracle: 'one leader',
        message: `${identity} writes ${call.kind.kind} ${call.name}, ${holder} holds the lease`,
      });
    }
    if (call.kind.kind === 'ConfigMap' && call.verb !== 'delete') {
      const texts = Object.values(
        asRecord(
          dig(this.#server.find(kinds.ConfigMap, { ...poolRef, name: call.name ?? '' }), 'data'),
        ) ?? {},
      );
      if (!texts.some((text) => reading(String(text)) !== undefined))
        this.#report({ oracle: 'readable', message: `${call.name} cannot be read` });
      // A mark does not prove what the ConfigMap contains: a user may have edited it.
      if (call.body !== undefined && 'data' in call.body)
        this.#checkPublication(identity, call.name ?? String(dig(call.body, 'metadata', 'name')));
    }
    if (call.kind.kind !== 'ConfigMap') this.#endExchanges();
    if (call.kind.kind === 'SwarmPool' && call.subresource === 'status') this.#checkStatus();
  }

  #checkPublication(identity: string, configMap: string): void {
    const now = publishedIn(this.#server);
    const { workers } = this.#lists.at(-1) ?? { workers: 0 };
    if (now === undefined || !shardsNamedIn(this.#server).some(({ name }) => name === configMap)) {
      // The pool no longer names this ConfigMap, or was being deleted when it was written; the
      // next publication continues from it.
      this.#highest = Math.max(this.#highest, highestIn(this.#server));
      return;
    }
    const known = this.#knownWithout(configMap);
    if (known < this.#highest && this.#mayHaveForgotten(identity)) {
      this.#setBack(known);
    }
    // An operator that started after the restoration knows only what it has heard since.
    if (this.#remembering?.has(identity) === false) this.#setBack(known);
    this.#remembering = undefined;
    // The earlier ConfigMap may have an older version; the pool continues from the highest.
    const version = Math.max(now.version, highestIn(this.#server));
    if (version < this.#highest)
      this.#report({ oracle: 'version', message: `version ${version} follows ${this.#highest}` });
    if (version > this.#highest) this.#highestBy = { identity, pool: this.#pool?.metadata.uid };
    this.#highest = Math.max(this.#highest, version);
    const text = JSON.stringify([...now.workloads]);
    const before = this.#texts.get(now.version);
    if (!isSpread(this.#server) && before !== undefined && before !== text) {
      this.#report({
        oracle: 'version',
        message: `version ${now.version} is published twice, and differs`,
      });
    }
    this.#texts.set(now.version, text);
    this.#exclusivity.onPublication(identity, now);
    const counted = countedIn(this.#server);
    const present = new Set([...streamsIn(counted), ...(counted?.completed?.keys() ?? [])]);
    const isHeld = (stream: string): boolean => present.has(stream) || present.has(ANYTHING);
    const lost = [...streamsIn(this.#last)].filter(
      (stream) => stream !== ANYTHING && !isHeld(stream) && this.#isWantedThroughout(stream),
    );
    const isWrong = workers > 0 && this.#shape.mode !== 'Weights';
    this.#last = now;
    if (!isSpread(this.#server)) {
      if (isWrong) this.#reportLost(now.version, lost);
      return;
    }
    if (now.version !== this.#exchanges.version) this.#endExchanges();
    const written = publishedIn(this.#server, configMap);
    if (written !== undefined) this.#exchanges.onWrite(configMap, written, isWrong ? lost : []);
  }

  /** A version is written, or its leader has ended. */
  #endExchanges(): void {
    this.#reportLost(this.#exchanges.version, this.#exchanges.end());
  }

  #reportLost(version: number, lost: readonly string[]): void {
    if (lost.length > 0)
      this.#report({
        oracle: 'no lost stream',
        message: `version ${version} does not hold ${lost.join()}`,
      });
  }

  get #pool(): KubeObject | undefined {
    return this.#server.find(kinds.SwarmPool, poolRef);
  }

  /**
   * The highest version that anything else records: status, a pod's annotation, another ConfigMap.
   */
  #knownWithout(configMap: string): number {
    const told = this.#server
      .all({ kind: kinds.Pod })
      .map(
        ({ metadata }) => readAssigned(metadata.annotations?.[ASSIGNED_ANNOTATION])?.version ?? 0,
      );
    return Math.max(
      asNumber(dig(this.#pool, 'status', 'version')) ?? 0,
      highestIn(this.#server, configMap),
      ...told,
    );
  }

  /**
   * The ConfigMap was created again by a process that had not published the version, or for another
   * pool.
   */
  #mayHaveForgotten(identity: string): boolean {
    const isNew = this.#server.history({ kind: kinds.ConfigMap }).at(-1)?.event.type === 'ADDED';
    return (
      isNew &&
      (identity !== this.#highestBy.identity || this.#pool?.metadata.uid !== this.#highestBy.pool)
    );
  }

  #isWantedThroughout(stream: string): boolean {
    const since = this.#clock.monotonic() - LATELY_MS;
    const lately = this.#lists.filter(
      ({ at }, index) =>
        at >= since ||
        this.#lists[index + 1] === undefined ||
        (this.#lists[index + 1]?.at ?? 0) >= since,
    );
    return lately.every(({ names, workers }) => names.has(stream) && workers > 0);
  }

  #checkStatus(): void {
    const pool = this.#server.find(kinds.SwarmPool, poolRef);
    const status = asRecord(pool?.['status']);
    if (pool === undefined || status === undefined) return;
    const conditions = new Map(
      asList(status['conditions']).map((it) => [
        asString(dig(it, 'type')) ?? '',
        asString(dig(it, 'status')),
      ]),
    );
    const fail = (message: string): void => this.#report({ oracle: 'status', message });
    const is = (type: string): boolean => conditions.get(type) === 'True';
    if (is('Ready') && (is('Reconciling') || is('Stalled')))
      fail('Ready while Reconciling or Stalled');
    if (is('Reconciling') && is('Stalled')) fail('Reconciling and Stalled');
    const version = asNumber(status['version']) ?? 0;
    const generation = asNumber(status['observedGeneration']) ?? 0;
    const uid = pool.metadata.uid ?? '';
    if (uid === this.#status.uid && version < this.#status.version)
      fail(`its version falls from ${this.#status.version} to ${version}`);
    if (uid === this.#status.uid && generation < this.#status.generation)
      fail(`observedGeneration falls to ${generation}`);
    if (generation > (pool.metadata.generation ?? 0))
      fail(`observedGeneration ${generation} never existed`);
    if (version > Math.max(this.#highest, this.#lost))
      fail(`status has version ${version}, published is ${this.#highest}`);
    this.#status = { uid, version, generation };
    if (is('Converged') && this.#asked.has(`${uid} ${generation}`))
      this.#checkEvidence(asList(status['workers']), fail);
  }

  /** Converged: each worker has reported it. */
  #checkEvidence(workers: readonly unknown[], fail: (message: string) => void): void {
    for (const worker of workers) {
      const name = asString(dig(worker, 'name')) ?? '';
      const least = asNumber(dig(worker, 'version')) ?? 0;
      const jobs = asList(dig(worker, 'jobs')).map(String).sort().join();
      const said = [...(this.#reports.get(name) ?? [])];
      const isSaid = said.some(
        (text) =>
          Number(text.slice(0, text.indexOf(' '))) >= least &&
          text.slice(text.indexOf(' ') + 1) === jobs,
      );
      if (!isSaid && asString(dig(worker, 'state')) === 'Converged')
        fail(`Converged, but ${name} never reported that it runs ${jobs} (version ${least})`);
    }
  }

  #notePods(): void {
    for (const { event } of this.#server.changesAfter({ kind: kinds.Pod }, this.#podsSeen)) {
      const { metadata } = event.object;
      const told = readAssigned(metadata.annotations?.[ASSIGNED_ANNOTATION]);
      if (told === undefined || told.uid !== metadata.uid) continue;
      const all = this.#permitted.get(told.uid) ?? new Set();
      this.#permitted.set(told.uid, all.add(`${told.version} ${told.digest}`));
    }
    this.#podsSeen = this.#server.version;
  }

  #isGivenBack(holder: string, at: number): boolean {
    return holder === this.#givenBack.holder && at < this.#givenBack.until;
  }

  #noteHolder(): void {
    // The leader before a restoration leads on, whatever the restored Lease says.
    if (this.#isRestoring) return;
    const holder = this.#namedHolder();
    if (this.#holders.at(-1)?.holder !== holder)
      this.#holders.push({ at: this.#clock.monotonic(), holder });
  }

  #namedHolder(): string {
    const lease = this.#server.find(kinds.Lease, {
      namespace: 'operators',
      name: 'swarm-operator',
    });
    return asString(dig(lease, 'spec', 'holderIdentity')) ?? '';
  }

  #holderAt(at: number): string {
    return this.#holders.findLast((it) => it.at <= at)?.holder ?? '';
  }

  #noteList(): void {
    const pool = this.#server.find(kinds.SwarmPool, poolRef);
    const spec = dig(pool, 'spec');
    // A user deleted the status: the version in it is gone.
    if (dig(pool, 'status', 'observedGeneration') === undefined)
      this.#status = { uid: '', version: 0, generation: 0 };
    if (pool !== undefined && dig(spec, 'handoff', 'type') !== 'Exclusive') this.isStrict = false;
    const names = new Set(
      asList(dig(spec, 'streams')).map((it) => asString(dig(it, 'name')) ?? ''),
    );
    if (dig(spec, 'probe', 'type') === 'HTTPGet')
      this.#asked.add(`${pool?.metadata.uid} ${pool?.metadata.generation}`);
    this.#lists.push({
      at: this.#clock.monotonic(),
      names,
      workers: currentTargets(this.#server, pool).reduce(
        (sum, target) => sum + replicasOf(target),
        0,
      ),
    });
  }
}
