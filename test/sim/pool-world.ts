// What makes up one run about a pool? The cluster around it, its operators, and the oracles that
// check them.

import { kinds } from '../../src/api/kinds.ts';
import { keyOf } from '../../src/api/objects.ts';
import { startDeployments } from './cluster/deployments.ts';
import { startGarbageCollector } from './cluster/garbage.ts';
import { Ledger } from './cluster/ledger.ts';
import { poolOf, poolRef, targetKindOf, targetOf } from './cluster/manifests.ts';
import { Nodes } from './cluster/nodes.ts';
import { startStatefulSets } from './cluster/stateful-sets.ts';
import type { Sent } from './operator/sim-api.ts';
import { type OperatorWorld, SimOperator } from './operator/sim-operator.ts';
import { ElsewhereOracle } from './oracles/elsewhere.ts';
import { healthProblems } from './oracles/health.ts';
import { lostByMistake } from './oracles/kept.ts';
import { Knowledge } from './oracles/knowledge.ts';
import { Owners } from './oracles/owners.ts';
import { Promptness } from './oracles/promptness.ts';
import { RestartOracle } from './oracles/restarts.ts';
import { Safety } from './oracles/safety.ts';
import { StatusOracle } from './oracles/status.ts';
import { StreamHealthOracle } from './oracles/stream-health.ts';
import type { Random } from './random.ts';
import { perform } from './story/actions.ts';
import { editByHand } from './story/manual-edits.ts';
import type { Action, Shape, Story } from './story/story.ts';
import { type Limits, SimWorld, type Violation } from './world.ts';

/** The pool must be healthy within this time after the last fault. */
const SETTLE_MS = 30_000;
/** Extra time for slow processes, for each worker that a rollout or a handoff waits for. */
const SLOW_MS = 30_000;
/** A stream fails after its third end, and is told at the next audit. */
const HEALTH_MS = 15_000;
/** A kubelet updates every mounted file within this time. */
const LONGEST_PERIOD_MS = 65_000;
/** Timers of an idle operator: some for each watch, the lease, and the workers that it probes. */
const MOST_TIMERS = 45;

export class PoolSimWorld extends SimWorld<Action> {
  protected readonly watched = 7;
  readonly nodes: Nodes;
  readonly ledger: Ledger;
  readonly safety: Safety;
  readonly owners: Owners;
  readonly knowledge = new Knowledge();
  readonly status: StatusOracle;
  readonly promptness: Promptness;
  readonly health: StreamHealthOracle;
  readonly elsewhere: ElsewhereOracle;
  readonly restarts: RestartOracle;
  /** Streams whose source is away. */
  readonly ailing = new Set<string>();
  /** Such as `worker-0 s3`: that stream fails at that worker. */
  readonly broken = new Set<string>();
  readonly shape: Shape;
  readonly operators: readonly SimOperator[];
  /** A user has edited objects that the operator made. */
  isEditedByHand = false;

  constructor(story: Story) {
    super(story);
    const { shape, hasStandby } = story;
    this.shape = shape;
    const { server, clock, knowledge } = this;
    const report = (violation: Violation): void => this.report(violation);
    this.safety = new Safety(server, clock, shape, report);
    this.restarts = new RestartOracle({
      ...{ server, clock, report },
      runners: () => this.nodes.runners,
    });
    this.ledger = new Ledger((start) => {
      this.safety.onStart(start);
      this.restarts.onStart(start);
    });
    const { ledger, safety } = this;
    const { declaredDead, strayed } = safety;
    this.owners = new Owners(() => safety.isStrict, ledger, declaredDead, report);
    this.status = new StatusOracle({
      ...{ server, clock, ledger, knowledge, declaredDead, strayed, report },
    });
    this.promptness = new Promptness({ server, clock, ledger, knowledge, declaredDead, report });
    this.health = new StreamHealthOracle({
      ...{ server, clock, ledger, declaredDead, strayed, report },
      isAiling: (stream, pod) => this.isAiling(stream, pod),
      runners: () => this.nodes.runners,
      isHindered: () => this.isHindered,
    });
    this.elsewhere = new ElsewhereOracle({
      ...{ server, clock, shape, declaredDead, report },
      runners: () => this.nodes.runners,
      isEditedByHand: () => this.isEditedByHand,
    });
    startStatefulSets(this.surroundings('sets'));
    startDeployments(this.surroundings('deployments'));
    startGarbageCollector(this.surroundings('garbage'));
    this.nodes = new Nodes(this.surroundings('nodes'), ledger, {
      onSpawn: (pod, stream, slice, wasItsOwn) => {
        safety.onSpawn(pod, stream, slice, wasItsOwn);
        this.restarts.onSpawn(pod.metadata.name, stream, slice.version);
      },
      onContainer: (uid) => safety.onContainer(uid),
      isAiling: (stream, pod) => this.isAiling(stream, pod),
    });
    const world: OperatorWorld = {
      ...this.operatorWorld(),
      kinds: ['pools'],
      ask: async (url) => {
        const text = await this.nodes.ask(url);
        this.health.note();
        this.elsewhere.note();
        this.restarts.note();
        safety.onReport(text, this.nodes.runners);
        return text;
      },
      podAt: (url) => this.nodes.podAt(url),
      onAnswer: (identity, uid, text) => knowledge.onAnswer(identity, uid, text, clock.monotonic()),
      onDecided: (identity, key, { world: seen, decision, ...rest }) => {
        const at = clock.monotonic();
        knowledge.onDecided(identity, seen.pool.meta.name, { at, world: seen, decision });
        if (key !== keyOf(poolRef)) return;
        safety.onDecided(identity, seen, decision.version);
        this.owners.onDecided({ world: seen, decision, ...rest });
        for (const message of lostByMistake({ world: seen, decision, ...rest }))
          report({ oracle: 'kept in spite of a typo', message });
      },
    };
    this.operators = (hasStandby ? ['a', 'b'] : ['a']).map((name) => new SimOperator(name, world));
  }

  setUp(): void {
    this.server.create(kinds[targetKindOf(this.shape)], targetOf(this.shape));
    this.server.create(kinds.SwarmPool, poolOf(this.shape));
  }

  protected perform(action: Action): void {
    perform(this, action);
  }

  reapply(): void {
    for (const what of ['createTarget', 'createPool'] as const) this.act({ do: what });
    for (const action of this.mends) this.act(action);
    for (const what of ['resume', 'restore'] as const) this.act({ do: what });
    // A restored object may cease to be a target before an operator has seen it again.
    this.#noteStrange();
  }

  editByHand(random: Random, how: string | undefined): void {
    editByHand(this, random, how);
    this.restarts.excuse();
  }

  ail(stream: string): void {
    this.ailing.add(stream);
    for (const { worker } of this.nodes.runners) worker?.endProcess(stream, 1);
  }

  breakAt(pod: string | undefined, streams: readonly string[]): void {
    for (const stream of streams) this.broken.add(`${pod} ${stream}`);
    const [runner] = this.nodes.runners.filter((it) => it.pod.metadata.name === pod);
    for (const stream of streams) runner?.worker?.endProcess(stream, 1);
  }

  isAiling(stream: string, pod: string): boolean {
    return this.ailing.has(stream) || this.broken.has(`${pod} ${stream}`);
  }

  breakWork(random: Random): void {
    const { nodes } = this;
    const running = nodes.runners;
    if (running.length > 0 && random.chance(0.5)) {
      this.disturb(1_500);
      random.pick(running).crash();
      return;
    }
    const ms = random.between(500, 9_000);
    this.disturb(ms + 1_500);
    nodes.fail(random.pick(nodes.all), random.chance(0.5) ? 'cut off' : 'down', ms);
  }

  restoreServer(remembering: ReadonlySet<string>, restore: () => void): void {
    this.safety.onRestore(this.nodes.runners, remembering, restore);
    this.#noteStrange();
    this.status.onPublication(this.clock.monotonic());
    this.health.onPublication();
    this.elsewhere.onRestore();
    this.restarts.excuse();
  }

  #noteStrange(): void {
    if (this.safety.noteStrange() > 0) this.disturb(LONGEST_PERIOD_MS);
  }

  protected onWrite(identity: string, sent: Sent): void {
    this.safety.onWrite(identity, sent);
    if (sent.call.kind.kind === 'ConfigMap') {
      this.status.onPublication(this.clock.monotonic());
      this.health.onPublication();
      this.elsewhere.onPublication();
      this.restarts.onPublication();
    }
    this.status.onWrite(identity, sent);
    this.health.onWrite(sent);
    this.elsewhere.onWrite(sent);
  }

  protected look(leader: string | undefined): void {
    this.promptness.look(leader);
    this.health.look(leader);
    this.elsewhere.look(leader);
  }

  excuse(until: number): void {
    this.status.excuse(until);
    this.health.excuse(until);
  }

  problems(): readonly string[] {
    const problems = healthProblems({
      server: this.server,
      ledger: this.ledger,
      runners: this.nodes.runners,
      shape: this.shape,
      isEditedByHand: this.isEditedByHand,
    });
    return [...problems, ...this.health.problems(), ...this.restarts.problems()];
  }

  restProblems(): readonly string[] {
    return this.owners.problems();
  }

  override get isMoving(): boolean {
    return this.health.isMoving || this.elsewhere.isMoving;
  }

  override get moves(): number {
    return this.health.changes + this.elsewhere.changes;
  }

  get doubled(): readonly string[] {
    return [...this.owners.reported];
  }

  limits(): Limits {
    const { isSlow, workers } = this.shape;
    // Processes that end again and again, and slowly, have some each.
    const failing = this.nodes.runners.flatMap(({ worker }) => worker?.failing() ?? []).length;
    return {
      subject: 'the pool',
      settleMs:
        SETTLE_MS +
        (isSlow === true ? SLOW_MS * (workers + 1) : 0) +
        (this.health.changes > 0 ? HEALTH_MS : 0),
      timers: MOST_TIMERS * this.operators.length + 5 * this.nodes.runners.length + 5 * failing,
    };
  }
}
