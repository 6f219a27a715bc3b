// The SwarmJobs of one namespace of the real cluster, as a user handles them.
import { kinds } from '../../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../../src/api/objects.ts';
import { operatorNamespace, type World } from './world.ts';

export class Jobs {
  readonly #world: () => World;
  readonly #namespace: string;
  readonly #defaults: object;

  constructor(world: () => World, namespace: string, defaults: object) {
    this.#world = world;
    this.#namespace = namespace;
    this.#defaults = { queueName: 'batch', size: 4, ...defaults };
  }

  kubectl = (...args: readonly string[]): Promise<string> =>
    this.#world().kubectl('-n', this.#namespace, ...args);

  /** Applies the queue of the sample, and waits until it is Ready. */
  async queueOf(sample: string): Promise<void> {
    await this.#world().kubectl('apply', '-f', `samples/${sample}/queue.yaml`);
    await this.kubectl('wait', '--for=condition=Ready', 'swarmqueue/batch', '--timeout=60s');
  }

  createQueue = (quota: object): Promise<KubeObject> =>
    this.#world().api.create(kinds.SwarmQueue, {
      apiVersion: 'k8slab.info/v1alpha1',
      kind: 'SwarmQueue',
      metadata: { name: 'batch', namespace: this.#namespace },
      spec: { quota },
    });

  create = (name: string, spec: object): Promise<KubeObject> =>
    this.#world().api.create(kinds.SwarmJob, {
      apiVersion: 'k8slab.info/v1alpha1',
      kind: 'SwarmJob',
      metadata: { name, namespace: this.#namespace },
      spec: { ...this.#defaults, ...spec },
    });

  /** Waits for the condition; the error shows what there was instead. */
  is = async (name: string, condition: string): Promise<void> => {
    try {
      const wanted = [`--for=condition=${condition}`, `swarmjob/${name}`, '--timeout=180s'];
      await this.kubectl('wait', ...wanted);
    } catch (error) {
      throw new Error(`${String(error)}\n${await this.#whatThereIs(name)}`, { cause: error });
    }
  };

  async #whatThereIs(name: string): Promise<string> {
    const parts = await Promise.all([
      this.kubectl('get', 'swarmjob', name, '-o=jsonpath={.status}'),
      this.kubectl('get', 'swarmqueues,jobs,pods', '-o=wide'),
      this.kubectl('get', 'events', '--sort-by=.lastTimestamp'),
      this.#world().kubectl(
        ...['-n', operatorNamespace, 'logs', '-l=app.kubernetes.io/name=swarm-operator'],
        '--tail=40',
      ),
    ]);
    return parts.join('\n');
  }

  suspend = (name: string, value: boolean): Promise<string> =>
    this.kubectl(
      ...['patch', 'swarmjob', name, '--type=merge'],
      `-p=${JSON.stringify({ spec: { suspend: value } })}`,
    );

  delete = (...names: readonly string[]): Promise<string> =>
    this.kubectl('delete', 'swarmjob', ...names);

  async get(name: string): Promise<KubeObject> {
    return this.#world().api.get(kinds.SwarmJob, { namespace: this.#namespace, name });
  }

  async statusOf(name: string): Promise<unknown> {
    return (await this.get(name))['status'];
  }

  /** By rank. */
  async podsOf(name: string): Promise<readonly KubeObject[]> {
    const labelSelector = `k8slab.info/job=${name}`;
    const { items } = await this.#world().api.list(kinds.Pod, this.#namespace, { labelSelector });
    return items.toSorted((a, b) => rankOf(a) - rankOf(b));
  }

  async podOf(name: string, rank: number): Promise<string> {
    const pod = (await this.podsOf(name)).find((it) => rankOf(it) === rank);
    return pod?.metadata.name ?? '';
  }

  async addressOf(name: string, rank: number): Promise<string> {
    const pod = (await this.podsOf(name)).find((it) => rankOf(it) === rank);
    return asString(dig(pod, 'status', 'podIP')) ?? '';
  }

  async logOf(name: string, rank = 0): Promise<string> {
    return this.kubectl('logs', await this.podOf(name, rank), '-c', 'main');
  }

  async logsOf(name: string): Promise<readonly string[]> {
    const pods = await this.podsOf(name);
    return Promise.all(
      pods.map(({ metadata }) => this.kubectl('logs', metadata.name, '-c', 'main')),
    );
  }

  deleteNamespace = (): Promise<string> =>
    this.#world().kubectl('delete', 'namespace', this.#namespace, '--wait=false');
}

const rankOf = ({ metadata: { annotations = {} } }: KubeObject): number =>
  Number(annotations['batch.kubernetes.io/job-completion-index']);
