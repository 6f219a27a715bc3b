// Are there never two leaders, whatever freezes, hangs, fails or has a wrong clock?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { sleep } from '../../../src/runtime/clock.ts';
import type { VirtualClock } from '../../support/virtual-clock.ts';
import { type Candidate, leaderOf, setUp } from './candidates.ts';

const HOUR = 3_600_000;

type Action = {
  readonly who: number;
  readonly do: 'freeze' | 'thaw' | 'slow' | 'deaf' | 'answers lost' | 'refused' | 'fine' | 'pass';
  readonly ms: number;
};

/** The shortest time in which two could lead at once is a timer's step: this checks all of them. */
async function watchOver(
  clock: VirtualClock,
  ms: number,
  candidates: readonly Candidate[],
): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    await clock.advance(50);
    const leading = candidates.filter(({ isLeading }) => isLeading);
    if (leading.length > 1)
      throw new Error(
        `${leading.map(({ identity }) => identity).join(' and ')} lead at ${clock.monotonic()}`,
      );
  }
}

describe('any freezes, hangs, failures and wrong clocks', () => {
  const action: fc.Arbitrary<Action> = fc.record({
    who: fc.nat(2),
    do: fc.constantFrom(
      'freeze',
      'thaw',
      'slow',
      'deaf',
      'answers lost',
      'refused',
      'fine',
      'fine',
      'pass',
    ),
    ms: fc.constantFrom(0, 50, 450, 1_000, 1_950, 3_000, 6_000, 9_000),
  });

  it('there are never two leaders, terms alternate, and afterwards there is one', async () => {
    const property = fc.asyncProperty(
      fc.array(action, { maxLength: 25 }),
      fc.boolean(),
      async (actions, areThree) => {
        const { clock, candidates, leaders } = setUp(areThree ? [0, HOUR, -HOUR] : [HOUR, 0]);
        for (const candidate of candidates)
          candidate.stopping = () => sleep(candidate.process, 700);
        for (const it of actions) {
          const candidate = candidates[it.who];
          if (candidate === undefined) continue;
          if (it.do === 'freeze') candidate.process.freeze();
          else if (it.do === 'thaw') candidate.process.thaw();
          else if (it.do !== 'pass') candidate.network = it.do;
          await watchOver(clock, it.ms, candidates);
        }
        for (const candidate of candidates) {
          candidate.network = 'fine';
          candidate.process.thaw();
        }
        await watchOver(clock, 12_000, candidates);
        if (leaders().length !== 1) throw new Error(`leaders at the end: ${leaders().join()}`);
        for (const { terms, identity, mistakes } of candidates) {
          if (mistakes.length > 0) throw new Error(mistakes.join());
          const isWrong = terms.some(
            (term, index) => (term.what === 'started') !== (index % 2 === 0),
          );
          if (isWrong) throw new Error(`${identity}: ${JSON.stringify(terms)}`);
        }
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it('a slow read does not make a renewal seem older than it is', async () => {
    const { clock, candidates } = setUp([0, 0]);
    const { leader, other } = await leaderOf(clock, candidates);
    await clock.advance(10_000);
    const renewed = (): boolean => leader.api.calls.length > renewals;
    let renewals = leader.api.calls.length;
    await clock.until('the leader renews', renewed, 5_000, 10);
    // Sent now, it reaches the server only after the leader's next renewal, which is its last.
    const arrive = Promise.withResolvers<void>();
    other.api.faults = { before: () => arrive.promise };
    renewals = leader.api.calls.length;
    await clock.until('the leader renews', renewed, 5_000, 10);
    leader.network = 'deaf';
    arrive.resolve();
    other.api.faults = {};
    await watchOver(clock, 12_000, candidates);
    const [, stopped] = leader.terms;
    const [started] = other.terms;
    expect((started?.at ?? 0) - (stopped?.at ?? 0)).toBeGreaterThanOrEqual(1_950);
  });
});
