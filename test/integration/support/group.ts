// A group under test, with helpers to change and inspect it.
import { kinds } from '../../../src/api/kinds.ts';
import { asNumber, dig } from '../../../src/api/objects.ts';
import { parseSwarmGroup, type SwarmGroupStatus } from '../../../src/api/validate.ts';
import { eventually } from '../../support/processes.ts';
import { create, type TestCluster } from './pool.ts';

type Workload = 'Deployment' | 'StatefulSet';

type MemberShape = {
  readonly kind?: Workload;
  readonly replicas?: number;
  readonly startsIn?: number;
  /** In place of a container that sleeps. */
  readonly container?: object;
};

export type GroupShape = {
  readonly members: Readonly<Record<string, MemberShape>>;
  readonly spec: object;
};

const sleeps = { image: 'busybox', command: ['sleep', '1000000'] };

/** A new namespace with members that do nothing, and a group `shop` of them. */
export async function makeGroup(
  cluster: TestCluster,
  namespace: string,
  shape: GroupShape,
): Promise<Group> {
  await makeNamespace(cluster, namespace);
  return makeGroupIn(cluster, namespace, shape);
}

/** The same in an existing namespace. */
export async function makeGroupIn(
  cluster: TestCluster,
  namespace: string,
  { members, spec }: GroupShape,
): Promise<Group> {
  await makeMembersIn(cluster, namespace, members);
  await create(cluster.api, kinds.SwarmGroup, namespace, 'shop', { spec });
  return new Group(cluster, namespace);
}

/** A new namespace with the members alone. */
export async function makeMembers(
  cluster: TestCluster,
  namespace: string,
  members: GroupShape['members'],
): Promise<void> {
  await makeNamespace(cluster, namespace);
  await makeMembersIn(cluster, namespace, members);
}

const makeNamespace = ({ api }: TestCluster, name: string) =>
  api.create(kinds.Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

async function makeMembersIn(
  { api }: TestCluster,
  namespace: string,
  members: GroupShape['members'],
): Promise<void> {
  for (const [name, member] of Object.entries(members))
    await create(api, kinds[member.kind ?? 'Deployment'], namespace, name, idle(name, member));
}

/** Ready after a while; `app_name` is its own label and that of its pods. */
const idle = (
  name: string,
  { kind, replicas = 1, startsIn = 0, container = sleeps }: MemberShape,
): object => ({
  metadata: { labels: { app_name: 'shop', app: name } },
  spec: {
    replicas,
    ...(kind === 'StatefulSet' && { podManagementPolicy: 'Parallel' }),
    selector: { matchLabels: { app_name: 'shop', app: name } },
    template: {
      metadata: { labels: { app_name: 'shop', app: name } },
      spec: {
        terminationGracePeriodSeconds: 1,
        automountServiceAccountToken: false,
        containers: [
          {
            name: 'main',
            // An autoscaler measures by it what a pod uses.
            resources: { requests: { cpu: '100m' } },
            ...container,
            ...(startsIn > 0 && {
              readinessProbe: {
                exec: { command: ['true'] },
                initialDelaySeconds: startsIn,
                periodSeconds: 1,
              },
            }),
          },
        ],
      },
    },
  },
});

export class Group {
  readonly #cluster: TestCluster;
  readonly namespace: string;

  constructor(cluster: TestCluster, namespace: string) {
    this.#cluster = cluster;
    this.namespace = namespace;
  }

  get #ref() {
    return { namespace: this.namespace, name: 'shop' };
  }

  async status(): Promise<SwarmGroupStatus | undefined> {
    return parseSwarmGroup(await this.#cluster.api.get(kinds.SwarmGroup, this.#ref)).status;
  }

  async condition(type: string) {
    return (await this.status())?.conditions?.find((condition) => condition.type === type);
  }

  async until(
    what: string,
    test: (status: SwarmGroupStatus) => boolean | Promise<boolean>,
    seconds = 300,
  ): Promise<SwarmGroupStatus> {
    let last: SwarmGroupStatus | undefined;
    const look = async (): Promise<boolean> => {
      last = await this.status();
      return last !== undefined && (await test(last));
    };
    await eventually(`${this.namespace}/shop ${what}`, look, seconds).catch((error: Error) => {
      const logs = this.#cluster.logs().slice(-3000);
      throw new Error(`${error.message}; its status: ${JSON.stringify(last)}\n${logs}`);
    });
    return last ?? {};
  }

  /** Ready, with this size, and every member has what the group says. */
  atSize(size: number): Promise<SwarmGroupStatus> {
    return this.until(
      `is ready at size ${size}`,
      ({ replicas, conditions, readyMembers, desiredMembers }) =>
        replicas === size &&
        readyMembers === desiredMembers &&
        conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true,
    );
  }

  edit(spec: object): Promise<unknown> {
    return this.#cluster.api.patch(kinds.SwarmGroup, this.#ref, { type: 'merge', body: { spec } });
  }

  kubectl(...args: readonly string[]): Promise<string> {
    return this.#cluster.kubectl('-n', this.namespace, ...args);
  }

  async replicas(kind: Workload | 'SwarmPool', name: string): Promise<number | undefined> {
    const found = await this.#cluster.api.get(kinds[kind], { namespace: this.namespace, name });
    return asNumber(
      kind === 'SwarmPool'
        ? dig(found, 'spec', 'workers', 'replicas')
        : dig(found, 'spec', 'replicas'),
    );
  }
}
