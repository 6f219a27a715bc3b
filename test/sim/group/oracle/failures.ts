// Which sizes have failed, by status, and how long is each not to be tried again?
import { asList, asNumber, asString, dig } from '../../../../src/api/objects.ts';
import type { Change } from './changes.ts';
import { type Scene, stateIn } from './scene.ts';
import type { Verdict } from './settled.ts';

const LONGEST_MS = 3_600_000;

export type Failure = {
  readonly size: number;
  readonly count: number;
  /** When the last attempt began to fail, and when it ended. */
  readonly at: number;
  readonly endedAt: number;
  /** Nothing may have made it void. */
  readonly isSure: boolean;
  /** Another size was wanted since then. */
  readonly isLeft: boolean;
  /** By name: the members that were not ready. */
  readonly unready: readonly string[];
};

const keyOf = (status: unknown): string =>
  [dig(status, 'transition', 'requestTime'), dig(status, 'transition', 'to')].join();

export class Failures {
  readonly #bySize = new Map<number, Failure>();
  #noted = '';

  of(size: number | undefined): Failure | undefined {
    return size === undefined ? undefined : this.#bySize.get(size);
  }

  forget(): void {
    this.#bySize.clear();
  }

  waitMs({ count }: Failure, { retryMs }: Scene): number {
    return Math.max(retryMs, Math.min(retryMs * 2 ** (count - 1), LONGEST_MS));
  }

  /** Returns the size that has failed just now. */
  take(scene: Scene, before: Scene | undefined, now: number): number | undefined {
    const { status, free } = scene;
    const [state, to] = [stateIn(status), asNumber(dig(status, 'transition', 'to'))];
    if (to === undefined || before === undefined || before.status === status) return undefined;
    const known = this.#bySize.get(to);
    const isBack = state === 'RollingBack';
    const isFailed = isBack || state === 'RolledBack' || state === 'TimedOut';
    const key = keyOf(status);
    if (!isFailed) return undefined;
    if (key === this.#noted) {
      if (known !== undefined && stateIn(before.status) === 'RollingBack' && !isBack)
        this.#bySize.set(to, { ...known, endedAt: now });
      return undefined;
    }
    this.#noted = key;
    const unready = free
      .filter(({ replicas, ready, needed, at }) => ready < needed(at(to)) || replicas !== at(to))
      .map(({ name }) => name);
    const count = (known?.count ?? 0) + 1;
    this.#bySize.set(to, {
      ...{ size: to, count, at: now, endedAt: now, unready },
      isSure: known?.isSure ?? true,
      isLeft: false,
    });
    return to;
  }

  /** A size that was reached, or an edit, makes failures void; returns those that it made void. */
  onChanges(scene: Scene, changes: ReadonlySet<Change>, reached: Verdict): readonly Failure[] {
    const { size, status } = scene;
    const isEdited = changes.has('edit') || changes.has('membership');
    // A rollback that is under way may go on first.
    const isBack = stateIn(status) === 'RollingBack';
    const isNew = changes.has('group') || (isEdited && !isBack);
    const gone = isNew ? [...this.#bySize.values()] : [];
    if (isNew) this.#bySize.clear();
    const changed = (which: (it: Failure) => boolean, how: Partial<Failure>): void => {
      for (const it of this.#bySize.values())
        if (which(it)) this.#bySize.set(it.size, { ...it, ...how });
    };
    // Each reader may take these for edits or not.
    if (changes.has('holding') || isEdited) changed(() => true, { isSure: false });
    if (changes.has('size')) changed((it) => it.size !== size, { isLeft: true });
    if (size !== undefined && reached === 'yes') this.#bySize.delete(size);
    if (reached === 'maybe') changed((it) => it.size === size, { isSure: false });
    return gone;
  }
}

/** The newest entry of history. */
export const newestIn = (status: unknown): unknown => asList(dig(status, 'history'))[0];

export const outcomeOf = (entry: unknown): string => asString(dig(entry, 'outcome')) ?? '';
