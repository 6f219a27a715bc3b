// Is a pool with too many streams, or too long parameters, stalled while its last publication stays
// in force?
import { describe, expect, it } from '@jest/globals';
import { MOST_STREAMS } from '../../../src/api/bounds.ts';
import { readStreamList } from '../../../src/api/stream-list.ts';
import { decidePool } from '../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import { carriedOut, settled } from '../../support/pool-decisions.ts';
import { conditionOf, jobsOf, NOW, stepsOf, world } from '../../support/pool-worlds.ts';

const withLists = (at: PoolWorld, ...texts: readonly string[]): PoolWorld => ({
  ...at,
  lists: texts.map((text, index) => ({
    source: `list-${index}/key`,
    read: readStreamList(text, `list-${index}/key`),
  })),
});
const names = (count: number, prefix: string): string =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`).join('\n');

describe('too many streams', () => {
  it.each<[string, readonly string[], string]>([
    ['in one list', [names(MOST_STREAMS + 1, '')], `more than ${MOST_STREAMS} streams`],
    ['in several lists together', [names(60_000, 'a'), names(60_000, 'b')], '120004 streams'],
    [
      'with all of their parameters',
      Array.from({ length: 17 }, (_, list) =>
        Array.from(
          { length: 1_000 },
          (_unused, index) => `- {name: ${list}-${index}, parameters: {k: ${'x'.repeat(980)}}}`,
        ).join('\n'),
      ),
      'written out, the streams and their parameters have',
    ],
  ])('too many streams %s stall the pool', (_, texts, message) => {
    const rest = settled(world());
    const at = withLists(rest, ...texts);
    const decision = decidePool(at, NOW);
    const next = carriedOut(at, decision);
    expect(conditionOf(next, 'Stalled')).toMatchObject({
      reason: 'TooManyStreams',
      message: expect.stringContaining(message),
    });
    expect(conditionOf(next, 'Stalled')?.message).toContain('stays in force');
    expect(stepsOf(decision)).toEqual(['status', 'event']);
    expect(jobsOf(next)).toEqual(jobsOf(rest));
  });

  it('as many streams as a pool may have do not stall it', () => {
    const at = withLists(world({ streams: [] }), names(MOST_STREAMS, 's'));
    expect(conditionOf(carriedOut(at, decidePool(at, NOW)), 'Stalled')?.reason).not.toBe(
      'TooManyStreams',
    );
  });
});

it('a duplicate name in lists is reported by its places alone', () => {
  const at = withLists(world({ streams: ['hunter3'] }), 'a\nhunter2\n', 'hunter2\nhunter3\n');
  const next = carriedOut(at, decidePool(at, NOW));
  expect(conditionOf(next, 'Stalled')?.message).toBe(
    'list-1/key line 1: the same name as list-0/key line 2; list-1/key line 2: the same name as spec.streams[0]',
  );
});
