// What makes up one run about queues? Batch Jobs and pods that run, operators, and the oracles that
// check them.
import { kinds } from '../../../src/api/kinds.ts';
import { startGarbageCollector } from '../cluster/garbage.ts';
import { NAMESPACE } from '../cluster/manifests.ts';
import type { Sent } from '../operator/sim-api.ts';
import { type OperatorWorld, SimOperator } from '../operator/sim-operator.ts';
import type { Random } from '../random.ts';
import { type Limits, SimWorld, type Violation } from '../world.ts';
import { performOnQueues } from './actions.ts';
import { BatchJobs } from './cluster/batch-jobs.ts';
import { Gangs } from './cluster/gangs.ts';
import { addressOf, RankNodes } from './cluster/ranks.ts';
import { startResourceQuotas } from './cluster/resource-quotas.ts';
import { queueOf } from './manifests.ts';
import { breakRanks, editJobsByHand } from './manual-edits.ts';
import { grantWhatIsNamed } from './oracle/granting.ts';
import { QueueOracle } from './oracle/oracle.ts';
import { problemsAtRest } from './oracle/rest.ts';
import type { QueueAction, QueueStory } from './story.ts';

/** Attempts, back-offs and starts that take too long, of all jobs one after another. */
const SETTLE_MS = 240_000;
/** As far as the clock of an operator may jump. */
const JUMP_MS = 3_700_000;
/**
 * A Job that was suspended soon after its start, or before this leader began, keeps its quota for
 * five seconds; and status follows within two.
 */
const GIVEN_BACK_MS = 7_000;
/** Within this time a new leader writes what happened before it began. */
const BEGINS_MS = 3_000;
const MOST_TIMERS = 45;
const WATCHED = 8;

export class QueueSimWorld extends SimWorld<QueueAction> {
  readonly nodes: RankNodes;
  readonly oracle: QueueOracle;
  readonly operators: readonly SimOperator[];
  readonly #queues: QueueStory['queues'];
  readonly #podsOnNodes: number | undefined;
  #leader: SimOperator | undefined;
  #isByUser = false;
  /** The operator that wrote last. */
  #writer: string | undefined;
  #beganAtMs = Number.NEGATIVE_INFINITY;
  protected readonly watched = WATCHED;

  constructor(story: QueueStory) {
    super(story);
    const { server, clock } = this;
    this.#queues = story.queues;
    this.#podsOnNodes = story.podsOnNodes;
    this.oracle = new QueueOracle({
      ...{ server, clock },
      wallMs: () => this.#wallMs(),
      report: (violation: Violation) => this.report(violation),
      isHindered: () => this.isHindered,
      isByUser: () => this.#isByUser,
      tellsLate: () => clock.monotonic() < Math.max(this.quietAfter, this.#beganAtMs + BEGINS_MS),
    });
    const gangs = new Gangs((violation) => this.report(violation), addressOf);
    this.nodes = new RankNodes(this.surroundings('nodes'), gangs, story.podsOnNodes);
    new BatchJobs(this.surroundings('batch jobs'), (pod, why) => this.oracle.refused(pod, why));
    startResourceQuotas(this.surroundings('resource quotas'));
    startGarbageCollector(this.surroundings('garbage'), [
      kinds.Service,
      kinds.ConfigMap,
      kinds.Secret,
      kinds.Pod,
    ]);
    const world: OperatorWorld = {
      ...this.operatorWorld(),
      kinds: ['queues', 'jobs'],
      ask: () => Promise.reject(new Error('there are no workers')),
      podAt: () => undefined,
      onAnswer: () => undefined,
      onDecided: () => undefined,
      onTold: (identity, object) => this.oracle.tell(identity, object),
    };
    this.operators = (story.hasStandby ? ['a', 'b'] : ['a']).map(
      (name) => new SimOperator(name, world),
    );
  }

  setUp(): void {
    this.#byUser(() => {
      for (const [name, spec] of Object.entries(this.#queues))
        if (this.server.find(kinds.SwarmQueue, { namespace: NAMESPACE, name }) === undefined)
          this.server.create(kinds.SwarmQueue, queueOf(name, spec));
    });
  }

  #byUser<T>(run: () => T): T {
    this.#isByUser = true;
    try {
      return run();
    } finally {
      this.#isByUser = false;
    }
  }

  protected perform(action: QueueAction): void {
    this.#byUser(() => performOnQueues(this, action));
  }

  reapply(): void {
    this.setUp();
    for (const action of this.mends) this.act(action);
  }

  editByHand(random: Random, how: string | undefined): void {
    editJobsByHand(this, random, how);
  }

  breakWork(random: Random): void {
    breakRanks(this, random);
  }

  restoreServer(_: ReadonlySet<string>, restore: () => void): void {
    this.#byUser(restore);
    this.oracle.restored();
  }

  excuse(until: number): void {
    this.oracle.forget();
    this.hinder(until - this.clock.monotonic());
  }

  /** The oracle sees each write at the API server. */
  protected onWrite(identity: string, { call, at: atMs }: Sent): void {
    this.oracle.written({ identity, atMs }, call.kind);
    const isNewLeader = identity !== this.#writer;
    this.#writer = identity;
    if (isNewLeader) this.#beganAtMs = this.clock.monotonic();
    if (isNewLeader || call.kind.kind === 'Job')
      this.retriedAfter = Math.max(this.retriedAfter, this.clock.monotonic() + GIVEN_BACK_MS);
  }

  protected look(leader: string | undefined): void {
    this.oracle.look(leader);
  }

  problems(): readonly string[] {
    return problemsAtRest({
      server: this.server,
      wallMs: this.#wallMs(),
      past: this.oracle.past,
      podsOnNodes: this.#podsOnNodes,
    });
  }

  /** Of the machine whose operator leads, or led last. */
  #wallMs(): number {
    this.#leader = this.operators.find(({ isLeading }) => isLeading) ?? this.#leader;
    return this.clock.now() + (this.#leader?.wallOffsetMs ?? 0);
  }

  restProblems(): readonly string[] {
    return [];
  }

  override afterRest(): Promise<void> {
    return grantWhatIsNamed(this);
  }

  get doubled(): readonly string[] {
    return [];
  }

  limits(): Limits {
    const hasJumped = this.operators.some(({ wallOffsetMs }) => wallOffsetMs !== 0);
    return {
      subject: 'the namespace',
      // One wait may follow another: to be queued again, and then to be deleted.
      settleMs: SETTLE_MS + (hasJumped ? 2 * JUMP_MS : 0),
      timers: MOST_TIMERS * this.operators.length,
    };
  }
}
