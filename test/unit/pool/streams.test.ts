import { describe, expect, it } from '@jest/globals';
import { readStreamList } from '../../../src/api/stream-list.ts';
import { decidePool } from '../../../src/pool/decide.ts';
import type { PoolWorld } from '../../../src/pool/world.ts';
import { carriedOut, settled } from '../../support/pool-decisions.ts';
import { conditionOf, jobsOf, NOW, scaled, world } from '../../support/pool-worlds.ts';

const from = { streamsFrom: [{ configMapKeyRef: { name: 'lineup', key: 'streams.txt' } }] };

function withList(
  text: string | undefined,
  at: PoolWorld = world({ streams: ['first'], workers: 2, spec: from }),
): PoolWorld {
  const source = 'lineup/streams.txt';
  return {
    ...at,
    lists: [{ source, read: text === undefined ? undefined : readStreamList(text, source) }],
  };
}

const once = (at: PoolWorld): PoolWorld => carriedOut(at, decidePool(at, NOW));

describe('streams from a ConfigMap', () => {
  it('streams from a ConfigMap are appended to those of the spec', () => {
    expect(Object.values(jobsOf(settled(withList('a\nb\nc=20\n')))).flat()).toEqual(
      expect.arrayContaining(['first', 'a', 'b', 'c']),
    );
  });

  it('a pool waits for streams from a missing ConfigMap, and is not Stalled', () => {
    const at = once(withList(undefined));
    expect(conditionOf(at, 'Ready')).toMatchObject({
      reason: 'StreamsNotFound',
      message: 'spec.streamsFrom: there is no ConfigMap key lineup/streams.txt yet',
    });
    expect(conditionOf(at, 'Stalled')?.status).toBe('False');
    expect(jobsOf(at)).toEqual({});
  });

  it('a name that is also in the spec is refused with both places', () => {
    expect(conditionOf(once(withList('a\nfirst\n')), 'Stalled')).toMatchObject({
      reason: 'InvalidStreams',
      message: 'lineup/streams.txt line 2: the same name as spec.streams[0]',
    });
  });

  it('a parameter name that is not allowed is refused with its place, and is not shown', () => {
    expect(
      conditionOf(once(withList('- a\n- name: b\n  parameters: { "hunter2 ": x }\n')), 'Stalled'),
    ).toMatchObject({
      reason: 'InvalidStreams',
      message:
        "lineup/streams.txt line 2.parameters: a name is not allowed; allowed are 1 to 253 letters, digits, '-', '_' and '.'",
    });
  });

  it.each([
    ['broken', 'a\nb=x\n', 'True', 'InvalidStreams'],
    ['gone', undefined, 'False', 'StreamsNotFound'],
  ])(
    'a list that is %s leaves what is published in force, also when workers come and go',
    (_, text, stalled, reason) => {
      const before = settled(withList('a\nb\nc=20\n'));
      const at = settled(withList(text, before));
      expect(jobsOf(at)).toEqual(jobsOf(before));
      expect(conditionOf(at, 'Stalled')?.status).toBe(stalled);
      expect(conditionOf(at, 'Ready')).toMatchObject({
        status: 'False',
        reason,
        message: expect.stringContaining('stays in force'),
      });
      const fewer = settled(scaled(at, 1));
      expect([...(jobsOf(fewer)['worker-0'] ?? [])].sort()).toEqual(['a', 'b', 'c', 'first']);
      const mended = settled(withList('a\nb\n', fewer));
      expect([...(jobsOf(mended)['worker-0'] ?? [])].sort()).toEqual(['a', 'b', 'first']);
      expect(conditionOf(mended, 'Ready')?.status).toBe('True');
    },
  );

  it('a list that is broken moves no pinned stream', () => {
    const pinned = ['p', 'q', 'r', 's'].map((name) => ({ name, ordinal: 0 }));
    const before = settled(withList('a\n', world({ streams: pinned, workers: 2, spec: from })));
    expect(jobsOf(before)['worker-0']).toEqual(['p', 'q', 'r', 's']);
    expect(jobsOf(settled(withList('a=x\n', before)))).toEqual(jobsOf(before));
  });
});
