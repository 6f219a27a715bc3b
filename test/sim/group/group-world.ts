// What makes up one run about a group? Members that run, operators, and the oracles that check
// them.
import { kinds } from '../../../src/api/kinds.ts';
import { startGarbageCollector } from '../cluster/garbage.ts';
import { Ledger } from '../cluster/ledger.ts';
import { Nodes } from '../cluster/nodes.ts';
import { startStatefulSets } from '../cluster/stateful-sets.ts';
import type { Sent } from '../operator/sim-api.ts';
import { type OperatorWorld, SimOperator } from '../operator/sim-operator.ts';
import type { Random } from '../random.ts';
import { type Limits, SimWorld, type Violation } from '../world.ts';
import { performOnGroup } from './actions.ts';
import { groupProblems } from './health.ts';
import { groupOf, isPlain, namesOf, PLAIN } from './manifests.ts';
import { editGroupByHand } from './manual-edits.ts';
import { PlainWorkloads } from './plain-workloads.ts';
import { GroupPromptness } from './promptness.ts';
import { GroupSafety } from './safety.ts';
import type { GroupAction, GroupShape, GroupStory } from './story.ts';

/**
 * A transition, its rollback, and the longest back-off of a few failures; a pool's workers drain.
 */
const SETTLE_MS = 120_000;
/** So often scaled by hand, a member is left alone for so long. */
const MOST_BY_HAND = 3;
const CONTESTED_MS = 610_000;
const MOST_TIMERS = 45;
/** Watches of groups alone, and of pools beside them. */
const WATCHED = 5;
const WATCHED_WITH_POOLS = 8;

export class GroupSimWorld extends SimWorld<GroupAction> {
  readonly shape: GroupShape;
  readonly workloads: PlainWorkloads;
  readonly nodes: Nodes;
  readonly safety: GroupSafety;
  readonly promptness: GroupPromptness;
  readonly operators: readonly SimOperator[];
  /** How often a hand has scaled a member. */
  readonly #byHand = new Map<string, number>();
  protected readonly watched: number;

  constructor(story: GroupStory) {
    super(story);
    this.shape = story.group;
    const { server, clock } = this;
    const hasPool = this.shape.mode === 'Pool';
    this.watched = hasPool ? WATCHED_WITH_POOLS : WATCHED;
    const report = (violation: Violation): void => this.report(violation);
    this.promptness = new GroupPromptness({ server, clock, report });
    this.safety = new GroupSafety({ server, clock, report, promptness: this.promptness });
    this.workloads = new PlainWorkloads(this.surroundings('plain workloads'));
    this.nodes = new Nodes(this.surroundings('nodes'), new Ledger(() => undefined), {
      onSpawn: () => undefined,
      onContainer: () => undefined,
    });
    if (hasPool)
      startStatefulSets(
        this.surroundings('sets'),
        ({ metadata }) => metadata.labels?.[PLAIN] === undefined,
      );
    startGarbageCollector(this.surroundings('garbage'));
    const world: OperatorWorld = {
      ...this.operatorWorld(),
      kinds: hasPool ? ['pools', 'groups'] : ['groups'],
      ask: (url) => this.nodes.ask(url),
      podAt: (url) => this.nodes.podAt(url),
      onAnswer: () => undefined,
      onDecided: () => undefined,
      onGroupDecided: (identity, { world: seen, decision }) =>
        this.safety.onDecided(identity, { world: seen, decision }),
    };
    this.operators = (story.hasStandby ? ['a', 'b'] : ['a']).map(
      (name) => new SimOperator(name, world),
    );
  }

  setUp(): void {
    this.act({ do: 'createMembers' });
    this.server.create(kinds.SwarmGroup, groupOf(this.shape));
    if (this.shape.mode === 'Autoscaler') this.act({ do: 'autoscaler', of: 'm1' });
  }

  protected perform(action: GroupAction): void {
    if (action.do === 'scaleMember')
      this.#byHand.set(action.name, (this.#byHand.get(action.name) ?? 0) + 1);
    performOnGroup(this, action);
  }

  /** The operator may leave a member alone for a while. */
  get #isContested(): boolean {
    return Math.max(0, ...this.#byHand.values()) >= MOST_BY_HAND;
  }

  later(ms: number, action: GroupAction): void {
    this.disturb(ms);
    this.clock.after(ms, () => this.act(action));
  }

  reapply(): void {
    this.act({ do: 'createMembers' });
    this.act({ do: 'createGroup' });
    if (this.shape.mode === 'Autoscaler') this.act({ do: 'autoscaler', of: 'm1' });
    for (const action of this.mends) this.act(action);
    this.act({ do: 'resume' });
    this.act({ do: 'restore' });
  }

  editByHand(random: Random, how: string | undefined): void {
    editGroupByHand(this, random, how);
  }

  breakWork(random: Random): void {
    const ms = random.between(500, 12_000);
    this.disturb(ms);
    this.workloads.breakFor(random.pick(namesOf(this.shape).filter(isPlain)), ms);
  }

  restoreServer(_: ReadonlySet<string>, restore: () => void): void {
    restore();
  }

  excuse(until: number): void {
    this.safety.excuse(until);
    this.promptness.forget();
  }

  protected onWrite(identity: string, sent: Sent): void {
    this.safety.onWrite(identity, sent);
  }

  protected look(leader: string | undefined): void {
    this.promptness.look(leader);
  }

  problems(): readonly string[] {
    return groupProblems(this.server, this.clock.monotonic());
  }

  restProblems(): readonly string[] {
    return [];
  }

  get doubled(): readonly string[] {
    return [];
  }

  limits(): Limits {
    return {
      subject: 'the group',
      settleMs: SETTLE_MS + (this.#isContested ? CONTESTED_MS : 0),
      timers: MOST_TIMERS * this.operators.length + 5 * this.nodes.runners.length,
    };
  }
}
