// One fault in one state: a namespace with its own operator behind its own proxy, and all that its
// checks need.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { kinds } from '../../src/api/kinds.ts';
import { asList, asNumber, dig } from '../../src/api/objects.ts';
import { makePoolIn, Pool } from '../integration/support/pool.ts';
import { fenced, type Shape } from '../integration/support/shape.ts';
import type { Swarm } from '../integration/support/swarm.ts';
import { eventually } from '../support/processes.ts';
import { complaintsOf, Witness } from '../support/witness.ts';
import type { Audit } from './audit.ts';
import type { FaultProxy } from './proxy/proxy.ts';
import { Publications } from './publications.ts';
import { Replica, type ReplicaOptions } from './replica.ts';

export type Arena = { readonly swarm: Swarm; readonly audit: Audit };

export type Handoff = 'AtLeastOnce' | 'Exclusive';

const RECORD = 'echo "$1" >> "$0/starts"';
/** Takes its time to end, so that a successor that starts too early is noticed. */
const RUN = 'trap "kill \\$!; sleep 1; exit 0" TERM; sleep 100000 & wait';

/**
 * Exclusive: a stream holds a kernel lock while it runs; a process that finds the lock held leaves
 * a trace.
 */
const consumers: Readonly<Record<Handoff, string>> = {
  AtLeastOnce: `${RECORD}; exec sh -c '${RUN}'`,
  Exclusive: `flock -n -E 99 "$0/$1.lock" sh -c 'echo "$1" >> "$0/starts"; ${RUN}' "$0" "$1" || { [ $? -ne 99 ] || touch "$0/$1.doubled"; }`,
};

/** What could have disturbed a stream's process: its own pod. */
export type PodStates = {
  readonly pods: ReadonlyMap<string, string>;
  readonly starts: ReadonlyMap<string, number>;
  readonly published: number;
};

export class Cell {
  readonly arena: Arena;
  readonly namespace: string;
  readonly handoff: Handoff;
  readonly pool: Pool;
  readonly publications: Publications;
  readonly replicas: Replica[] = [];
  /** Streams of a pod that was deleted by force: no component can know when they end. */
  readonly mayDouble = new Set<string>();
  readonly folder: string;
  readonly #records: string;
  #witness: Witness | undefined;
  readonly #complaints: string[] = [];

  constructor(arena: Arena, namespace: string, handoff: Handoff) {
    this.arena = arena;
    this.namespace = namespace;
    this.handoff = handoff;
    this.pool = new Pool(arena.swarm, namespace);
    this.publications = new Publications(arena.swarm.api, namespace);
    this.folder = mkdtempSync(path.join(tmpdir(), 'swarm-faults-'));
    this.#records = path.join(this.folder, 'records');
    mkdirSync(this.#records);
  }

  get swarm(): Swarm {
    return this.arena.swarm;
  }

  get replica(): Replica {
    const [first] = this.replicas;
    if (first === undefined) throw new Error('the cell has no operator');
    return first;
  }

  get proxy(): FaultProxy {
    return this.replica.proxy;
  }

  get injections(): number {
    return this.replicas.reduce((sum, { proxy }) => sum + proxy.injections, 0);
  }

  async addReplica(
    options: Pick<ReplicaOptions, 'isElected' | 'environment'> = {},
  ): Promise<Replica> {
    const folder = path.join(this.folder, `replica-${this.replicas.length}`);
    mkdirSync(folder);
    const replica = await Replica.start({
      ...options,
      swarm: this.swarm,
      namespace: this.namespace,
      folder,
    });
    this.replicas.push(replica);
    return replica;
  }

  async createNamespace(): Promise<void> {
    const metadata = { name: this.namespace };
    await this.swarm.api.create(kinds.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata });
    await this.swarm.apply(...leaseRights(this.namespace));
  }

  /** From now on the witness checks every status; it does not know the fault. */
  async watch(): Promise<void> {
    const { kubeconfig } = this.swarm.playground.plane;
    this.#witness = await Witness.start({ kubeconfig, namespace: this.namespace });
  }

  /**
   * The witnesses cannot tell the effects of this fault from a false status: they pause meanwhile,
   * and then start again.
   */
  async unseen(work: () => Promise<void>): Promise<void> {
    this.#complaints.push(...(await this.testimony()));
    await work();
    await this.watch();
  }

  /** The broken promises that the witnesses have seen so far; they stop checking. */
  async testimony(): Promise<readonly string[]> {
    if (this.#witness === undefined) throw new Error(`${this.namespace} has no witness`);
    const report = await this.#witness.end();
    const { answers, statuses, publications } = report;
    const hasSeen = answers > 0 && statuses > 0 && publications > 0;
    return hasSeen
      ? [...this.#complaints, ...complaintsOf(report)]
      : [`the witness has missed changes: ${JSON.stringify(report)}`];
  }

  /** Workers and pool. */
  async create({ spec = {}, ...shape }: Shape): Promise<void> {
    const command = ['sh', '-c', consumers[this.handoff], this.#records, '{stream}'];
    const own: Partial<Shape> =
      this.handoff === 'Exclusive' ? fenced(...command) : { worker: { args: ['--', ...command] } };
    await makePoolIn(this.swarm, this.namespace, {
      ...own,
      ...shape,
      spec: { handoff: { type: this.handoff }, ...spec },
    });
  }

  kubectl(...args: readonly string[]): Promise<string> {
    return this.swarm.kubectl('-n', this.namespace, ...args);
  }

  async patch(what: string, body: object): Promise<void> {
    await this.kubectl('patch', what, '--type=merge', '-p', JSON.stringify(body));
  }

  version(): number {
    return this.publications.all.at(-1)?.version ?? 0;
  }

  untilPublished(above: number, seconds = 60): Promise<void> {
    return eventually(
      `${this.namespace}: a version above ${above}`,
      () => this.version() > above,
      seconds,
    );
  }

  /** Streams that two processes wanted to run at the same time. */
  doubled(): readonly string[] {
    const traces = readdirSync(this.#records).filter((name) => name.endsWith('.doubled'));
    return traces
      .map((name) => name.slice(0, -'.doubled'.length))
      .filter((stream) => !this.mayDouble.has(stream));
  }

  async podStates(): Promise<PodStates> {
    const pods = await this.pool.pods().catch(() => []);
    const restarts = (pod: object): number =>
      asNumber(dig(asList(dig(pod, 'status', 'containerStatuses'))[0], 'restartCount')) ?? 0;
    return {
      pods: new Map(pods.map((pod) => [pod.metadata.name, `${pod.metadata.uid} ${restarts(pod)}`])),
      starts: this.#starts(),
      published: this.publications.all.length,
    };
  }

  async close(): Promise<void> {
    await this.#witness?.end();
    await Promise.all(this.replicas.map((replica) => replica.close()));
    await this.publications.stop();
    await this.swarm.api.delete(kinds.Namespace, { name: this.namespace }).catch(() => undefined);
    await eventually(
      `the pods of ${this.namespace} are gone`,
      async () => (await this.pool.pods()).length === 0,
      30,
    ).catch(() => undefined);
    rmSync(this.folder, { recursive: true, force: true });
  }

  #starts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    const file = path.join(this.#records, 'starts');
    const lines = readdirSync(this.#records).includes('starts')
      ? readFileSync(file, 'utf8').split('\n').filter(Boolean)
      : [];
    for (const stream of lines) counts.set(stream, (counts.get(stream) ?? 0) + 1);
    return counts;
  }
}

/** Each cell has a Lease of its own. */
function leaseRights(namespace: string): readonly object[] {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const metadata = { name: 'lease', namespace };
  const subjects = [
    { kind: 'ServiceAccount', name: 'swarm-operator', namespace: 'swarm-operator' },
  ];
  return [
    {
      apiVersion,
      kind: 'Role',
      metadata,
      rules: [
        {
          apiGroups: ['coordination.k8s.io'],
          resources: ['leases'],
          verbs: ['get', 'create', 'update'],
        },
      ],
    },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'lease' },
      subjects,
    },
  ];
}
