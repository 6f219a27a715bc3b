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
import { Audit } from './audit.ts';
import { GroupAutoscaler } from './autoscaler.ts';
import { elderOf, groupOf, isPlain, namesOf, PLAIN } from './manifests.ts';
import { editGroupByHand } from './manual-edits.ts';
import { groupProblems } from './oracle/health.ts';
import { GroupOracle } from './oracle/oracle.ts';
import { sceneOf } from './oracle/scene.ts';
import { PlainWorkloads } from './plain-workloads.ts';
import type { GroupAction, GroupShape, GroupStory } from './story.ts';

/**
 * A transition, its rollback, and the longest back-off of a few failures; a pool's workers drain.
 */
const SETTLE_MS = 120_000;
/** A group leaves a member alone for so long that users scale again and again. */
const CONTESTED_MS = 610_000;
const MOST_TIMERS = 45;
/** Watches of groups alone, and of pools beside them. */
const WATCHED = 5;
const WATCHED_WITH_POOLS = 8;

export class GroupSimWorld extends SimWorld<GroupAction> {
  readonly shape: GroupShape;
  readonly workloads: PlainWorkloads;
  readonly nodes: Nodes;
  readonly audit = new Audit();
  readonly autoscaler: GroupAutoscaler;
  readonly oracle: GroupOracle;
  readonly operators: readonly SimOperator[];
  readonly #hasElder: boolean;
  #leader: SimOperator | undefined;
  protected readonly watched: number;

  constructor(story: GroupStory) {
    super(story);
    this.shape = story.group;
    const { server, clock } = this;
    const hasPool = this.shape.mode === 'Pool';
    this.watched = hasPool ? WATCHED_WITH_POOLS : WATCHED;
    const report = (violation: Violation): void => this.report(violation);
    const isElders = (it: GroupAction): boolean => it.do === 'elder' || it.do === 'crowd';
    this.#hasElder = story.actions.some((it) => it.mends !== true && isElders(it));
    this.workloads = new PlainWorkloads(this.surroundings('plain workloads'));
    const { workloads, audit } = this;
    const surroundings = this.surroundings('autoscaler');
    this.autoscaler = new GroupAutoscaler({ surroundings, workloads, audit });
    this.oracle = new GroupOracle({
      ...{ server, clock, audit, workloads, report },
      wallMs: () => this.#wallMs(),
      autoscaler: this.autoscaler,
      isHindered: () => this.isHindered,
    });
    this.nodes = new Nodes(this.surroundings('nodes'), new Ledger(() => undefined), {
      onSpawn: () => undefined,
      onContainer: () => undefined,
      isAiling: () => false,
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
    };
    this.operators = (story.hasStandby ? ['a', 'b'] : ['a']).map(
      (name) => new SimOperator(name, world),
    );
  }

  setUp(): void {
    this.act({ do: 'createMembers' });
    if (this.#hasElder) this.server.create(kinds.SwarmGroup, elderOf([]));
    this.audit.byOther(() => this.server.create(kinds.SwarmGroup, groupOf(this.shape)));
    if (this.shape.mode === 'Autoscaler') this.act({ do: 'autoscaler', of: 'm1' });
  }

  protected perform(action: GroupAction): void {
    this.audit.byOther(() => performOnGroup(this, action));
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
    if (this.shape.mode === 'Pool') this.act({ do: 'poolScaling', to: 'Lead' });
    this.act({ do: 'restore' });
  }

  editByHand(random: Random, how: string | undefined): void {
    this.audit.byOther(() => editGroupByHand(this, random, how));
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
    this.oracle.forget();
    this.hinder(until - this.clock.monotonic());
  }

  /** The oracle sees each write at the API server. */
  protected onWrite(_identity: string, _sent: Sent): void {}

  protected look(leader: string | undefined): void {
    this.oracle.look(leader !== undefined);
  }

  problems(): readonly string[] {
    return groupProblems(sceneOf(this.server, this.#wallMs()));
  }

  /** Of the machine whose operator leads, or led last. */
  #wallMs(): number {
    this.#leader = this.operators.find(({ isLeading }) => isLeading) ?? this.#leader;
    return this.clock.now() + (this.#leader?.wallOffsetMs ?? 0);
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
      // The operator may leave a member alone for a while.
      settleMs: SETTLE_MS + (this.oracle.past.hands.hasInsisted ? CONTESTED_MS : 0),
      timers: MOST_TIMERS * this.operators.length + 5 * this.nodes.runners.length,
    };
  }
}
