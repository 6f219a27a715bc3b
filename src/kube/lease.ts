// Who leads? One of several replicas, by a Lease; nobody trusts another's clock.
import { kinds } from '../api/kinds.ts';
import { asNumber, asString, dig, type KubeObject } from '../api/objects.ts';
import type { KubeApi } from './api.ts';
import { type Clock, sleep } from './clock.ts';
import { hasCode } from './errors.ts';

/** Long enough for one lost request, short enough to be replaced within 10 s of a crash. */
const DURATION_MS = 7_000;
/** Who has not renewed for this long acts no more, well before another may begin. */
const RENEW_DEADLINE_MS = 5_000;
const RENEW_MS = 2_000;
const RETRY_MS = 1_000;
const REQUEST_MS = 3_000;

export type ElectionOptions = {
  readonly clock: Clock;
  /** On connections of its own: renewal must not queue behind other traffic. */
  readonly api: KubeApi;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly onStarted: () => void;
  readonly onStopped: () => Promise<void>;
  readonly onTrouble: (error: unknown) => void;
};

type Seen = { readonly record: string; readonly since: number };

/**
 * A replica leads from the answer to its write until RENEW_DEADLINE_MS after the last renewal was *sent*. Another takes over when it has
 * watched the same record for the record's whole duration on its own clock, so wrong wall clocks do no harm.
 */
export class Election {
  readonly #options: ElectionOptions;
  #leadsUntil = Number.NEGATIVE_INFINITY;
  #isStarted = false;
  #seen: Seen | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
  }

  /** Asked before every write: a process that was frozen past its lease finds out here. */
  get isLeading(): boolean {
    return this.#options.clock.monotonic() < this.#leadsUntil;
  }

  /** Until the signal aborts; then the lease is given back, so that the next need not wait. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, onTrouble } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#acquireOrRenew();
      } catch (error) {
        onTrouble(error);
      }
      await this.#announce();
      await sleep(clock, this.isLeading ? RENEW_MS : RETRY_MS, signal);
    }
    const wasLeading = this.isLeading;
    this.#leadsUntil = Number.NEGATIVE_INFINITY;
    await this.#announce();
    if (wasLeading) await this.#release().catch(onTrouble);
  }

  async #announce(): Promise<void> {
    if (this.isLeading === this.#isStarted) return;
    this.#isStarted = this.isLeading;
    if (this.#isStarted) this.#options.onStarted();
    else await this.#options.onStopped();
  }

  async #acquireOrRenew(): Promise<void> {
    const { api, clock, namespace, name, identity } = this.#options;
    const sentAt = clock.monotonic();
    const present = await api.get(kinds.Lease, { namespace, name }, { timeoutMs: REQUEST_MS }).catch((error: unknown) => {
      if (hasCode(error, 'NotFound')) return undefined;
      throw error;
    });
    if (present !== undefined && !this.#isFree(present, sentAt)) {
      this.#leadsUntil = Number.NEGATIVE_INFINITY;
      return;
    }
    await this.#write(present, identity, DURATION_MS / 1000);
    this.#leadsUntil = sentAt + RENEW_DEADLINE_MS;
  }

  /** Ours, given back, or not renewed for its whole duration while we watched. */
  #isFree(lease: KubeObject, now: number): boolean {
    const holder = asString(dig(lease, 'spec', 'holderIdentity')) ?? '';
    if (holder === '' || holder === this.#options.identity) return true;
    const record = `${holder} ${asString(dig(lease, 'spec', 'renewTime')) ?? ''} ${lease.metadata.resourceVersion ?? ''}`;
    if (this.#seen?.record !== record) this.#seen = { record, since: now };
    const seconds = asNumber(dig(lease, 'spec', 'leaseDurationSeconds')) ?? DURATION_MS / 1000;
    return now - this.#seen.since >= seconds * 1000;
  }

  async #write(present: KubeObject | undefined, holder: string, leaseDurationSeconds: number): Promise<void> {
    const { api, clock, namespace, name } = this.#options;
    const before = asString(dig(present, 'spec', 'holderIdentity'));
    const now = microTime(clock.now());
    const isSame = before === holder;
    const spec = {
      holderIdentity: holder,
      leaseDurationSeconds,
      renewTime: now,
      acquireTime: isSame ? (asString(dig(present, 'spec', 'acquireTime')) ?? now) : now,
      leaseTransitions:
        (asNumber(dig(present, 'spec', 'leaseTransitions')) ?? 0) + (isSame || before === '' || before === undefined ? 0 : 1),
    };
    const options = { timeoutMs: REQUEST_MS };
    if (present === undefined) {
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name }, spec };
      await api.create(kinds.Lease, lease, options);
    } else {
      // The resource version refuses it when somebody else was faster.
      await api.replace(kinds.Lease, { ...present, spec }, undefined, options);
    }
  }

  async #release(): Promise<void> {
    const { api, namespace, name, identity } = this.#options;
    const present = await api.get(kinds.Lease, { namespace, name }, { timeoutMs: REQUEST_MS });
    if (dig(present, 'spec', 'holderIdentity') === identity) await this.#write(present, '', 1);
  }
}

/** Leases carry microseconds, and the API server takes nothing less. */
const microTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000Z');
