// Which replica leads? The holder of a Lease. No replica trusts the clock of another.
import { kinds } from '../api/kinds.ts';
import { asNumber, asString, dig, isNewer, type KubeObject } from '../api/objects.ts';
import type { LeaseStage } from '../core/operators.ts';
import { microTimeText } from '../core/text.ts';
import type { CallOptions, KubeApi } from './client/api.ts';
import { hasCode, orNothing } from './client/errors.ts';
import { type Clock, sleep } from './clock.ts';

/**
 * A replica that has not renewed for this long stops acting. That covers one lost request and a
 * retry.
 */
const RENEW_DEADLINE_MS = 6_000;
/**
 * Another replica may begin this long after it saw the last renewal. The difference leaves time for
 * the last writes of the old one; preconditions refuse writes that arrive even later.
 */
const DURATION_MS = 8_000;
const RENEW_MS = 1_500;
/** After a crash another replica leads within DURATION_MS and two of these. */
const RETRY_MS = 500;
const REQUEST_MS = 2_000;

type ElectionOptions = {
  readonly clock: Clock;
  /** On connections of its own: renewal must not queue behind other traffic. */
  readonly api: KubeApi;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  /** What the holder says of itself, on the Lease, for all clients that may read it. */
  readonly annotations?: () => Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * May this replica lead by its Lease at all? Asked before each request for it, and again between
   * the first that succeeds and the term that it begins. Left out: yes.
   */
  readonly mayLead?: (stage: LeaseStage) => Promise<boolean>;
  /** Another replica holds the Lease; called each time that this is read. */
  readonly onWaiting?: (lease: KubeObject) => void;
  /**
   * These two strictly alternate; the next term begins when the end of the last has been worked
   * off.
   */
  readonly onStarted: () => void;
  readonly onStopped: () => Promise<void>;
  readonly onTrouble: (error: unknown) => void;
  /** The Lease is as it was before: etcd was restored from a snapshot. */
  readonly onRestored?: () => void;
};

type Seen = { readonly record: string; readonly since: number };

/**
 * A replica leads until RENEW_DEADLINE_MS after the last answered renewal was *sent*: its record
 * cannot be older. Another takes over when it has known the same record for the record's whole
 * duration, counted from the *answer* that first showed it: the record cannot be younger. Each
 * counts on its own clock that only passes, so wrong wall clocks do no harm.
 */
export class Election {
  readonly #options: ElectionOptions;
  #isStarted = false;
  #leadsUntil = Number.NEGATIVE_INFINITY;
  #cancelEnd: () => void = () => undefined;
  #stopped: Promise<void> = Promise.resolve();
  /** The Lease as our last answered write left it: a renewal need not read it first. */
  #held: KubeObject | undefined;
  /** A write of ours may have had effect, even if its answer was lost. */
  #mayHold = false;
  /** The record of another replica, as it was last read. */
  #seen: Seen | undefined;
  /** The version of the newest record that was read, of any replica. */
  #newest = '0';
  #isToldRestored = false;

  constructor(options: ElectionOptions) {
    this.#options = options;
  }

  /** Checked before every write: a process that was frozen past its Lease stops here. */
  get isLeading(): boolean {
    return this.#isStarted && this.#options.clock.monotonic() < this.#leadsUntil;
  }

  /** Until the signal aborts; then the lease is given back, so that the next need not wait. */
  async run(signal: AbortSignal): Promise<void> {
    const { api, clock, onTrouble } = this.#options;
    while (!signal.aborted) {
      const isRenewed = await this.#campaign(signal).catch((error: unknown) => {
        if (!signal.aborted) onTrouble(error);
        // A silent connection: the next renewal must not wait for it, too.
        if (hasCode(error, 'Timeout')) api.renewConnections();
        return false;
      });
      await sleep(clock, isRenewed ? RENEW_MS : RETRY_MS, signal);
    }
    this.#end();
    await this.#stopped;
    if (this.#mayHold) await this.#release().catch(onTrouble);
  }

  async #campaign(signal: AbortSignal): Promise<boolean> {
    const { clock, onStarted } = this.#options;
    await this.#stopped;
    if (!(await this.#mayLead(this.#isStarted ? 'leading' : 'waiting'))) return false;
    const until = await this.#acquireOrRenew(signal);
    if (until === undefined) {
      this.#end();
      return false;
    }
    if (!(this.#isStarted || (await this.#mayLead('claimed')))) return false;
    // The term may have ended while this was on its way.
    await this.#stopped;
    const left = until - clock.monotonic();
    if (left <= 0 || signal.aborted) return false;
    this.#leadsUntil = until;
    this.#cancelEnd();
    this.#cancelEnd = clock.after(left, () => this.#end());
    if (!this.#isStarted) {
      this.#isStarted = true;
      onStarted();
    }
    return true;
  }

  /** Where it may not, the Lease is given back at once. */
  async #mayLead(stage: LeaseStage): Promise<boolean> {
    if ((await this.#options.mayLead?.(stage)) ?? true) return true;
    this.#end();
    await this.#stopped;
    if (this.#mayHold) await this.#release();
    return false;
  }

  /** By the clock, not by the loop: a renewal that hangs must not hold it up. */
  #end(): void {
    if (!this.#isStarted) return;
    this.#isStarted = false;
    this.#leadsUntil = Number.NEGATIVE_INFINITY;
    this.#cancelEnd();
    this.#stopped = this.#options.onStopped().catch(this.#options.onTrouble);
  }

  /** Returns until when this replica leads; nothing if another does. */
  async #acquireOrRenew(signal: AbortSignal): Promise<number | undefined> {
    const { clock, identity } = this.#options;
    // A Lease that was read before the process froze may be outdated.
    const held = this.isLeading ? this.#held : undefined;
    const present = held ?? (await this.#read({ timeoutMs: REQUEST_MS, signal }));
    this.#held = undefined;
    this.#note(present);
    if (!this.#isFree(present)) {
      this.#mayHold = false;
      if (present !== undefined) this.#options.onWaiting?.(present);
      return undefined;
    }
    const sentAt = clock.monotonic();
    this.#mayHold = true;
    try {
      this.#held = await this.#write(present, identity, DURATION_MS / 1000);
    } catch (error) {
      // Another replica was faster. Note its record now: the Lease may be gone at the next look.
      if (hasCode(error, 'AlreadyExists', 'Conflict'))
        this.#note(await this.#read({ timeoutMs: REQUEST_MS, signal }));
      throw error;
    }
    this.#newest = this.#held.metadata.resourceVersion ?? '0';
    return sentAt + RENEW_DEADLINE_MS;
  }

  /** Notes which record this is, and since when it has been known. */
  #note(lease: KubeObject | undefined): void {
    if (!this.#isUndone(lease)) {
      this.#newest = versionOf(lease);
      this.#isToldRestored = false;
    } else if (lease !== undefined && !this.#isToldRestored) {
      this.#isToldRestored = true;
      this.#options.onRestored?.();
    }
    const record = recordOf(lease);
    if (this.#isOurs(lease)) this.#seen = undefined;
    else if (this.#seen?.record !== record)
      this.#seen = { record, since: this.#options.clock.monotonic() };
  }

  /** Ours, or not renewed for its whole duration while we watched. To call once that is noted. */
  #isFree(lease: KubeObject | undefined): boolean {
    if (this.#isOurs(lease)) return true;
    if (this.#seen === undefined) return false;
    const seconds = asNumber(dig(lease, 'spec', 'leaseDurationSeconds')) ?? DURATION_MS / 1000;
    return this.#options.clock.monotonic() - this.#seen.since >= seconds * 1000;
  }

  /** Held by this replica, given back, or never held while we watched. */
  #isOurs(lease: KubeObject | undefined): boolean {
    if (this.#isUndone(lease)) return this.isLeading;
    const holder = holderOf(lease);
    return holder === '' || holder === this.#options.identity;
  }

  /**
   * Deleted, or restored from a snapshot: the last holder keeps the Lease until it must have
   * noticed, whatever the Lease says.
   */
  #isUndone(lease: KubeObject | undefined): boolean {
    return isNewer(this.#newest, versionOf(lease));
  }

  #read(options: CallOptions): Promise<KubeObject | undefined> {
    const { api, namespace, name } = this.#options;
    return orNothing(api.get(kinds.Lease, { namespace, name }, options));
  }

  async #write(
    present: KubeObject | undefined,
    holder: string,
    leaseDurationSeconds: number,
  ): Promise<KubeObject> {
    const { api, clock, namespace, name, annotations: said = () => ({}) } = this.#options;
    const labels = { ...present?.metadata.labels, ...this.#options.labels };
    const before = asString(dig(present, 'spec', 'holderIdentity'));
    const now = microTimeText(clock.now());
    const isSame = before === holder;
    const spec = {
      holderIdentity: holder,
      leaseDurationSeconds,
      renewTime: now,
      acquireTime: isSame ? (asString(dig(present, 'spec', 'acquireTime')) ?? now) : now,
      leaseTransitions:
        (asNumber(dig(present, 'spec', 'leaseTransitions')) ?? 0) +
        (isSame || before === '' || before === undefined ? 0 : 1),
    };
    const annotations = { ...present?.metadata.annotations, ...said() };
    const options = { timeoutMs: REQUEST_MS };
    if (present === undefined) {
      const lease = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { namespace, name, labels, annotations },
        spec,
      };
      return api.create(kinds.Lease, lease, options);
    }
    // The resource version refuses it when another replica was faster.
    return api.replace(
      kinds.Lease,
      { ...present, metadata: { ...present.metadata, labels, annotations }, spec },
      undefined,
      options,
    );
  }

  async #release(): Promise<void> {
    const present = await this.#read({ timeoutMs: REQUEST_MS });
    if (dig(present, 'spec', 'holderIdentity') === this.#options.identity)
      await this.#write(present, '', 1);
    this.#mayHold = false;
    this.#held = undefined;
  }
}

const holderOf = (lease: KubeObject | undefined): string =>
  asString(dig(lease, 'spec', 'holderIdentity')) ?? '';

const versionOf = (lease: KubeObject | undefined): string => lease?.metadata.resourceVersion ?? '0';

const recordOf = (lease: KubeObject | undefined): string =>
  `${holderOf(lease)} ${asString(dig(lease, 'spec', 'renewTime')) ?? ''} ${versionOf(lease)}`;
