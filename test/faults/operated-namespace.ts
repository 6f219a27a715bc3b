// A namespace with operators of its own, each behind its own proxy: where a cell takes place.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { kinds } from '../../src/api/kinds.ts';
import type { Swarm } from '../integration/support/swarm.ts';
import { eventually } from '../support/processes.ts';
import type { Audit } from './audit.ts';
import type { FaultProxy } from './proxy/proxy.ts';
import { Replica, type ReplicaOptions } from './replica.ts';

export type Arena = { readonly swarm: Swarm; readonly audit: Audit };

export class OperatedNamespace {
  readonly arena: Arena;
  readonly namespace: string;
  readonly replicas: Replica[] = [];
  readonly folder: string;

  constructor(arena: Arena, namespace: string) {
    this.arena = arena;
    this.namespace = namespace;
    this.folder = mkdtempSync(path.join(tmpdir(), 'swarm-faults-'));
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

  /** By all of its operators, in order; without Leases. */
  writes(): readonly string[] {
    return [...this.arena.audit.writesIn(this.namespace)];
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

  kubectl(...args: readonly string[]): Promise<string> {
    return this.swarm.kubectl('-n', this.namespace, ...args);
  }

  async patch(what: string, body: object): Promise<void> {
    await this.kubectl('patch', what, '--type=merge', '-p', JSON.stringify(body));
  }

  async close(): Promise<void> {
    const { api } = this.swarm;
    await Promise.all(this.replicas.map((replica) => replica.close()));
    await api.delete(kinds.Namespace, { name: this.namespace }).catch(() => undefined);
    await eventually(
      `the pods of ${this.namespace} are gone`,
      async () => (await api.list(kinds.Pod, this.namespace)).items.length === 0,
      30,
    ).catch(() => undefined);
    rmSync(this.folder, { recursive: true, force: true });
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
