// Does an operator tell of two owners when there are two, and only then? What it counts, against
// what workers told it and what really ran.

import type { DecisionReport } from '../../../src/core/decision.ts';
import type { PoolDecision } from '../../../src/pool/decision.ts';
import { figuresOf } from '../../../src/pool/status/figures.ts';
import type { Ownership } from '../../../src/pool/status/owners.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import type { Ledger } from '../cluster/ledger.ts';
import type { Violation } from './safety.ts';

export class Owners {
  /** Never two, from beginning to end. */
  readonly #isStrict: () => boolean;
  readonly #ledger: Ledger;
  readonly #replaced: ReadonlySet<string>;
  readonly #report: (violation: Violation) => void;
  /** As an operator counted them last. */
  #last: Ownership = { unowned: 0, doubled: new Set() };
  /** All that any operator has ever told of. */
  readonly told = new Set<string>();

  /**
   * `replaced`: UIDs of pods that a user or a restoration took from the API while they may still
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
    for (const stream of doubled) this.told.add(stream);
    const falsely = [...doubled].filter((stream) => !this.#ledger.overlapped.has(stream));
    // Else answers of different moments count: a stream that moved may be told by both for a while.
    if (this.#isStrict() && falsely.length > 0)
      this.#report({
        oracle: 'two owners told',
        message: `of ${falsely.join()} two owners are told, which it never had`,
      });
    // Of a pool that something is in the way of nobody is asked: what was answered before says
    // nothing.
    if (decision.probes.length === 0) return;
    const hidden = saidTwice(world, this.#replaced).filter((stream) => !doubled.has(stream));
    if (hidden.length > 0)
      this.#report({
        oracle: 'two owners hidden',
        message: `two workers say that they run ${hidden.join()}, and nothing is told of it`,
      });
  }

  /** When all is well, nothing is counted as having no owner, or two. */
  amiss(): readonly string[] {
    const { unowned, doubled } = this.#last;
    return unowned + doubled.size === 0
      ? []
      : [`${unowned} streams are counted without owner, ${doubled.size} with two`];
  }
}

/**
 * By the answers of pods that are there; who is on its way out is asked no more, and what it said
 * is old.
 */
function saidTwice({ pods, answers }: PoolWorld, replaced: ReadonlySet<string>): readonly string[] {
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
