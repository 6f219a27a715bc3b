// When did each member of a group get its replicas, and when was it ready? Watched past the
// operator.
import { kinds } from '../../src/api/kinds.ts';
import { asNumber, dig, type KubeObject } from '../../src/api/objects.ts';
import type { Swarm } from '../../test/integration/support/swarm.ts';
import { follow } from '../../test/support/follow.ts';
import { eventually } from '../../test/support/processes.ts';

type Seen = { readonly askedAt: number; readonly readyAt: number | undefined };

export class GroupWitness {
  readonly #stop = new AbortController();
  /** When the group's spec asked for the size that it asks for now. */
  #request: { readonly size: number; readonly at: number } | undefined;
  readonly #members = new Map<string, { replicas: number } & Seen>();

  private constructor(swarm: Swarm, namespace: string) {
    const { signal } = this.#stop;
    const { api } = swarm;
    void follow(api, kinds.SwarmGroup, namespace, (object) => this.#takeGroup(object), signal);
    void follow(api, kinds.Deployment, namespace, (object) => this.#takeMember(object), signal);
  }

  static async start(swarm: Swarm, namespace: string, members: number): Promise<GroupWitness> {
    const witness = new GroupWitness(swarm, namespace);
    await eventually('the witness sees all', () => witness.#members.size === members);
    return witness;
  }

  #takeGroup(group: KubeObject): void {
    const size = asNumber(dig(group, 'spec', 'replicas')) ?? 0;
    if (size !== this.#request?.size) this.#request = { size, at: performance.now() };
  }

  #takeMember(member: KubeObject): void {
    const { name, generation = 1 } = member.metadata;
    const now = performance.now();
    const replicas = asNumber(dig(member, 'spec', 'replicas')) ?? 1;
    const before = this.#members.get(name);
    const askedAt = before?.replicas === replicas ? before.askedAt : now;
    const status = (field: string): number => asNumber(dig(member, 'status', field)) ?? 0;
    const isReady =
      status('observedGeneration') >= generation &&
      status('replicas') === replicas &&
      status('readyReplicas') === replicas;
    const earlier = before?.replicas === replicas ? before.readyAt : undefined;
    const readyAt = isReady ? (earlier ?? now) : undefined;
    this.#members.set(name, { replicas, askedAt, readyAt });
  }

  /** When the last of these members was ready with these replicas; undefined: not all are. */
  readyAt(wanted: Readonly<Record<string, number>>): number | undefined {
    const times = Object.entries(wanted).map(([name, replicas]) => {
      const seen = this.#members.get(name);
      return seen?.replicas === replicas ? seen.readyAt : undefined;
    });
    return times.includes(undefined)
      ? undefined
      : Math.max(...times.filter((at) => at !== undefined));
  }

  /** Since the request, when the last member had its replicas, and when the last was ready. */
  get last(): { readonly patchMs: number; readonly readyMs: number } {
    const from = this.#request?.at ?? 0;
    const all = [...this.#members.values()].filter(({ askedAt }) => askedAt >= from);
    const latest = (times: readonly number[]): number => Math.max(from, ...times) - from;
    return {
      patchMs: latest(all.map(({ askedAt }) => askedAt)),
      readyMs: latest(all.map(({ readyAt = Number.POSITIVE_INFINITY }) => readyAt)),
    };
  }

  stop(): void {
    this.#stop.abort();
  }
}
