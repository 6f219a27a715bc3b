// What does an attacker have? The role `edit` in two namespaces, a token, and patience; the test
// counts what the API server refuses.
import { apiVersionOf, type Kind, kinds } from '../../src/api/kinds.ts';
import type { KubeObject } from '../../src/api/objects.ts';
import type { KubeClient } from '../../src/runtime/client/client.ts';
import { hasCode, KubeError } from '../../src/runtime/client/errors.ts';
import { sleep, systemClock } from '../../src/runtime/clock.ts';
import type { Random } from '../sim/random.ts';

/** What etcd and the API server bear, since they are not under test. */
const BYTES_A_SECOND = 3_000_000;
const REQUEST_MS = 60_000;

export type Victim = {
  readonly namespace: string;
  readonly pools: readonly string[];
  /** By pool: the UID of its StatefulSet. */
  readonly sets: Readonly<Record<string, string>>;
  /** UIDs of pods that a false answer can name. */
  readonly podUids: readonly string[];
};

export type Ports = { readonly health: number; readonly metrics: number };

/**
 * The status that the pool must have. Stalled, NotReady: it must report the problem. Truth:
 * whatever it reports must be true.
 */
export type Expected = { readonly pool: string; readonly says: 'Stalled' | 'NotReady' | 'truth' };

export type Place = {
  readonly namespace: string;
  readonly other: string;
  readonly name: string;
  readonly random: Random;
};

export type Attack = {
  readonly kind: string;
  readonly run: (tenant: Tenant, place: Place) => Promise<readonly Expected[]>;
};

export type Tally = {
  runs: number;
  taken: number;
  refused: number;
  /** In the words of the API server. */
  lastRefusal?: string;
};

export class Tenant {
  readonly victim: Victim;
  readonly ports: Ports;
  readonly #api: KubeClient;
  readonly #ending: AbortSignal;
  readonly #tally: Tally;
  static #freeAt = 0;

  constructor(of: {
    api: KubeClient;
    victim: Victim;
    ports: Ports;
    ending: AbortSignal;
    tally: Tally;
  }) {
    this.#api = of.api;
    this.victim = of.victim;
    this.ports = of.ports;
    this.#ending = of.ending;
    this.#tally = of.tally;
  }

  get isEnding(): boolean {
    return this.#ending.aborted;
  }

  /** Creates the object, or applies it over the existing one. Undefined when it was refused. */
  async write(
    kind: Kind,
    namespace: string,
    name: string,
    rest: object,
  ): Promise<KubeObject | undefined> {
    const body = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      ...rest,
      metadata: { ...metadataIn(rest), name, namespace },
    };
    await this.#spend(JSON.stringify(body).length);
    return this.#try(async () => {
      try {
        return await this.#api.create(kind, body, { timeoutMs: REQUEST_MS });
      } catch (error) {
        if (!hasCode(error, 'AlreadyExists')) throw error;
        return this.#api.patch(kind, { namespace, name }, { type: 'merge', body }, undefined, {
          timeoutMs: REQUEST_MS,
        });
      }
    });
  }

  async patch(
    kind: Kind,
    namespace: string,
    name: string,
    body: object,
    subresource?: string,
  ): Promise<KubeObject | undefined> {
    await this.#spend(JSON.stringify(body).length);
    return this.#try(() =>
      this.#api.patch(kind, { namespace, name }, { type: 'merge', body }, subresource, {
        timeoutMs: REQUEST_MS,
      }),
    );
  }

  async remove(kind: Kind, namespace: string, name: string): Promise<void> {
    await this.#try(() =>
      this.#api.delete(kind, { namespace, name }, undefined, {
        gracePeriodSeconds: 0,
        timeoutMs: REQUEST_MS,
      }),
    );
  }

  async uidOf(kind: Kind, namespace: string, name: string): Promise<string | undefined> {
    return (
      await this.#try(() => this.#api.get(kind, { namespace, name }, { timeoutMs: REQUEST_MS }))
    )?.metadata.uid;
  }

  /**
   * A StatefulSet, two pods that it might have created, and a pool on them: still a healthy pool.
   */
  async wellBefore(
    { namespace, name }: Place,
    spec: object = {},
    answers = 'truth',
  ): Promise<void> {
    const set = await this.write(kinds.StatefulSet, namespace, name, workload(name, 2));
    const uid = set?.metadata.uid;
    if (uid === undefined) return;
    for (const ordinal of [0, 1])
      await this.pod(namespace, `${name}-${ordinal}`, { owner: { name, uid }, answers });
    await this.write(kinds.SwarmPool, namespace, name, {
      spec: { workers: { targetRef: { name } }, streams: fewStreams, ...spec },
    });
  }

  /**
   * The pod is bound to a node already, as the scheduler would; there, it answers as the attacker
   * likes.
   */
  async pod(
    namespace: string,
    name: string,
    { owner, answers }: { owner: { name: string; uid: string }; answers: string },
  ): Promise<KubeObject | undefined> {
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'StatefulSet', controller: true, ...owner },
    ];
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name,
        namespace,
        labels: { answers, app: name.replace(/-\d+$/, '') },
        ownerReferences,
      },
      spec: podSpec,
    };
    await this.#spend(JSON.stringify(body).length);
    return this.#try(() => this.#api.create(kinds.Pod, body, { timeoutMs: REQUEST_MS }));
  }

  pause(ms: number): Promise<void> {
    return sleep(systemClock, ms, this.#ending);
  }

  async #try<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.isEnding) return undefined;
    try {
      const done = await work();
      this.#tally.taken += 1;
      return done;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      this.#tally.refused += 1;
      this.#tally.lastRefusal = error.message;
      return undefined;
    }
  }

  async #spend(bytes: number): Promise<void> {
    const now = performance.now();
    const wait = Tenant.#freeAt - now;
    Tenant.#freeAt = Math.max(now, Tenant.#freeAt) + (1_000 * bytes) / BYTES_A_SECOND;
    if (wait > 0) await this.pause(wait);
  }
}

const metadataIn = (rest: object): object =>
  'metadata' in rest && typeof rest.metadata === 'object' ? { ...rest.metadata } : {};

export const fewStreams: readonly { readonly name: string }[] = ['a', 'b', 'c', 'd'].map(
  (name) => ({ name }),
);

const podSpec = {
  nodeName: 'simulated',
  automountServiceAccountToken: false,
  terminationGracePeriodSeconds: 0,
  containers: [{ name: 'worker', image: 'hostile:test' }],
};

export function workload(
  name: string,
  replicas: number,
  spec: object = {},
): { readonly metadata: object; readonly spec: object } {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: podSpec.containers } };
  return {
    metadata: { labels },
    spec: { replicas, selector: { matchLabels: labels }, template, ...spec },
  };
}
