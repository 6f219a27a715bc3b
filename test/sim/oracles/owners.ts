// Does an operator report two owners when there are two, and only then? Compares its count with
// what workers reported and what really ran.

import type { DecisionReport } from '../../../src/core/decision.ts';
import type { PoolDecision } from '../../../src/pool/decide.ts';
import { figuresOf } from '../../../src/pool/status/figures.ts';
import type { Ownership } from '../../../src/pool/status/owners.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import type { Ledger } from '../cluster/ledger.ts';
import type { Violation } from '../world.ts';

export class Owners {
  /** True while the pool was always Exclusive. */
  readonly #isStrict: () => boolean;
  readonly #ledger: Ledger;
  readonly #replaced: ReadonlySet<string>;
  readonly #report: (violation: Violation) => void;
  /** The last count of an operator. */
  #last: Ownership = { unowned: 0, doubled: new Set() };
  /** All streams that any operator has reported. */
  readonly reported = new Set<string>();

  /**
   * `replaced`: UIDs of pods that a user or a restoration removed from the API while they may still
   * run.
   */
  constructor(
    isStrict: () => boolean,
    ledger: Ledger,
    replaced: ReadonlySet<string>,
    report: (violation: Violation) => void,
  ) {
    this.#isStrict = isStrict;
    this.#ledger = ledger;
    this.#replaced = replaced;
    this.#report = report;
  }

  onDecided({ world, decision }: DecisionReport<PoolWorld, PoolDecision>): void {
    this.#last = figuresOf(world, decision).ownership;
    const { doubled } = this.#last;
    for (const stream of doubled) this.reported.add(stream);
    const falsely = [...doubled].filter((stream) => !this.#ledger.overlapped.has(stream));
    // Without Exclusive, both workers may report a moving stream for a while, since their answers
    // are of different moments.
    if (this.#isStrict() && falsely.length > 0)
      this.#report({
        oracle: 'false report of two owners',
        message: `two owners are reported for ${falsely.join()}, which never had two`,
      });
    // While a precondition fails, no worker of the pool is probed: earlier answers prove nothing.
    if (decision.probes.length === 0) return;
    const hidden = reportedTwice(world, this.#replaced).filter((stream) => !doubled.has(stream));
    if (hidden.length > 0)
      this.#report({
        oracle: 'missing report of two owners',
        message: `two workers say that they run ${hidden.join()}, and the operator does not report it`,
      });
  }

  /** In a healthy pool no stream is counted without owner or with two. */
  problems(): readonly string[] {
    const { unowned, doubled } = this.#last;
    return unowned + doubled.size === 0
      ? []
      : [`${unowned} streams are counted without owner, ${doubled.size} with two`];
  }
}

/**
 * By the answers of existing pods; a terminating pod is no longer probed, and its last answer is
 * old.
 */
function reportedTwice(
  { pods, answers }: PoolWorld,
  replaced: ReadonlySet<string>,
): readonly string[] {
  const said = pods.flatMap(({ uid, isTerminating, hasEnded }) => {
    if (isTerminating || hasEnded || replaced.has(uid)) return [];
    const answer = answers[uid];
    const isOwn = answer?.ok === true && (answer.report.podUid ?? uid) === uid;
    return isOwn ? (answer.report.jobs ?? []) : [];
  });
  return twice(said);
}

const twice = (names: readonly string[]): readonly string[] =>
  names.filter((name, index) => names.indexOf(name) !== index);
