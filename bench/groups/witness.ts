// When did each member of a group get its replicas, and when was it ready? Watched past the
// operator.
import { kinds } from '../../src/api/kinds.ts';
import { asNumber, dig, type KubeObject } from '../../src/api/objects.ts';
import type { Swarm } from '../../test/integration/support/swarm.ts';
import { eventually } from '../../test/support/processes.ts';

type Seen = { readonly askedAt: number; readonly readyAt: number | undefined };

export class GroupWitness {
  readonly #stop = new AbortController();
  /** When the group's spec asked for the size that it asks for now. */
  #request: { readonly size: number; readonly at: number } | undefined;
  readonly #members = new Map<string, { replicas: number } & Seen>();

  private constructor(swarm: Swarm, namespace: string) {
    void this.#follow(swarm, namespace, kinds.SwarmGroup, (object) => this.#takeGroup(object));
    void this.#follow(swarm, namespace, kinds.Deployment, (object) => this.#takeMember(object));
  }

  static async start(swarm: Swarm, namespace: string, members: number): Promise<GroupWitness> {
    const witness = new GroupWitness(swarm, namespace);
    await eventually('the witness sees all', () => witness.#members.size === members);
    return witness;
  }

  async #follow(
    swarm: Swarm,
    namespace: string,
    kind: (typeof kinds)['Deployment'] | (typeof kinds)['SwarmGroup'],
    take: (object: KubeObject) => void,
  ): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const { items, resourceVersion } = await swarm.api.list(kind, namespace);
      for (const object of items) take(object);
      const watch = swarm.api.watch(
        kind,
        namespace,
        { resourceVersion, timeoutSeconds: 300 },
        { signal },
      );
      try {
        for await (const { type, object } of watch) if (type !== 'BOOKMARK') take(object);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
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
