// What makes up one run? A clock, a cluster, operators, and the oracles that check them.
import { keyOf } from '../../src/api/objects.ts';
import { PATCH_EVERY_MS } from '../../src/runtime/engine/event-series.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { ApiServer } from './cluster/api-server.ts';
import { startDeployments } from './cluster/deployments.ts';
import { startGarbageCollector } from './cluster/garbage.ts';
import { Ledger } from './cluster/ledger.ts';
import { poolRef } from './cluster/manifests.ts';
import { Nodes } from './cluster/nodes.ts';
import { startStatefulSets } from './cluster/stateful-sets.ts';
import { type OperatorWorld, SimOperator } from './operator/sim-operator.ts';
import { healthProblems } from './oracles/health.ts';
import { Knowledge } from './oracles/knowledge.ts';
import { Owners } from './oracles/owners.ts';
import { Promptness } from './oracles/promptness.ts';
import { Safety, type Violation } from './oracles/safety.ts';
import { StatusOracle } from './oracles/status.ts';
import { Random } from './random.ts';
import type { Action, Shape, Story } from './story/story.ts';

/**
 * Within this time watches reconnect, a new leader has probed all workers, and backoffs are over.
 */
const RECOVERED_MS = 12_000;
/** Kinds that an operator watches. */
const WATCHED = 7;

export class SimWorld {
  readonly clock = new VirtualClock();
  readonly random: Random;
  readonly server: ApiServer;
  readonly nodes: Nodes;
  readonly ledger: Ledger;
  readonly safety: Safety;
  readonly owners: Owners;
  readonly knowledge = new Knowledge();
  readonly status: StatusOracle;
  readonly promptness: Promptness;
  readonly shape: Shape;
  readonly operators: readonly SimOperator[];
  readonly violations: Violation[] = [];
  /** What happened, for the reader of a failed story. */
  readonly chronicle: { readonly at: number; readonly text: string }[] = [];
  /** The users' last actions, which repair what the story left broken. */
  readonly mends: readonly Action[];
  /** What users are about to do. */
  readonly users: Action[] = [];
  /** A user has edited objects that the operator made. */
  isEditedByHand = false;
  /** By operators, without the Lease. */
  writes = 0;
  /** Until then a fault or a user may still interfere. */
  disturbedUntil = 0;
  /** Until then the operator may retry a refused write. */
  quietAfter = 0;
  /** Until then the operator may count a repeated event. */
  countedAfter = 0;
  #isInjecting = false;
  #hinderedUntil = 0;
  #leading: { readonly identity: string | undefined; readonly since: number } | undefined;
  /** Called for each call of an operator. */
  intercept: OperatorWorld['intercept'] = () => () => undefined;

  constructor({ seed, shape, hasStandby, actions }: Story) {
    this.random = new Random(seed);
    this.shape = shape;
    this.mends = actions.filter(({ mends }) => mends === true);
    this.server = new ApiServer(this.clock);
    this.safety = new Safety(this.server, this.clock, shape, (violation) => this.report(violation));
    this.ledger = new Ledger((start) => this.safety.onStart(start));
    this.owners = new Owners(
      () => this.safety.isStrict,
      this.ledger,
      this.safety.declaredDead,
      (violation) => this.report(violation),
    );
    const { declaredDead, strayed } = this.safety;
    const report = (violation: Violation): void => this.report(violation);
    const { server, ledger, clock, knowledge } = this;
    this.status = new StatusOracle({
      server,
      clock: this.clock,
      ledger,
      knowledge,
      declaredDead,
      strayed,
      report,
    });
    this.promptness = new Promptness({ server, clock, ledger, knowledge, declaredDead, report });
    const surroundings = (label: string) => ({
      clock: this.clock,
      server: this.server,
      random: this.random.fork(label),
    });
    startStatefulSets(surroundings('sets'));
    startDeployments(surroundings('deployments'));
    startGarbageCollector(surroundings('garbage'));
    this.nodes = new Nodes(surroundings('nodes'), this.ledger, {
      onSpawn: (...spawn) => this.safety.onSpawn(...spawn),
      onContainer: (uid) => this.safety.onContainer(uid),
    });
    const world: OperatorWorld = {
      ...surroundings('operators'),
      ask: async (url) => {
        const text = await this.nodes.ask(url);
        this.safety.onReport(text, this.nodes.runners);
        return text;
      },
      intercept: (operator) => this.intercept(operator),
      onWrite: (operator, identity, sent) => {
        if (sent.call.kind.kind !== 'Lease') this.writes += 1;
        // After a status write the operator may only count the Event at first.
        if (sent.call.kind.kind === 'Event' || sent.call.subresource === 'status')
          this.countedAfter = this.clock.monotonic() + PATCH_EVERY_MS;
        if (sent.call.kind.kind !== 'Lease')
          this.record(
            `${operator.name} ${sent.call.verb} ${sent.call.kind.kind} ${sent.call.name ?? ''}${sent.call.subresource === undefined ? '' : `/${sent.call.subresource}`}`,
          );
        this.safety.onWrite(identity, sent);
        if (sent.call.kind.kind === 'ConfigMap') this.status.onPublication(this.clock.monotonic());
        this.status.onWrite(identity, sent);
      },
      podAt: (url) => this.nodes.podAt(url),
      onAnswer: (identity, uid, text) =>
        this.knowledge.onAnswer(identity, uid, text, this.clock.monotonic()),
      onDecided: (identity, key, { world: seen, decision, ...rest }) => {
        this.knowledge.onDecided(identity, seen.pool.meta.name, {
          at: this.clock.monotonic(),
          world: seen,
          decision,
        });
        if (key !== keyOf(poolRef)) return;
        this.safety.onDecided(identity, seen, decision.version);
        this.owners.onDecided({ world: seen, decision, ...rest });
      },
      onLog: (operator, level, message, facts) => {
        if (level === 'error')
          this.report({
            oracle: 'no error in the log',
            message: `${operator.name}: ${message} ${JSON.stringify(facts)}`,
          });
      },
    };
    this.operators = (hasStandby ? ['a', 'b'] : ['a']).map((name) => new SimOperator(name, world));
  }

  report(violation: Violation): void {
    this.violations.push(violation);
    this.record(`VIOLATION ${violation.oracle}: ${violation.message}`);
  }

  record(text: string): void {
    this.chronicle.push({ at: this.clock.monotonic(), text });
  }

  disturb(forMs: number): void {
    this.disturbedUntil = Math.max(this.disturbedUntil, this.clock.monotonic() + forMs);
    if (this.#isInjecting) this.hinder(forMs);
  }

  /**
   * For this long, faults may keep operators from reading or writing; then they need a while to
   * catch up.
   */
  hinder(forMs: number): void {
    this.#hinderedUntil = Math.max(
      this.#hinderedUntil,
      this.clock.monotonic() + forMs + RECOVERED_MS,
    );
  }

  /** Each fault both disturbs and hinders. */
  inject<T>(fault: () => T): T {
    this.#isInjecting = true;
    try {
      this.hinder(0);
      return fault();
    } finally {
      this.#isInjecting = false;
    }
  }

  /** Checks that the leader reports in time: it has led for a while, and no fault hinders it. */
  checkPromptness(): void {
    const now = this.clock.monotonic();
    const leading = this.hasActiveLeader
      ? this.operators.find(({ isLeading }) => isLeading)?.identity
      : undefined;
    // The first leader has no backlog.
    const isFirst = this.#leading === undefined && leading !== undefined;
    if (isFirst) this.#leading = { identity: leading, since: -RECOVERED_MS };
    if (leading !== this.#leading?.identity) this.#leading = { identity: leading, since: now };
    const isCalm = now >= this.#hinderedUntil && now >= this.quietAfter && !this.server.isDown;
    const hasLed = this.#leading !== undefined && now - this.#leading.since >= RECOVERED_MS;
    this.promptness.look(isCalm && hasLed ? leading : undefined);
  }

  problems(): readonly string[] {
    return healthProblems({
      server: this.server,
      ledger: this.ledger,
      runners: this.nodes.runners,
      shape: this.shape,
      isEditedByHand: this.isEditedByHand,
    });
  }

  /** Ends an operator with SIGTERM and starts another in its place. */
  restartOperator(): void {
    const operator = this.operators.find(({ isLeading }) => isLeading) ?? this.operators[0];
    if (operator?.isOn !== true || operator.isFrozen) return;
    this.disturb(1_000);
    void operator.stop();
    this.clock.after(1_000, () => operator.start());
  }

  kill(operator: SimOperator, backInMs: number): void {
    operator.kill();
    this.disturb(backInMs);
    this.clock.after(backInMs, () => {
      if (!operator.isOn) operator.start();
    });
  }

  /** An operator leads, and all of its watches work. */
  get hasActiveLeader(): boolean {
    return this.operators.some(
      ({ isLeading, network }) => isLeading && network.watches.size >= WATCHED,
    );
  }
}
