// How do seven thousand Deployments become ready on a machine that cannot run their pods? In place
// of their controller and their pods: what one asks for is ready at once. Notes when it was asked.
import { kinds } from '../../src/api/kinds.ts';
import { asNumber, dig, type KubeObject, keyOf, type Ref } from '../../src/api/objects.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { Watcher } from '../../src/runtime/watch/watcher.ts';
import type { Swarm } from '../../test/integration/support/swarm.ts';

/** The number of concurrent requests. */
const LANES = 8;

type Asked = { readonly replicas: number; readonly generation: number };

export class PromptController {
  readonly #swarm: Swarm;
  readonly #ending = new AbortController();
  /** By Deployment: when it was first seen with each number of replicas. */
  readonly #seenAt = new Map<string, Map<number, number>>();
  /** What their status does not say yet. */
  readonly #asked = new Map<string, { readonly ref: Ref; readonly asked: Asked }>();
  readonly #ready = new Set<string>();
  #busy = 0;

  private constructor(swarm: Swarm) {
    this.#swarm = swarm;
  }

  static async start(swarm: Swarm): Promise<PromptController> {
    const controller = new PromptController(swarm);
    const deployments = new Watcher(
      swarm.api,
      { kind: kinds.Deployment },
      { clock: systemClock },
      ({ object }) => controller.#take(object),
    );
    void deployments.run(controller.#ending.signal);
    await deployments.synced;
    return controller;
  }

  /** How many Deployments have what they ask for. */
  get ready(): number {
    return this.#ready.size;
  }

  /** Undefined: not seen yet. */
  seenAt(member: Ref, replicas: number): number | undefined {
    return this.#seenAt.get(keyOf(member))?.get(replicas);
  }

  stop(): void {
    this.#ending.abort();
    this.#asked.clear();
  }

  #take({ metadata, spec, status }: KubeObject): void {
    const { namespace = '', name, generation = 1 } = metadata;
    const ref = { namespace, name };
    const key = keyOf(ref);
    const replicas = asNumber(dig(spec, 'replicas')) ?? 1;
    const seen = this.#seenAt.get(key) ?? new Map<number, number>();
    this.#seenAt.set(key, seen);
    if (!seen.has(replicas)) seen.set(replicas, performance.now());
    if (asNumber(dig(status, 'observedGeneration')) === generation) {
      this.#ready.add(key);
      return;
    }
    this.#ready.delete(key);
    this.#asked.set(key, { ref, asked: { replicas, generation } });
    void this.#work();
  }

  async #work(): Promise<void> {
    if (this.#busy >= LANES) return;
    this.#busy += 1;
    for (const [key, { ref, asked }] of this.#asked) {
      this.#asked.delete(key);
      await this.#answer(ref, asked).catch((error: unknown) => {
        if (!this.#ending.signal.aborted) console.warn(`${key}: ${String(error)}`);
      });
    }
    this.#busy -= 1;
  }

  async #answer(ref: Ref, { replicas, generation }: Asked): Promise<void> {
    const status = {
      observedGeneration: generation,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
    };
    const patch = { type: 'merge', body: { status } } as const;
    await this.#swarm.api.patch(kinds.Deployment, ref, patch, 'status');
  }
}
