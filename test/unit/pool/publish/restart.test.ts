// Does the annotation restart just the streams that it names, once, and move nothing?
import { describe, expect, it } from '@jest/globals';
import { decidePool } from '../../../../src/pool/decide.ts';
import {
  ANNOTATION_RESTART,
  readRestarts,
  restartText,
} from '../../../../src/pool/streams/restarts.ts';
import type { PoolWorld } from '../../../../src/pool/world.ts';
import { settled } from '../../../support/pool-decisions.ts';
import {
  conditionOf,
  jobsOf,
  NOW,
  scaled,
  slicesOf,
  versionOf,
  withSpec,
  withStreams,
  world,
} from '../../../support/pool-worlds.ts';

const restarting = (at: PoolWorld, text: string | undefined): PoolWorld => {
  const annotations: Readonly<Record<string, string>> =
    text === undefined ? {} : { [ANNOTATION_RESTART]: text };
  return { ...at, pool: { ...at.pool, meta: { ...at.pool.meta, annotations } } };
};
const tokensOf = (at: PoolWorld): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    [...slicesOf(at)].flatMap(([worker, { restarts }]) =>
      restarts === undefined ? [] : [[worker, restarts]],
    ),
  );

const four = ['s0', 's1', 's2', 's3'];

describe('a restart of one stream', () => {
  const before = settled(world({ streams: four }));
  const after = settled(restarting(before, 's1 t1'));

  it('a restart is a new version of its worker’s entry alone, and moves nothing', () => {
    expect(tokensOf(after)).toEqual({ 'worker-0': { s1: 't1' } });
    expect(jobsOf(after)).toEqual(jobsOf(before));
    expect(versionOf(after)).toBe(2);
    expect([...slicesOf(after).values()].map(({ version }) => version)).toEqual([2, 1]);
    expect(after.published.change).toMatchObject({ moves: 0, reason: 'StreamRestarted' });
    expect(conditionOf(after, 'Ready')?.status).toBe('True');
    expect(conditionOf(after, 'Stalled')?.reason).toBe('Working');
  });

  it('a restart is published once: at rest nothing is written', () => {
    expect(decidePool(after, NOW).steps).toEqual([]);
  });

  it('a restart happens once: without the annotation, and with it again, nothing changes', () => {
    const without = restarting(after, undefined);
    expect(decidePool(without, NOW).steps).toEqual([]);
    expect(versionOf(settled(restarting(without, 's1 t1')))).toBe(2);
  });

  it('a restart happens again with another token', () => {
    expect(tokensOf(settled(restarting(after, 's1 t2')))).toEqual({ 'worker-0': { s1: 't2' } });
  });

  it('a restart leaves the tokens of other streams as they are', () => {
    const both = settled(restarting(after, 's0 t2\ns2 t2'));
    expect(tokensOf(both)).toEqual({
      'worker-0': { s0: 't2', s1: 't1' },
      'worker-1': { s2: 't2' },
    });
  });

  it('a restart token goes with its stream to another worker while the annotation exists', () => {
    const one = settled(scaled(after, 1));
    expect(tokensOf(settled(scaled(one, 2)))['worker-1']).toBeUndefined();
    const pinned = four.map((name) => (name === 's1' ? { name, ordinal: 1 } : { name }));
    expect(tokensOf(settled(withStreams(after, pinned)))).toEqual({ 'worker-1': { s1: 't1' } });
  });

  it('a restart is not the reason of a change that also adds a stream', () => {
    const more = restarting(withStreams(before, [...four, 's4']), 's1 t1');
    expect(settled(more).published.change?.reason).toBe('StreamsChanged');
  });

  it('a restart waits while the pool is paused', () => {
    const paused = settled(withSpec(restarting(before, 's1 t1'), { paused: true }));
    expect(versionOf(paused)).toBe(1);
    expect(tokensOf(settled(withSpec(paused, { paused: false })))).toEqual({
      'worker-0': { s1: 't1' },
    });
  });

  it('a worker keeps at most a hundred restart tokens', () => {
    const names = Array.from({ length: 150 }, (_, index) => `s${index}`);
    const lines = names.map((name) => `${name} t`);
    const first = settled(
      restarting(settled(world({ streams: names, workers: 1 })), lines.slice(0, 100).join('\n')),
    );
    const then = settled(restarting(first, lines.slice(100).join('\n')));
    const tokens = slicesOf(then).get('worker-0')?.restarts ?? {};
    expect(Object.keys(tokens)).toHaveLength(100);
    expect(tokens).toMatchObject({ s149: 't' });
  });
});

describe('a restart that is impossible', () => {
  const two = [{ name: 'a' }, { name: 'b', suspend: true }, { name: 'c', ordinal: 9 }];
  const before = settled(world({ streams: two }));

  it.each([
    ['nobody t1', '"nobody" is not in the list'],
    ['b t1', '"b" is suspended'],
    ['c t1', '"c" has no worker'],
    ['a', 'line 1 is not a name and a token'],
    [`a ${'t'.repeat(65)}`, 'line 1 is not a name and a token'],
    [Array.from({ length: 101 }, () => 'a t1').join('\n'), 'more than 100 lines'],
    ['x t\ny t\nz t\nw t', '"x", "y", "z" and 1 more are not in the list'],
  ])('a restart that is impossible is ignored and reported (case %#)', (text, why) => {
    const at = settled(restarting(before, text));
    expect(conditionOf(at, 'Stalled')).toMatchObject({
      status: 'False',
      reason: 'AnnotationIgnored',
      message: expect.stringContaining(why),
    });
    expect(decidePool(at, NOW).steps).toEqual([]);
  });
});

describe('the restart annotation', () => {
  it('the restart annotation names streams of any name', () => {
    const tokens = new Map([
      ['two words', 't1'],
      ['a=b', 't2'],
      ['# c', 't3'],
    ]);
    expect(readRestarts(restartText(tokens))).toEqual({ tokens, problem: undefined });
    expect(readRestarts('\n  a \t t1  \r\n\nb t2\n').tokens).toEqual(
      new Map([
        ['a', 't1'],
        ['b', 't2'],
      ]),
    );
  });
});

it('maxRestarts is published to the workers only when it is set', () => {
  const before = settled(world({ streams: four }));
  expect([...slicesOf(before).values()].every(({ policy }) => policy === undefined)).toBe(true);
  const after = settled(withSpec(before, { streamPolicy: { maxRestarts: 20 } }));
  expect([...slicesOf(after).values()].map(({ policy }) => policy)).toEqual([
    { maxRestarts: 20 },
    { maxRestarts: 20 },
  ]);
  expect(after.published.change).toMatchObject({ moves: 0, reason: 'StreamsChanged' });
  expect(decidePool(after, NOW).steps).toEqual([]);
});
