// Where was the group at rest last, and what had each member then? A rollback goes back to it. On
// the way up a size counts as soon as all members have their pods for it.
import type { Change } from './changes.ts';
import { MostLately } from './most-lately.ts';
import type { Scene, SceneMember } from './scene.ts';
import { haveSize, isSettledAt, type Rest, type Start, type Verdict } from './settled.ts';

/** What lasted so long the operator has seen. */
const SEEN_MS = 1_000;
/** How far status may lag behind: it writes mere progress every two seconds. */
const LAG_MS = 3_000;

/** With each of these a transition may begin. */
const BEGINNINGS = ['size', 'edit', 'membership', 'holding'] as const;

type Wanted = {
  readonly rest: Rest;
  /** Whether it was reached, though another size was wanted by then. */
  reached: Verdict;
  since: number | undefined;
  /** The rules of its members have changed since: it cannot be reached any more. */
  readonly isClosed?: true;
};

const restAt = ({ free }: Scene, size: number): Rest => ({
  size,
  had: new Map(free.map(({ uid, at }) => [uid, at(size)])),
});

/**
 * Edited rules give its members other replicas: what was not reached by then has to be reached by
 * the rules of now. If it was reached, a rollback goes back to what they had then.
 */
function underRulesOf(scene: Scene, wanted: Wanted): readonly Wanted[] {
  const { size, had } = wanted.rest;
  const isSame = scene.free.every(({ uid, at }) => (had.get(uid) ?? at(size)) === at(size));
  if (isSame || wanted.isClosed === true) return [wanted];
  const anew: Wanted = { rest: restAt(scene, size), reached: 'no', since: undefined };
  const closed: Wanted = { ...wanted, isClosed: true };
  if (wanted.reached === 'no') return [anew];
  return wanted.reached === 'yes' ? [closed] : [closed, anew];
}

const uidsOf = ({ free }: Scene): ReadonlySet<string> => new Set(free.map(({ uid }) => uid));

export class Rests {
  /** The last certain one, and later ones that the operator may or may not have seen. */
  #known: readonly Rest[] = [];
  #wanted: Wanted[] = [];
  /** Where it is at rest now, and since when. */
  #present: { readonly rest: Rest; readonly since: number } | undefined;
  #isAtRest = false;
  /** By UID: the members that were free a moment ago. */
  #free: ReadonlySet<string> = new Set();
  /** By UID. */
  readonly #readyLately = new MostLately(LAG_MS);
  start: Start = { rests: [], ready: new Map() };

  /** The operator may go back to any of them; none: it may never have been at rest. */
  get all(): readonly Rest[] {
    const reached = this.#wanted.filter((it) => it.reached !== 'no');
    const last = reached.findLastIndex((it) => it.reached === 'yes');
    const rests = reached.map(({ rest }) => rest);
    if (last >= 0) return rests.slice(last);
    return this.#known.length === 0 ? [] : [...this.#known, ...rests];
  }

  get last(): Rest | undefined {
    return this.all[0];
  }

  forget(): void {
    this.#known = [];
    this.#wanted = [];
    this.#present = undefined;
    this.start = { rests: [], ready: new Map() };
  }

  /** The transition under way has failed: what it wanted is not wanted any more. */
  onFailed(): void {
    this.#known = this.all;
    this.#wanted = [];
  }

  /** A rollback has ended where bounds keep it from the last rest: it may be at rest there. */
  onRolledBack(scene: Scene): void {
    const { last } = this;
    if (last === undefined || scene.bounded(last.size) === last.size) return;
    this.#known = [...this.all, restAt(scene, scene.bounded(last.size))];
    this.#wanted = [];
  }

  /** What failed is tried again, without any change. */
  retry(scene: Scene): void {
    this.start = { ...this.start, ready: this.#readyAtStart(scene) };
    this.want(scene);
  }

  /** From now on it is tried to reach the present size. */
  want(scene: Scene, reached: Verdict = 'no'): void {
    if (scene.size === undefined) return;
    this.#wanted.push({ rest: restAt(scene, scene.size), reached, since: undefined });
  }

  /** Status says that it is tried again, though it had failed. */
  wantAgain(scene: Scene): void {
    if (this.#wanted.length === 0) this.want(scene);
  }

  /** How far the present size is reached. */
  take(scene: Scene, changes: ReadonlySet<Change>, now: number): Verdict {
    const { size, isPaused } = scene;
    // Without a size it is at rest with whatever its members have.
    if (changes.has('group') || size === undefined) this.forget();
    if (size === undefined) return 'no';
    const isResumed = changes.has('pause') && !isPaused;
    if (changes.has('edit') || changes.has('membership'))
      this.#wanted = this.#wanted.flatMap((it) => underRulesOf(scene, it));
    if (isResumed || BEGINNINGS.some((change) => changes.has(change))) {
      this.#leave();
      this.start = { rests: this.#restsNow(), ready: this.#readyAtStart(scene) };
      // A hand gave them this size in the pause: nothing is to be done.
      if (!isPaused) this.want(scene, isResumed && haveSize(scene, size) ? 'maybe' : 'no');
    } else if (changes.has('hand') && !isPaused) this.#putBack(scene, now);
    this.#free = uidsOf(scene);
    for (const { uid, ready } of scene.free) this.#readyLately.note(uid, ready, now);
    for (const wanted of this.#wanted) this.#look(wanted, scene, now);
    const verdict = isSettledAt(scene, size, this.start);
    if (verdict === 'yes')
      this.#present = { rest: restAt(scene, size), since: this.#present?.since ?? now };
    else this.#leave();
    if (this.#present !== undefined && !isPaused && now - this.#present.since >= SEEN_MS) {
      this.#known = [this.#present.rest];
      this.#wanted = [];
      this.#isAtRest = true;
      return 'yes';
    }
    const last = this.#wanted.at(-1);
    if (verdict !== 'no' && last?.rest.size === size && last.reached === 'no')
      last.reached = 'maybe';
    return verdict === 'yes' ? 'maybe' : verdict;
  }

  /** A hand scaled a member of a group at rest: to put it back is a transition, too. */
  #putBack({ free }: Scene, now: number): void {
    const wasAtRest = this.#isAtRest;
    this.#leave();
    this.#isAtRest = false;
    // What was Ready then is what status said.
    const ready = free.map(({ uid, ready: present }): [string, number] => {
      const before = wasAtRest ? 0 : (this.start.ready.get(uid) ?? 0);
      return [uid, Math.max(present, before, this.#readyLately.most(uid, now))];
    });
    const rests = this.#restsNow();
    this.start = {
      rests: wasAtRest ? rests : [...this.start.rests, ...rests],
      ready: new Map(ready),
    };
  }

  /** The operator may not have observed it for long enough. */
  #leave(): void {
    const { all } = this;
    if (this.#present !== undefined && all.length > 0) {
      this.#known = [...all, this.#present.rest];
      this.#wanted = [];
    }
    this.#present = undefined;
  }

  /** What a member had that comes only now counts no more. */
  #restsNow(): readonly Rest[] {
    return this.all.map(({ size, had }) => ({
      size,
      had: new Map([...had].filter(([uid]) => this.#free.has(uid))),
    }));
  }

  /** The most since the group was last at rest. */
  #readyAtStart({ free }: Scene): ReadonlyMap<string, number> {
    const { ready: before } = this.#isAtRest ? { ready: new Map<string, number>() } : this.start;
    this.#isAtRest = false;
    return new Map(free.map(({ uid, ready }) => [uid, Math.max(ready, before.get(uid) ?? 0)]));
  }

  #look(wanted: Wanted, scene: Scene, now: number): void {
    const { rest } = wanted;
    if (wanted.isClosed === true) return;
    if (rest.size <= (this.#known[0]?.size ?? Number.POSITIVE_INFINITY)) {
      if (haveSize(scene, rest.size)) wanted.reached = 'maybe';
      return;
    }
    const verdicts = scene.free.map((member) => this.#hasCome(member, rest, scene.size));
    if (verdicts.includes('no') || scene.free.length === 0) {
      wanted.since = undefined;
      return;
    }
    if (verdicts.includes('maybe')) {
      if (wanted.reached === 'no') wanted.reached = 'maybe';
      return;
    }
    wanted.since ??= now;
    if (now - wanted.since >= SEEN_MS) wanted.reached = 'yes';
    else if (wanted.reached === 'no') wanted.reached = 'maybe';
  }

  /** A member that does not grow needs no more Ready pods than it had at the start. */
  #hasCome(
    { uid, replicas, ready, needed, at }: SceneMember,
    { size, had }: Rest,
    present: number | undefined,
  ): Verdict {
    // A member that was not free when the size was asked for has to get there, too.
    const wants = had.get(uid) ?? at(size);
    if (replicas < wants) return 'no';
    // What is more than the present size asks for has yet to go.
    if (size === present && replicas > wants) return 'no';
    if (ready >= needed(wants)) return 'yes';
    const isGrowing = this.start.rests.every((rest) => (rest.had.get(uid) ?? wants) < wants);
    return isGrowing && this.start.rests.length > 0 ? 'no' : 'maybe';
  }
}
