// When are a pod's volumes looked at again, and may its containers start?
import type { NodeContext } from '../context.ts';
import type { Tell } from '../events.ts';
import type { PodFacts } from '../pods/fields.ts';
import type { Volumes } from './volumes.ts';

/**
 * A kubelet's: volumes that cannot be made are tried again after half a second, doubled up to two
 * minutes.
 */
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 122_000;

/** What was made once stays as it is when it cannot be refreshed. */
export class VolumeSync {
  readonly #volumes: Pick<Volumes, 'sync'>;
  readonly #context: Pick<NodeContext, 'clock' | 'configMapPeriodMs' | 'random'>;
  readonly #tell: Tell;
  #areMade = false;
  #dueAt = 0;
  #failures = 0;

  constructor(
    volumes: Pick<Volumes, 'sync'>,
    context: Pick<NodeContext, 'clock' | 'configMapPeriodMs' | 'random'>,
    tell: Tell,
  ) {
    this.#volumes = volumes;
    this.#context = context;
    this.#tell = tell;
  }

  /** All of them were made: containers may start. */
  get areMade(): boolean {
    return this.#areMade;
  }

  /** At the next look, whenever the last one was. */
  refreshSoon(): void {
    this.#dueAt = 0;
  }

  /** Answers after how many ms it wants to be asked again. */
  async sync(facts: PodFacts): Promise<number> {
    const { clock, configMapPeriodMs, random } = this.#context;
    if (clock.monotonic() >= this.#dueAt) {
      // Set before anything is read: what changes meanwhile makes it due again.
      this.#dueAt = Number.POSITIVE_INFINITY;
      const retryMs = await this.#refresh(facts).catch((error: unknown) => {
        this.#dueAt = 0;
        throw error;
      });
      // A kubelet looks at each pod again after its period and up to half of it more.
      this.#dueAt = Math.min(
        this.#dueAt,
        clock.monotonic() + (retryMs ?? configMapPeriodMs * (1 + random() / 2)),
      );
    }
    return this.#dueAt - clock.monotonic();
  }

  /** The wait until the next attempt if this one has failed. */
  async #refresh(facts: PodFacts): Promise<number | undefined> {
    const problem = await this.#volumes.sync(facts);
    if (problem === undefined) {
      this.#areMade = true;
      this.#failures = 0;
      return undefined;
    }
    this.#tell(
      'Warning',
      'FailedMount',
      `MountVolume.SetUp failed for volume "${problem.volume}" : ${problem.missing}`,
    );
    this.#failures += 1;
    return Math.min(FIRST_RETRY_MS * 2 ** (this.#failures - 1), LONGEST_RETRY_MS);
  }
}
