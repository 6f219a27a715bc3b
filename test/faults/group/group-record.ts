// Which states had a group and its members? Watched past the operators and their proxies.
import { kinds } from '../../../src/api/kinds.ts';
import { asNumber, dig, type KubeObject } from '../../../src/api/objects.ts';
import { parseSwarmGroup, type SwarmGroupStatus } from '../../../src/api/validate.ts';
import type { KubeApi } from '../../../src/runtime/client/api.ts';
import { follow } from '../../support/follow.ts';

export type MemberState = {
  readonly name: string;
  /** The revision of etcd: states of several objects are compared by it. */
  readonly revision: number;
  readonly replicas: number;
  readonly ready: number;
  readonly present: number;
};

export type GroupState = { readonly revision: number; readonly status: SwarmGroupStatus };

export class GroupRecord {
  readonly members: MemberState[] = [];
  readonly groups: GroupState[] = [];
  readonly #stopping = new AbortController();
  readonly #running: Promise<unknown>;

  constructor(api: KubeApi, namespace: string) {
    const { signal } = this.#stopping;
    this.#running = Promise.all([
      follow(api, kinds.Deployment, namespace, (object) => this.#takeMember(object), signal),
      follow(api, kinds.SwarmGroup, namespace, (object) => this.#takeGroup(object), signal),
    ]);
  }

  /** What it has now. */
  replicasOf(member: string): number | undefined {
    return this.members.findLast(({ name }) => name === member)?.replicas;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  #takeMember(object: KubeObject): void {
    const { name, generation = 1 } = object.metadata;
    const status = (field: string): number => asNumber(dig(object, 'status', field)) ?? 0;
    const isSeen = status('observedGeneration') >= generation;
    this.members.push({
      name,
      revision: revisionOf(object),
      replicas: asNumber(dig(object, 'spec', 'replicas')) ?? 1,
      // Before its controller has seen its size, its status speaks of another one.
      ready: isSeen ? status('readyReplicas') : 0,
      present: isSeen ? status('replicas') : Number.POSITIVE_INFINITY,
    });
  }

  #takeGroup(object: KubeObject): void {
    const { status } = parseSwarmGroup(object);
    if (status !== undefined) this.groups.push({ revision: revisionOf(object), status });
  }
}

const revisionOf = ({ metadata }: KubeObject): number => Number(metadata.resourceVersion);
