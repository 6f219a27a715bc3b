// Which pods of jobs lived together, and was that allowed? Looked at all the time.
import { setTimeout as delay } from 'node:timers/promises';
import { LABEL_JOB } from '../../src/api/batch-job.ts';
import { kinds } from '../../src/api/kinds.ts';
import { asString, dig, type KubeObject } from '../../src/api/objects.ts';
import type { KubeClient } from '../../src/runtime/client/client.ts';

const LOOK_MS = 50;

export class PodWitness {
  readonly #api: Pick<KubeClient, 'list'>;
  readonly #namespace: string;
  readonly #quota: number;
  readonly #problems = new Set<string>();
  readonly #looking: Promise<void>;
  #isWatching = true;

  constructor(api: Pick<KubeClient, 'list'>, namespace: string, quota: number) {
    this.#api = api;
    this.#namespace = namespace;
    this.#quota = quota;
    this.#looking = this.#look();
  }

  /** What was wrong. */
  async stop(): Promise<readonly string[]> {
    this.#isWatching = false;
    await this.#looking;
    return [...this.#problems];
  }

  /** An API server that restarts has nothing to tell. */
  async #look(): Promise<void> {
    while (this.#isWatching) {
      const list = await this.#api.list(kinds.Pod, this.#namespace).catch(() => undefined);
      for (const problem of this.#problemsOf(list?.items ?? [])) this.#problems.add(problem);
      await delay(LOOK_MS);
    }
  }

  #problemsOf(pods: readonly KubeObject[]): readonly string[] {
    const living = pods.filter((pod) => !hasEnded(pod));
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
