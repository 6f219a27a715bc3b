// What has a user seen of a group until now? Its changes, its rests and failures, and who else
// scaled its members.
import type { Writer } from '../audit.ts';
import { Ages } from './ages.ts';
import { type Change, changesBetween, Progress } from './changes.ts';
import { Draws } from './draws.ts';
import { within } from './exact.ts';
import { type Failure, Failures } from './failures.ts';
import { Hands } from './hands.ts';
import { Rests } from './rests.ts';
import { type Scene, type SceneMember, stateIn } from './scene.ts';
import { haveSize, isGrowing, isSettled, isShrinking, type Verdict } from './settled.ts';

/** With each of these the time-out begins anew. */
const EDITS = ['group', 'edit', 'membership'] as const;

type Quota = { readonly until: number; readonly retriedUntil: number };

export class Past {
  readonly rests = new Rests();
  readonly failures = new Failures();
  readonly hands = new Hands();
  readonly draws = new Draws();
  readonly ages = new Ages();
  /** Members that have not got to the size yet: growing, or shrinking. */
  readonly #open = new Ages();
  readonly #missing = new Ages();
  readonly #progress = new Progress();
  readonly #sinceStuck = new Progress();
  readonly #quotas = new Map<string, Quota>();
  #sizes: readonly { readonly size: number; readonly at: number }[] = [];
  scene: Scene | undefined;
  /** By any writer but the operator and the controllers. */
  changedAt = 0;
  /** The same without sizes of the group. */
  editedAt = 0;
  /** The same of the members, and of the group's rules. */
  rulesAt = 0;
  progressAt = 0;
  /** Since then a transition has made no progress, however the size was moved. */
  stuckAt = 0;
  /** The same without what depends on when the operator observed it. */
  #perhapsStuckAt = 0;
  #retriedAt = 0;
  pausedAt = Number.NEGATIVE_INFINITY;
  reached: Verdict = 'no';
  /** Since it was asked for, and since it failed last. */
  hasReached = false;
  /** For so long some member has not had the present size. */
  notReachedMs = 0;
  reachedMs = 0;
  /** The last size that was wanted and that all free members had in their specs. */
  given: number | undefined;
  /** A size that had failed, and that an edit allows to be tried again. */
  allowed: { readonly failure: Failure; readonly at: number } | undefined;

  /** What happened before proves nothing any more. */
  forget(now: number): void {
    this.rests.forget();
    this.failures.forget();
    this.draws.forget();
    this.ages.forget();
    this.interrupt(now);
  }

  /** Something kept the operator from its work until now. */
  interrupt(now: number): void {
    this.changedAt = now;
    this.editedAt = now;
    this.rulesAt = now;
    this.progressAt = now;
    this.stuckAt = now;
    this.allowed = undefined;
    this.draws.interrupt();
  }

  /** A size that failed is tried again after its time: then all begins anew. */
  retryWhenDue(scene: Scene, now: number): void {
    const failure = this.failures.of(scene.size);
    if (failure === undefined) return;
    const dueMs = failure.endedAt + this.failures.waitMs(failure, scene);
    if (now < dueMs || this.#retriedAt >= dueMs) return;
    this.#retriedAt = now;
    this.rests.retry(scene);
    this.interrupt(now);
  }

  refuse(name: string, quota: Quota): void {
    this.#quotas.set(name, quota);
  }

  /** Its scales are refused now, or may not have been tried again since. */
  isRefused(name: string, now: number): boolean {
    return now < (this.#quotas.get(name)?.retriedUntil ?? 0);
  }

  isRefusedNow(name: string, now: number): boolean {
    return now < (this.#quotas.get(name)?.until ?? 0);
  }

  take(scene: Scene | undefined, writer: Writer, now: number): ReadonlySet<Change> {
    const before = this.scene;
    this.scene = scene;
    if (scene === undefined) {
      this.interrupt(now);
      return new Set();
    }
    const changes = changesBetween(before, scene, writer);
    this.hands.take(before, scene, writer, now);
    this.reached = this.rests.take(scene, changes, now);
    if (changes.has('size')) this.hasReached = false;
    this.hasReached ||= this.reached === 'yes';
    this.notReachedMs = Math.max(0, ...this.#missing.ofAll(this.#missingIn(scene), now).values());
    this.reachedMs = this.ages.of('reached', this.reached === 'yes', now) ?? 0;
    if (scene.size !== undefined && haveSize(scene, scene.size)) this.given = scene.size;
    this.#open.ofAll(this.#openIn(scene), now);
    const isMoved = before !== undefined && stateIn(before.status) === 'Scaling';
    this.#takeChanges(scene, changes, isMoved, now);
    if (this.failures.take(scene, before, now) !== undefined) {
      this.rests.onFailed();
      this.hasReached = false;
      this.stuckAt = now;
      this.#perhapsStuckAt = now;
    }
    const wasBack = stateIn(before?.status) === 'RollingBack';
    if (wasBack && stateIn(scene.status) === 'RolledBack') this.rests.onRolledBack(scene);
    if (scene.isPaused) this.pausedAt = now;
    return changes;
  }

  #missingIn({ size, free }: Scene): readonly string[] {
    if (size === undefined || free.length === 0) return ['all'];
    const { start } = this.rests;
    return free.filter((it) => isSettled(it, it.at(size), start) === 'no').map(({ key }) => key);
  }

  #openIn({ size, free }: Scene): readonly string[] {
    if (size === undefined) return [];
    return free.flatMap((it) => [
      ...(isGrowing(it, size, this.rests.start) ? [`growing ${it.key}`] : []),
      ...(isShrinking(it, size) ? [`shrinking ${it.key}`] : []),
    ]);
  }

  /** For how long a member has not got to the present size; 0: it has, or only just has not. */
  openMs(how: 'growing' | 'shrinking', key: string, now: number): number {
    return this.#open.lasting(`${how} ${key}`, now);
  }

  /** `isMoved`: a new size comes in the middle of a transition, which is no progress. */
  #takeChanges(scene: Scene, changes: ReadonlySet<Change>, isMoved: boolean, now: number): void {
    const { size } = scene;
    const isOther = [...changes].some((change) => change !== 'size');
    if (isOther) this.editedAt = now;
    if ([...changes].some((change) => change !== 'size' && change !== 'pause')) this.rulesAt = now;
    if (changes.size > 0) {
      this.changedAt = now;
      this.allowed = undefined;
      this.#progress.restart();
    }
    if (changes.has('size') && size !== undefined)
      this.#sizes = [...this.#sizes.slice(-20), { size, at: now }];
    for (const failure of this.failures.onChanges(scene, changes, this.reached))
      if (failure.size === size && !changes.has('size')) this.allowed = { failure, at: now };
    if (this.#progress.take(scene)) this.progressAt = now;
    const isEdited = EDITS.some((edit) => changes.has(edit));
    const isAnew = isEdited || (changes.has('size') && !isMoved) || scene.isPaused;
    // It is tried again: how often it has failed is left open.
    const isBegun = !isMoved && stateIn(scene.status) === 'Scaling';
    if (isBegun) this.rests.wantAgain(scene);
    if (isAnew || isOther || isBegun || this.reached !== 'no') {
      this.#sinceStuck.restart();
      this.stuckAt = now;
    }
    if (isAnew || this.reached === 'yes') this.#perhapsStuckAt = now;
    if (this.#sinceStuck.take(scene)) this.stuckAt = now;
    for (const { until, retriedUntil } of this.#quotas.values())
      if (now >= until && now < retriedUntil) this.changedAt = now;
  }

  /** For how long nothing has been changed, and nothing has progressed. */
  quietMs(now: number): number {
    return now - Math.max(this.changedAt, this.progressAt);
  }

  /** At least. */
  stuckMs(now: number): number {
    return now - this.stuckAt;
  }

  /** At most. */
  perhapsStuckMs(now: number): number {
    return now - this.#perhapsStuckAt;
  }

  /** Sizes that the operator may still be acting on. */
  recentSizes(now: number, withinMs: number): readonly number[] {
    const first = this.#sizes.findLastIndex(({ at }) => now - at > withinMs);
    return this.#sizes.slice(Math.max(0, first)).map(({ size }) => size);
  }

  /** What a member may be held at after a failure: what it had when the group was last at rest. */
  heldAt(member: SceneMember, { bounded }: Scene): ReadonlySet<number> {
    return new Set(
      this.rests.all.map(({ size, had }) => {
        const replicas = had.get(member.uid);
        const allowed = bounded(size);
        return replicas === undefined || allowed !== size
          ? member.at(allowed)
          : within(member.bounds, replicas);
      }),
    );
  }
}
