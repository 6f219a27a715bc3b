// Does a transition end in time, and is a size that failed tried again only after a while?
import { kinds } from '../../../src/api/kinds.ts';
import { asList, asNumber, asString, dig } from '../../../src/api/objects.ts';
import type { Clock } from '../../../src/runtime/clock.ts';
import type { ApiServer } from '../cluster/api-server.ts';
import type { Violation } from '../world.ts';
import { groupRef } from './manifests.ts';

type Facts = {
  readonly server: ApiServer;
  readonly clock: Clock;
  readonly report: (violation: Violation) => void;
};

/** The leader sees the end of the time, and writes status. */
const GRACE_MS = 1_500;
/** Clocks tick in whole milliseconds. */
const TICK_MS = 5;

export class GroupPromptness {
  readonly #with: Facts;
  /** The transition under way, and since when this leader has known it. */
  #open: { readonly what: string; readonly since: number } | undefined;
  /** By size: when status said that it failed, and how often in a row. */
  readonly #failures = new Map<number, { readonly at: number; readonly count: number }>();
  #history = '';
  #group: string | undefined;

  constructor(facts: Facts) {
    this.#with = facts;
    facts.server.onChange(kinds.SwarmGroup, () => this.#note());
  }

  /** Status was restored or made up: what it says of the past is not so. */
  forget(): void {
    this.#failures.clear();
    this.#open = undefined;
  }

  #note(): void {
    const { server, clock } = this.#with;
    const group = server.find(kinds.SwarmGroup, groupRef);
    if (group === undefined || group.metadata.uid !== this.#group) this.forget();
    this.#group = group?.metadata.uid;
    const history = asList(dig(group, 'status', 'history'));
    const text = JSON.stringify(history[0] ?? '');
    if (text === this.#history) return;
    this.#history = text;
    const [to, outcome] = [asNumber(dig(history[0], 'to')), dig(history[0], 'outcome')];
    if (to === undefined) return;
    if (outcome === 'Completed') this.#failures.delete(to);
    if (outcome !== 'TimedOut' && outcome !== 'RolledBack') return;
    const count = (this.#failures.get(to)?.count ?? 0) + 1;
    this.#failures.set(to, { at: clock.monotonic(), count });
  }

  /** A size that is scaled to now, by a decision on this spec. */
  onTried(size: number, spec: unknown): void {
    const failed = this.#failures.get(size);
    if (failed === undefined) return;
    const retryMs = (asNumber(dig(spec, 'transition', 'retryAfterSeconds')) ?? 0) * 1_000;
    const leastMs = Math.min(retryMs * 2 ** (failed.count - 1), 3_600_000);
    const passedMs = this.#with.clock.monotonic() - failed.at;
    if (passedMs < leastMs - TICK_MS)
      this.#fail(
        'back-off',
        `size ${size} is tried ${passedMs} ms after it failed ${failed.count} times`,
      );
  }

  /** `leader` undefined: nothing can be asked of anybody. */
  look(leader: string | undefined): void {
    const { server, clock } = this.#with;
    const group = server.find(kinds.SwarmGroup, groupRef);
    const transition = dig(group, 'status', 'transition');
    const state = asString(dig(transition, 'state'));
    const isPaused =
      dig(group, 'spec', 'paused') === true || group?.metadata.annotations !== undefined;
    if (leader === undefined || state !== 'Scaling' || isPaused) {
      this.#open = undefined;
      return;
    }
    const spec = dig(group, 'spec', 'transition');
    const parts = [leader, dig(transition, 'requestTime'), dig(transition, 'to'), spec];
    const what = JSON.stringify(parts);
    if (this.#open?.what !== what) this.#open = { what, since: clock.monotonic() };
    const limitMs = (asNumber(dig(spec, 'timeoutSeconds')) ?? 0) * 1_000 + GRACE_MS;
    if (clock.monotonic() - this.#open.since > limitMs)
      this.#fail('time-out', `the transition is Scaling for more than ${limitMs} ms`);
  }

  #fail(oracle: string, message: string): void {
    this.#with.report({ oracle, message });
  }
}
