// Which operators with another Lease run in this cluster, and may this one lead beside them?
import { kinds } from '../api/kinds.ts';
import { asNumber, asString, dig, type KubeObject } from '../api/objects.ts';
import { LABEL_MANAGED_BY, MANAGER } from '../core/labels.ts';
import {
  LEASE_NAME,
  type LeasedOperator,
  type LeaseStage,
  leaderElsewhere,
  leaderText,
  leasedOperator,
} from '../core/operators.ts';
import type { KubeApi, Selectors } from './client/api.ts';
import { hasCode, KubeError, orNothing } from './client/errors.ts';
import type { Clock } from './clock.ts';

const REQUEST_MS = 2_000;
/** While it waits, an operator tries for its Lease more often than it looks for others. */
const LOOK_MS = 1_000;
/** A Lease that promises more counts as expired after this: operators promise 8 s. */
const LONGEST_DURATION_MS = 60_000;
/** Of two that claimed at the same time, one waits longer than the other needs for another try. */
const CONTEST_MS = 5_000;

const HOW = 'to lead all the same, set --lease-namespace';

type Options = {
  readonly api: KubeApi;
  readonly clock: Clock;
  /** Namespace and name of this operator's Lease. */
  readonly lease: string;
  /** That this operator watches. Empty: all. */
  readonly namespaces: readonly string[];
};

type Seen = { readonly record: string; readonly since: number };

/**
 * Looks at the Leases of all namespaces, since operators may be installed anywhere. A user who may
 * write Leases in one namespace can make this operator wait, and no more: it never takes over a
 * Lease or a ledger that it has found. An operator that was told where its Lease is, or that runs
 * in a cluster, does not look.
 */
export class OtherOperators {
  readonly #options: Options;
  /** By their Lease: since when each record is known. No clock of another machine is trusted. */
  #seen: ReadonlyMap<string, Seen> = new Map();
  #running: readonly LeasedOperator[] = [];
  #lookedAt = Number.NEGATIVE_INFINITY;
  #contestEndsAt = Number.NEGATIVE_INFINITY;
  #reason: string | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** As they were last seen. */
  get running(): readonly LeasedOperator[] {
    return this.#running;
  }

  /** Why this operator may not lead. */
  get reason(): string | undefined {
    return this.#reason;
  }

  async mayLead(stage: LeaseStage): Promise<boolean> {
    const { clock, lease, namespaces } = this.#options;
    try {
      if (stage !== 'waiting' || clock.monotonic() - this.#lookedAt >= LOOK_MS) await this.#look();
    } catch (error) {
      if (!(error instanceof KubeError) || error.code !== 'Forbidden') throw error;
      this.#running = [];
      this.#reason = `this operator may not look for other operators, so it does not lead: ${error.message}; ${HOW}`;
      return false;
    }
    const other = leaderElsewhere({ lease, namespaces }, this.#running, stage);
    this.#reason = other && `another operator leads: ${leaderText(other)}; ${HOW}`;
    if (other === undefined) return stage !== 'waiting' || !this.#isContested();
    if (stage === 'claimed' && other.lease < lease)
      this.#contestEndsAt = clock.monotonic() + CONTEST_MS;
    return false;
  }

  #isContested(): boolean {
    return this.#options.clock.monotonic() < this.#contestEndsAt;
  }

  async #look(): Promise<void> {
    const { clock } = this.#options;
    // An older operator has no label on its Lease.
    const found = await Promise.all([
      this.#list({ labelSelector: `${LABEL_MANAGED_BY}=${MANAGER}` }),
      this.#list({ fieldSelector: `metadata.name=${LEASE_NAME}` }),
    ]);
    const now = clock.monotonic();
    const seen = new Map<string, Seen>();
    const running = new Map<string, LeasedOperator>();
    for (const lease of found.flat()) {
      const operator = leasedOperator(lease);
      if (operator === undefined || operator.holder === '') continue;
      const known = this.#seen.get(operator.lease);
      const record = recordOf(lease);
      const since = known?.record === record ? known.since : now;
      seen.set(operator.lease, { record, since });
      if (now - since < durationOf(lease)) running.set(operator.lease, operator);
    }
    this.#seen = seen;
    this.#running = [...running.values()];
    this.#lookedAt = now;
  }

  async #list(selectors: Selectors): Promise<readonly KubeObject[]> {
    const { api } = this.#options;
    const { items } = await api.list(kinds.Lease, undefined, selectors, { timeoutMs: REQUEST_MS });
    return items;
  }
}

/** A Lease that is not renewed shows no running operator. */
const recordOf = ({ metadata, spec }: KubeObject): string =>
  `${metadata.uid ?? ''} ${metadata.resourceVersion ?? ''} ${asString(dig(spec, 'renewTime')) ?? ''}`;

const durationOf = (lease: KubeObject): number =>
  Math.min(
    (asNumber(dig(lease, 'spec', 'leaseDurationSeconds')) ?? Number.POSITIVE_INFINITY) * 1_000,
    LONGEST_DURATION_MS,
  );

/** Makes the namespace of the Lease, unless it is there or this user may not. */
export async function ensureNamespace(api: KubeApi, name: string): Promise<void> {
  const options = { timeoutMs: REQUEST_MS };
  try {
    if ((await orNothing(api.get(kinds.Namespace, { name }, options))) !== undefined) return;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await api.create(kinds.Namespace, namespace, options);
  } catch (error) {
    // What this user may not do, the Lease shows: its creation fails then, and the log says why.
    if (!hasCode(error, 'Forbidden', 'AlreadyExists')) throw error;
  }
}
