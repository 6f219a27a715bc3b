// What would a kubelet tell of the pods of batch Jobs? Each runs for 0.2 s, and ends well.
import { kinds } from '../../src/api/kinds.ts';
import { dig, type KubeObject } from '../../src/api/objects.ts';
import type { Swarm } from '../../test/integration/support/swarm.ts';

export const NAMESPACE = 'jobs';
const RUN_MS = 200;

/** By the name of the batch Job. */
export class SimulatedPods {
  readonly startedMs = new Map<string, number>();
  readonly endedMs = new Map<string, number>();
  readonly #swarm: Swarm;
  readonly #ending = new AbortController();
  living = 0;

  constructor(swarm: Swarm) {
    this.#swarm = swarm;
  }

  stop(): void {
    this.#ending.abort();
  }

  async run(): Promise<void> {
    await Promise.all([
      this.#follow(kinds.Pod, (pod, isNew) => isNew && void this.#live(pod)),
      this.#follow(kinds.Job, ({ metadata, spec }) => {
        if (dig(spec, 'suspend') === false && !this.startedMs.has(metadata.name))
          this.startedMs.set(metadata.name, performance.now());
      }),
    ]).catch(() => undefined);
  }

  async #follow(
    kind: typeof kinds.Pod,
    take: (object: KubeObject, isNew: boolean) => unknown,
  ): Promise<void> {
    const { api } = this.#swarm;
    const { signal } = this.#ending;
    let { resourceVersion } = await api.list(kind, NAMESPACE);
    while (!signal.aborted)
      for await (const { type, object } of api.watch(
        kind,
        NAMESPACE,
        { resourceVersion, timeoutSeconds: 60 },
        { signal },
      )) {
        resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
        if (type === 'ADDED' || type === 'MODIFIED') take(object, type === 'ADDED');
      }
  }

  async #live({ metadata }: KubeObject): Promise<void> {
    this.living += 1;
    await this.#tell(metadata.name, 'Running');
    await new Promise((resolve) => setTimeout(resolve, RUN_MS));
    await this.#tell(metadata.name, 'Succeeded');
    this.living -= 1;
    const job = metadata.labels?.['job-name'] ?? '';
    this.endedMs.set(job, performance.now());
  }

  async #tell(name: string, phase: 'Running' | 'Succeeded'): Promise<void> {
    const conditions = [{ type: 'Ready', status: phase === 'Running' ? 'True' : 'False' }];
    const body = { status: { phase, conditions } };
    const ref = { namespace: NAMESPACE, name };
    await this.#swarm.api
      .patch(kinds.Pod, ref, { type: 'merge', body }, 'status')
      .catch(() => undefined);
  }
}
