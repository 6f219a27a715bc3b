// Is a decision that continues from the last one the same as a decision from nothing?
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Target } from '../../../src/api/observed.ts';
import { decidePool, desiredIn } from '../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import { confirmed, readBack } from '../../support/pool-decisions.ts';
import {
  type Action,
  action,
  after,
  fromNothing,
  listOf,
  NAMES,
} from '../../support/pool-histories.ts';
import { NOW, world } from '../../support/pool-worlds.ts';
import { tries } from '../../support/tries.ts';

/** All that is done, said and remembered. */
function outcomeOf(at: PoolWorld): object {
  const decision = decidePool(at, NOW);
  const { basis, remembered, ...rest } = decision;
  const { last: _, ...others } = remembered;
  const desired = desiredIn(decision);
  return {
    ...{ rest, remembered: others, blocked: basis.ok ? undefined : basis.blocked },
    assigned: desired?.assigned,
    streams: desired?.streams,
    moves: desired?.publication.moves,
  };
}

const plainly = (names: readonly string[]) => names.map((name) => ({ name }));

function startOf(type: string, kind: Target['kind']): PoolWorld {
  const start = world({
    streams: ['own'],
    workers: 3,
    mounts: ['tv-assignments-0', 'tv-assignments-1'],
    spec: {
      handoff: { type },
      assignments: { shards: 2 },
      workers: { selector: { matchLabels: { app: 'worker' } }, capacity: 100, kind },
    },
  });
  return {
    ...start,
    targets: start.targets.map((target) => ({ ...target, kind })),
    lists: [listOf(0, plainly(NAMES.slice(0, 5))), listOf(1, plainly(NAMES.slice(5, 8)))],
  };
}

/** `isSettling`: the pool comes to rest before the next action. */
function mustBeSame(
  start: PoolWorld,
  history: readonly (readonly [Action, isSettling: boolean])[],
): void {
  let at = start;
  for (const [it, isSettling] of history) {
    at = after(at, it);
    for (let turn = 0; turn < (isSettling ? 3 : 1); turn += 1) {
      expect(outcomeOf(at)).toEqual(outcomeOf(fromNothing(at)));
      at = confirmed(readBack(at, decidePool(at, NOW)));
    }
  }
}

describe('a decision that continues from the last one', () => {
  const heavy = (weight: number) => ({ name: 's0', weight });
  const told = (parameters: object) => ({ name: 's0', parameters });
  const more = plainly(['s8', 's9', 's10', 's11']);

  it.each<[string, readonly Action[]]>([
    [
      'a stream that kept its old weight has a new one when it fits again',
      [
        { do: 'list', list: 0, streams: [heavy(60)] },
        { do: 'list', list: 0, streams: [heavy(150)] },
        { do: 'capacity', capacity: 200 },
      ],
    ],
    [
      'another writer gives a stream of one file to a worker of the other, too',
      [
        { do: 'pause', is: true },
        { do: 'by hand', from: 0, to: 1, at: 0, isMoved: false },
      ],
    ],
    [
      'parameters change their order, or lose one with the name of a method',
      [
        { do: 'list', list: 0, streams: [told({ url: 'x', constructor: 'y' })] },
        { do: 'list', list: 0, streams: [told({ constructor: 'y', url: 'x' }), ...more] },
        { do: 'list', list: 0, streams: [told({ url: 'x' })] },
      ],
    ],
  ])('is the same as a decision from nothing when %s', (_, actions) => {
    for (const type of ['AtLeastOnce', 'Exclusive'])
      mustBeSame(startOf(type, 'StatefulSet'), [
        [{ do: 'pause', is: false }, true],
        ...actions.map((it) => [it, true] as const),
      ]);
  });

  it.each<[string, Target['kind']]>([
    ['AtLeastOnce', 'StatefulSet'],
    ['Exclusive', 'StatefulSet'],
    ['AtLeastOnce', 'Deployment'],
    ['Exclusive', 'Deployment'],
  ])('is the same as a decision from nothing, over any history (%s, %s)', (type, kind) => {
    const history = fc.array(fc.tuple(action, fc.boolean()), { minLength: 2, maxLength: 14 });
    fc.assert(
      fc.property(history, (actions) => mustBeSame(startOf(type, kind), actions)),
      { numRuns: tries(35) },
    );
  });
});
