// The real cluster with the operator on it, and helpers for the stories.

import { chmodSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { request } from 'undici';
import { secondsSince } from '../../bench/instruments/measure.ts';
import { kinds } from '../../src/api/kinds.ts';
import { asList, asString, dig, type KubeObject } from '../../src/api/objects.ts';
import { signalIfThere } from '../../src/playground/processes/processes.ts';
import { KubeClient } from '../../src/runtime/client/client.ts';
import { loadKubeConfig } from '../../src/runtime/client/load-config.ts';
import { makePool, Pool, type TestCluster } from '../integration/support/pool.ts';
import type { Shape } from '../integration/support/shape.ts';
import { definitionsServed } from '../support/definitions.ts';
import { eventually } from '../support/processes.ts';
import { Cluster } from './node/cluster.ts';
import { Recorder } from './recorder.ts';

export const operatorNamespace = 'swarm-operator';

export type RecordedShape = Omit<Shape, 'worker'> & {
  readonly args?: readonly string[];
  readonly lingerMs?: number;
};

export class World implements TestCluster {
  readonly cluster: Cluster;
  readonly api: KubeClient;
  readonly #config: ReturnType<typeof loadKubeConfig>;
  #bare: readonly string[] = [];

  private constructor(cluster: Cluster) {
    this.cluster = cluster;
    this.#config = loadKubeConfig({ file: cluster.plane.kubeconfig });
    this.api = new KubeClient(this.#config, { userAgent: 'swarm-test' });
  }

  static async start(nodes: number): Promise<World> {
    const { SWARM_E2E_IMAGES: images } = process.env;
    if (images === undefined) throw new Error('these tests are started by `npm run test:e2e`');
    const world = new World(
      await Cluster.start({
        nodes,
        images: readdirSync(images)
          .filter((name) => name.endsWith('.tar'))
          .map((name) => path.join(images, name)),
      }),
    );
    await eventually('each namespace has its default objects', () => world.#isFurnished());
    world.#bare = await world.inventory();
    return world;
  }

  async stop(): Promise<void> {
    await this.#config.closeConnections();
    await this.cluster.stop();
  }

  kubectl(...args: readonly string[]): Promise<string> {
    return this.cluster.kubectl(...args);
  }

  logs(): string {
    return this.cluster.nodes.map((node) => node.logs()).join('\n');
  }

  /** The objects that existed before the installation. */
  get bare(): readonly string[] {
    return this.#bare;
  }

  /** All objects of the API server, by kind and name, without those that it writes about itself. */
  async inventory(): Promise<readonly string[]> {
    const listed = (await this.kubectl('api-resources', '--verbs=list', '-o', 'name'))
      .trim()
      .split('\n');
    const kept = listed.filter(
      (name) => !/^(events|leases|csinodes|componentstatuses|ipaddresses)(\.|$)/.test(name),
    );
    return (
      await this.kubectl('get', kept.join(), '--all-namespaces', '--ignore-not-found', '-o', 'name')
    )
      .trim()
      .split('\n')
      .sort();
  }

  async #isFurnished(): Promise<boolean> {
    const [spaces, accounts, maps] = await Promise.all(
      [kinds.Namespace, kinds.ServiceAccount, kinds.ConfigMap].map(
        async (kind) => (await this.api.list(kind, undefined)).items,
      ),
    );
    const has = (
      objects: readonly KubeObject[] | undefined,
      space: string,
      wanted: string,
    ): boolean =>
      objects?.some(
        ({ metadata: { namespace, name } }) => namespace === space && name === wanted,
      ) === true;
    return (
      spaces?.every(
        ({ metadata: { name } }) =>
          has(accounts, name, 'default') && has(maps, name, 'kube-root-ca.crt'),
      ) === true
    );
  }

  /** Waits for namespaces that stories have deleted. */
  async goneNamespaces(): Promise<void> {
    await eventually(
      'all namespaces of the stories are gone',
      async () => {
        const { items } = await this.api.list(kinds.Namespace, undefined);
        return items.every(
          ({ metadata: { name } }) => name === 'default' || name.startsWith('kube-'),
        );
      },
      300,
    );
  }

  /** Like a user: installs the CRDs and the operator, with two replicas, all Ready. */
  async install(): Promise<void> {
    await this.kubectl('apply', '-k', 'envs/dev');
    await definitionsServed((...args) => this.kubectl(...args));
    await this.kubectl(
      '-n',
      operatorNamespace,
      'scale',
      'deployment/swarm-operator',
      '--replicas=2',
    );
    await this.rolledOut();
  }

  async rolledOut(): Promise<void> {
    await this.kubectl(
      '-n',
      operatorNamespace,
      'rollout',
      'status',
      'deployment/swarm-operator',
      '--timeout=300s',
    );
  }

  async operators(): Promise<readonly KubeObject[]> {
    const { items } = await this.api.list(kinds.Pod, operatorNamespace);
    return items.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  }

  /** From the Lease; the holder's name begins with its pod's. */
  async leader(): Promise<string> {
    const lease = await this.api
      .get(kinds.Lease, { namespace: operatorNamespace, name: 'swarm-operator' })
      .catch(() => undefined);
    return asString(dig(lease, 'spec', 'holderIdentity')) ?? '';
  }

  async leadingPod(): Promise<KubeObject> {
    let found: KubeObject | undefined;
    await eventually('one of the replicas leads', async () => {
      const holder = await this.leader();
      found = (await this.operators()).find(({ metadata }) =>
        holder.startsWith(`${metadata.name}-`),
      );
      return found !== undefined;
    });
    if (found === undefined) throw new Error('there is no leader');
    return found;
  }

  /** Another leader than before; returns the seconds since the start. */
  async untilLedByOther(before: string, start: number): Promise<number> {
    await eventually('another leads', async () => !['', before].includes(await this.leader()));
    return secondsSince(start);
  }

  /** To the processes of a pod's container: the image's entry point, and its children. */
  async signal(pod: KubeObject, signal: NodeJS.Signals): Promise<void> {
    const id =
      asString(dig(asList(dig(pod, 'status', 'containerStatuses'))[0], 'containerID')) ?? '';
    const pids = this.cluster.nodeOf(asString(dig(pod, 'spec', 'nodeName')) ?? '').pidsOf(id);
    if (pids.length === 0) throw new Error(`no process of ${pod.metadata.name} is found`);
    for (const pid of signal === 'SIGKILL' ? pids : pids.slice(0, 1)) signalIfThere(pid, signal);
  }

  /** Workers of the image whose streams record when they run. */
  async recordedPool(namespace: string, shape: RecordedShape): Promise<[Pool, Recorder, Shape]> {
    const { args = [], volumes = [], lingerMs, ...rest } = shape;
    const recorder = newRecorder(lingerMs);
    const whole: Shape = {
      ...rest,
      worker: recorder.container(
        args,
        volumes.map((volume) => asString(dig(volume, 'name')) ?? ''),
      ),
      volumes: [...volumes, recorder.volume],
    };
    return [await makePool(this, namespace, whole), recorder, whole];
  }

  pool(namespace: string, shape: Shape): Promise<Pool> {
    return makePool(this, namespace, {
      ...shape,
      worker: { image: 'swarm-worker:dev', ...shape.worker },
    });
  }

  poolIn(namespace: string): Pool {
    return new Pool(this, namespace);
  }
}

export function newRecorder(lingerMs?: number): Recorder {
  const folder = mkdtempSync(path.join(tmpdir(), 'records-'));
  // The image's user writes here.
  chmodSync(folder, 0o777);
  return new Recorder(folder, lingerMs);
}

export const addressOf = (pod: KubeObject): string => asString(dig(pod, 'status', 'podIP')) ?? '';

export const isReady = (pod: KubeObject): boolean =>
  asList(dig(pod, 'status', 'conditions')).some(
    (it) => dig(it, 'type') === 'Ready' && dig(it, 'status') === 'True',
  );

export async function ask(pod: KubeObject, port: number, url: string): Promise<unknown> {
  const { body } = await request(`http://${addressOf(pod)}:${port}${url}`, { reset: true });
  return body.json();
}
