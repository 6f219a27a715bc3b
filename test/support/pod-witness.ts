// Which pods of jobs lived together, and was that allowed? Looked at all the time.
import { setTimeout as delay } from 'node:timers/promises';
import { LABEL_JOB } from '../../src/api/batch-job.ts';
import { kinds } from '../../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../../src/api/objects.ts';
import type { KubeClient } from '../../src/runtime/client/client.ts';

const LOOK_MS = 50;

type Witnessed = {
  readonly problems: readonly string[];
  /** The largest number of pods that lived at a time: 0 if the witness has seen nothing. */
  readonly mostLiving: number;
};

export class PodWitness {
  readonly #api: Pick<KubeClient, 'list'>;
  readonly #namespace: string;
  readonly #quota: number;
  readonly #problems = new Set<string>();
  readonly #looking: Promise<void>;
  #isWatching = true;
  #mostLiving = 0;

  constructor(api: Pick<KubeClient, 'list'>, namespace: string, quota: number) {
    this.#api = api;
    this.#namespace = namespace;
    this.#quota = quota;
    this.#looking = this.#watch();
  }

  async stop(): Promise<Witnessed> {
    this.#isWatching = false;
    await this.#looking;
    return { problems: [...this.#problems], mostLiving: this.#mostLiving };
  }

  /** An API server that restarts does not answer; `mostLiving` shows whether it ever did. */
  async #watch(): Promise<void> {
    while (this.#isWatching) {
      const list = await this.#api.list(kinds.Pod, this.#namespace).catch(() => undefined);
      for (const problem of this.#lookAt(list?.items ?? [])) this.#problems.add(problem);
      await delay(LOOK_MS);
    }
  }

  /** Returns the problems. */
  #lookAt(pods: readonly KubeObject[]): readonly string[] {
    const living = pods.filter((pod) => !hasEnded(pod));
    this.#mostLiving = Math.max(this.#mostLiving, living.length);
    const names = living.map(({ metadata }) => metadata.name).sort();
    const jobs = Map.groupBy(living, ({ metadata }) => metadata.labels?.[LABEL_JOB] ?? '');
    const twice = [...jobs].filter(
      ([, own]) => new Set(own.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid)).size > 1,
    );
    return [
      ...(living.length > this.#quota
        ? [`${living.length} pods of ${this.#quota} live: ${names}`]
        : []),
      ...twice.map(([job]) => `two attempts of ${job} live`),
    ];
  }
}

export const hasEnded = (pod: KubeObject): boolean =>
  ['Succeeded', 'Failed'].includes(asString(dig(pod, 'status', 'phase')) ?? '');
