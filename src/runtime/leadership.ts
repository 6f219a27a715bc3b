// Does this operator lead, and if not, which one does and where? One Lease, and a look at others.
import { type KubeObject, keyOf } from '../api/objects.ts';
import {
  HOME_NAMESPACE,
  LEASE_NAME,
  type LeasedOperator,
  type LeaseFacts,
  type LeaseStage,
  leaderText,
  leaseAnnotations,
  leasedOperator,
  leaseLabels,
  leaseNameFor,
  namespacesText,
} from '../core/operators.ts';
import type { KubeApi } from './client/api.ts';
import { hasCode } from './client/errors.ts';
import type { Clock } from './clock.ts';
import { Election } from './lease.ts';
import { ensureNamespace, OtherOperators } from './other-operators.ts';

/** Where the Lease is, as the settings and the surroundings of the process say. */
type LeasePlace = {
  readonly settings: {
    /** Empty: all. */
    readonly namespaces: readonly string[];
    readonly leaseNamespace: string | undefined;
    readonly leaseName: string;
  };
  /** Of the pod that this process runs in. Undefined: it runs outside of the cluster. */
  readonly ownNamespace: string | undefined;
};

/** The namespace of the kubeconfig's context is where a user works, and changes with that. */
export const leaseNamespaceOf = ({ settings, ownNamespace }: LeasePlace): string =>
  settings.leaseNamespace ?? ownNamespace ?? HOME_NAMESPACE;

const isPlaced = ({ settings, ownNamespace }: LeasePlace): boolean =>
  settings.leaseNamespace !== undefined || ownNamespace !== undefined;

type LeadershipOptions = LeasePlace & {
  readonly clock: Clock;
  /** On connections of its own. */
  readonly api: KubeApi;
  readonly identity: string;
  /** This pod or process, for users. */
  readonly runsAs?: string | undefined;
  readonly annotations: () => Readonly<Record<string, string>>;
  readonly onStarted: () => void;
  readonly onStopped: () => Promise<void>;
  readonly onTrouble: (error: unknown) => void;
  readonly onRestored: () => void;
  /** This operator does not lead, for another reason than before. */
  readonly onStandby: (reason: string) => void;
};

/** For health. */
export type OperatorReport = {
  readonly lease: string;
  readonly holder: string;
  /** `all`, or a list. */
  readonly namespaces: string;
  readonly runsAs?: string;
};

export class Leadership {
  readonly #election: Election;
  readonly #others: OtherOperators | undefined;
  readonly #own: LeasedOperator;
  readonly #api: KubeApi;
  readonly #namespace: string;
  readonly #onStandby: (reason: string) => void;
  readonly #onTrouble: (error: unknown) => void;
  /** The replica that holds the same Lease. */
  #leader: LeasedOperator | undefined;
  #standbyReason: string | undefined;
  #hasNamespace = false;

  constructor(options: LeadershipOptions) {
    const { settings, clock, api, identity } = options;
    const { namespaces } = settings;
    const namespace = leaseNamespaceOf(options);
    const looks = !isPlaced(options);
    // A name that the user has chosen stays as it is.
    const isNamed = !looks || settings.leaseName !== LEASE_NAME;
    const name = isNamed ? settings.leaseName : leaseNameFor(namespaces);
    const lease = keyOf({ namespace, name });
    const facts: LeaseFacts = { namespaces, runsAs: options.runsAs, yields: looks };
    this.#own = { ...facts, lease, holder: identity };
    this.#api = api;
    this.#namespace = namespace;
    this.#onStandby = options.onStandby;
    this.#onTrouble = options.onTrouble;
    this.#others = looks ? new OtherOperators({ api, clock, lease, namespaces }) : undefined;
    this.#election = new Election({
      ...{ clock, api, namespace, name, identity },
      labels: leaseLabels,
      annotations: () => ({ ...options.annotations(), ...leaseAnnotations(facts) }),
      ...(looks && { mayLead: (stage) => this.#mayLead(stage) }),
      onWaiting: (held) => this.#waitFor(held),
      onStarted: () => {
        this.#leader = undefined;
        this.#standbyReason = undefined;
        options.onStarted();
      },
      onStopped: options.onStopped,
      onTrouble: (error) => {
        if (hasCode(error, 'NotFound')) this.#hasNamespace = false;
        options.onTrouble(error);
      },
      onRestored: options.onRestored,
    });
  }

  get isLeading(): boolean {
    return this.#election.isLeading;
  }

  /** Why this operator does not lead; undefined while it does, or does not know yet. */
  get standbyReason(): string | undefined {
    return this.#standbyReason;
  }

  /** All operators that this one knows, itself included while it leads. */
  get operators(): readonly OperatorReport[] {
    const known = this.isLeading ? this.#own : this.#leader;
    const others = this.#others?.running.filter(({ lease }) => lease !== this.#own.lease) ?? [];
    return [...(known === undefined ? [] : [known]), ...others].map(reportOf);
  }

  /** Without an election: the ledgers need their namespace all the same. */
  async prepare(): Promise<void> {
    if (this.#others !== undefined)
      await ensureNamespace(this.#api, this.#namespace).catch(this.#onTrouble);
  }

  run(signal: AbortSignal): Promise<void> {
    return this.#election.run(signal);
  }

  async #mayLead(stage: LeaseStage): Promise<boolean> {
    const others = this.#others;
    if (others === undefined) return true;
    const may = await others.mayLead(stage);
    if (may && !this.#hasNamespace) await ensureNamespace(this.#api, this.#namespace);
    this.#hasNamespace ||= may;
    if (others.reason !== undefined) {
      this.#leader = undefined;
      this.#standBy(others.reason);
    }
    return may;
  }

  #waitFor(held: KubeObject): void {
    const leader = leasedOperator(held);
    this.#leader = leader?.holder === '' ? undefined : leader;
    if (this.#leader !== undefined)
      this.#standBy(`another replica leads: ${leaderText(this.#leader)}`);
  }

  #standBy(reason: string): void {
    if (reason === this.#standbyReason) return;
    this.#standbyReason = reason;
    this.#onStandby(reason);
  }
}

const reportOf = ({ lease, holder, namespaces, runsAs }: LeasedOperator): OperatorReport => ({
  lease,
  holder,
  namespaces: namespacesText(namespaces),
  ...(runsAs !== undefined && { runsAs }),
});
