// When a pod's volumes are synced, and whether its containers may start.
import type { NodeContext } from '../context.ts';
import type { EventRecorder } from '../events.ts';
import type { PodFacts } from '../pods/fields.ts';
import type { Volumes } from './volumes.ts';

/** As a kubelet retries volumes that cannot be made. */
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 122_000;

type Options = Pick<NodeContext, 'clock' | 'configMapPeriodMs' | 'random'>;

/** Volumes that cannot be refreshed keep their contents. */
export class VolumeSync {
  readonly #volumes: Pick<Volumes, 'sync'>;
  readonly #context: Options;
  readonly #record: EventRecorder;
  #areMounted = false;
  #dueAt = 0;
  #failures = 0;

  constructor(volumes: Pick<Volumes, 'sync'>, context: Options, record: EventRecorder) {
    this.#volumes = volumes;
    this.#context = context;
    this.#record = record;
  }

  /** All of them were made: containers may start. */
  get areMounted(): boolean {
    return this.#areMounted;
  }

  /** With the next sync of the pod. */
  refreshSoon(): void {
    this.#dueAt = 0;
  }

  /** Returns the time until the next sync in ms. */
  async sync(facts: PodFacts): Promise<number> {
    const { clock, configMapPeriodMs, random } = this.#context;
    if (clock.monotonic() >= this.#dueAt) {
      // Before anything is read: a change meanwhile makes it due again.
      this.#dueAt = Number.POSITIVE_INFINITY;
      const retryMs = await this.#refresh(facts).catch((error: unknown) => {
        this.#dueAt = 0;
        throw error;
      });
      // As in a kubelet, the period and up to half of it more.
      this.#dueAt = Math.min(
        this.#dueAt,
        clock.monotonic() + (retryMs ?? configMapPeriodMs * (1 + random() / 2)),
      );
    }
    return this.#dueAt - clock.monotonic();
  }

  /** Returns the back-off of an attempt that has failed. */
  async #refresh(facts: PodFacts): Promise<number | undefined> {
    const problem = await this.#volumes.sync(facts);
    if (problem === undefined) {
      this.#areMounted = true;
      this.#failures = 0;
      return undefined;
    }
    this.#record(
      'Warning',
      'FailedMount',
      `MountVolume.SetUp failed for volume "${problem.volume}" : ${problem.missing}`,
    );
    this.#failures += 1;
    return Math.min(FIRST_RETRY_MS * 2 ** (this.#failures - 1), LONGEST_RETRY_MS);
  }
}
