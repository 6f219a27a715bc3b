// A pool under test, with helpers to change and inspect it.
import { request } from 'undici';
import {
  ASSIGNED_ANNOTATION,
  readAssigned,
  readAssignment,
  type Slice,
} from '../../../src/api/assignment.ts';
import { type Kind, kinds } from '../../../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../../../src/api/objects.ts';
import { readReport } from '../../../src/api/report.ts';
import { parseSwarmPool, type SwarmPoolStatus } from '../../../src/api/validate.ts';
import { ANNOTATION_NEVER_READY } from '../../../src/pool/publish/config-map.ts';
import type { KubeClient } from '../../../src/runtime/client/client.ts';
import { eventually } from '../../support/processes.ts';
import { poolSpec, type Shape, workload } from './shape.ts';

/** A cluster for pools under test: a local Kubernetes, or a real one. */
export type TestCluster = {
  readonly api: KubeClient;
  kubectl(...args: readonly string[]): Promise<string>;
  /** The log of all operators so far. */
  logs(): string;
};

/** A new namespace with a target `worker` and a pool `tv` on it. */
export async function makePool(
  cluster: TestCluster,
  namespace: string,
  shape: Shape,
): Promise<Pool> {
  await cluster.api.create(kinds.Namespace, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  return makePoolIn(cluster, namespace, shape);
}

/** The same in an existing namespace. */
export async function makePoolIn(
  cluster: TestCluster,
  namespace: string,
  shape: Shape,
): Promise<Pool> {
  await create(
    cluster.api,
    kinds[shape.kind ?? 'StatefulSet'],
    namespace,
    'worker',
    workload(shape),
  );
  await create(cluster.api, kinds.SwarmPool, namespace, 'tv', {
    spec: { ...poolSpec(shape), ...shape.spec },
  });
  return new Pool(cluster, namespace);
}

export async function create(
  api: KubeClient,
  kind: Kind,
  namespace: string,
  name: string,
  rest: object,
): Promise<KubeObject> {
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const metadata = { name, namespace, ...(dig(rest, 'metadata') as object | undefined) };
  return api.create(kind, { apiVersion, kind: kind.kind, ...rest, metadata });
}

export class Pool {
  readonly #swarm: TestCluster;
  readonly namespace: string;

  constructor(swarm: TestCluster, namespace: string) {
    this.#swarm = swarm;
    this.namespace = namespace;
  }

  async status(): Promise<SwarmPoolStatus | undefined> {
    return parseSwarmPool(
      await this.#swarm.api.get(kinds.SwarmPool, { namespace: this.namespace, name: 'tv' }),
    ).status;
  }

  async condition(
    type: string,
  ): Promise<{ status: string; reason: string; message: string } | undefined> {
    return (await this.status())?.conditions?.find((condition) => condition.type === type);
  }

  /** Waits for a status that satisfies the condition, and returns it. */
  async until(
    what: string,
    test: (status: SwarmPoolStatus) => boolean | Promise<boolean>,
    seconds = 300,
  ): Promise<SwarmPoolStatus> {
    let last: SwarmPoolStatus | undefined;
    const look = async (): Promise<boolean> => {
      last = await this.status();
      return last !== undefined && (await test(last));
    };
    await eventually(`${this.namespace}/tv ${what}`, look, seconds).catch((error: Error) => {
      throw new Error(
        `${error.message}; its status: ${JSON.stringify(last)}\n${this.#swarm.logs().slice(-3000)}`,
      );
    });
    return last ?? {};
  }

  /**
   * Converged with this many workers, and the workers themselves report that each stream runs
   * exactly once.
   */
  async converged(
    streams: readonly string[],
    workers: number,
    seconds?: number,
  ): Promise<SwarmPoolStatus> {
    const wanted = [...streams].sort().join();
    // A status of an earlier version stays for a moment: it does not describe what is published
    // now.
    const isThere = async (of: number | undefined): Promise<boolean> => {
      const { version, slices, object } = await this.published();
      // The operator removes a worker from that note a moment after status says that it is Ready;
      // after that it writes nothing more.
      const isNoted = object.metadata.annotations?.[ANNOTATION_NEVER_READY] !== undefined;
      return (
        version === of &&
        slices.size === workers &&
        !isNoted &&
        (await this.pods()).length === workers
      );
    };
    const isRight = async (status: SwarmPoolStatus): Promise<boolean> =>
      status.replicas === workers &&
      status.convergedReplicas === workers &&
      status.readyReplicas === workers &&
      (await isThere(status.version)) &&
      status.streams?.assigned === streams.length &&
      wanted ===
        (await this.running())
          .flatMap(({ jobs }) => jobs)
          .sort()
          .join();
    return this.until(
      `converges with ${workers} workers on ${streams.length} streams`,
      isRight,
      seconds,
    );
  }

  async pods(): Promise<readonly KubeObject[]> {
    return (await this.#swarm.api.list(kinds.Pod, this.namespace)).items;
  }

  /** What each worker itself reports to run; one that does not answer runs nothing. */
  async running(): Promise<readonly { name: string; version: number; jobs: readonly string[] }[]> {
    const pods = await this.pods();
    return Promise.all(
      pods.map(async (pod) => ({
        name: pod.metadata.name,
        ...(await reportOf(asString(dig(pod, 'status', 'podIP')))),
      })),
    );
  }

  async published(): Promise<{
    version: number;
    slices: ReadonlyMap<string, Slice>;
    object: KubeObject;
  }> {
    const object = await this.#swarm.api.get(kinds.ConfigMap, {
      namespace: this.namespace,
      name: 'tv-assignments',
    });
    const read = readAssignment(asString(dig(object, 'data', 'config.yml')) ?? '');
    if (!read.ok) throw new Error(read.problem);
    return { version: read.assignment.version, slices: read.assignment.workloads, object };
  }

  /** How often each worker with a slice of this version was nudged. */
  async told(version: number | undefined): Promise<readonly number[]> {
    const all = (await this.pods()).map(({ metadata }) =>
      readAssigned(metadata.annotations?.[ASSIGNED_ANNOTATION]),
    );
    return all.flatMap((it) => (it !== undefined && it.version === version ? [it.attempt] : []));
  }

  scale(replicas: number): Promise<string> {
    return this.#swarm.kubectl(
      '-n',
      this.namespace,
      'scale',
      'statefulset/worker',
      `--replicas=${replicas}`,
    );
  }

  async edit(spec: object): Promise<void> {
    await this.#swarm.api.patch(
      kinds.SwarmPool,
      { namespace: this.namespace, name: 'tv' },
      { type: 'merge', body: { spec } },
    );
  }

  streams(names: readonly string[]): Promise<void> {
    return this.edit({ streams: names.map((name) => ({ name })) });
  }

  async events(): Promise<readonly { reason: string; note: string }[]> {
    const { items } = await this.#swarm.api.list(kinds.Event, this.namespace);
    return items
      .filter((event) => dig(event, 'involvedObject', 'kind') === 'SwarmPool')
      .map((event) => ({
        reason: asString(event['reason']) ?? '',
        note: asString(event['message']) ?? '',
      }));
  }
}

async function reportOf(
  ip: string | undefined,
): Promise<{ version: number; jobs: readonly string[] }> {
  const nothing = { version: 0, jobs: [] };
  if (ip === undefined) return nothing;
  try {
    const { body } = await request(`http://${ip}:9090/internal/version`, { reset: true });
    return { ...nothing, ...readReport(await body.text()) };
  } catch {
    return nothing;
  }
}
