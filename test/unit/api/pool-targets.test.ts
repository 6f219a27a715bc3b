// Which targets does a pool select? By whole names and whole labels, within its own namespace.
import { describe, expect, it } from '@jest/globals';
import { isSelected } from '../../../src/api/pool-targets.ts';
import { soughtBy } from '../../../src/pool/observe/pools.ts';
import { world } from '../../support/pool-worlds.ts';

describe('a target is selected', () => {
  const [target] = world().targets;
  if (target === undefined) throw new Error('no target');
  const byName = { workers: { targetRef: { name: 'worker' } } };
  const byLabels = { workers: { selector: { matchLabels: { app: 'worker', tier: 'one' } } } };

  it.each([
    ['by its name', byName, {}, true],
    ['not by the beginning of its name', byName, { name: 'worker-batch' }, false],
    ['not by a name that begins with its own', byName, { name: 'work' }, false],
    ['not in another namespace', byName, { namespace: 'other' }, false],
    [
      'by all of its labels',
      byLabels,
      { labels: { app: 'worker', tier: 'one', more: 'than asked for' } },
      true,
    ],
    ['not by one of two labels', byLabels, { labels: { app: 'worker' } }, false],
    [
      'not by the beginning of a label',
      byLabels,
      { labels: { app: 'worker', tier: 'one-more' } },
      false,
    ],
  ])('a target is selected %s', (_, spec, change, want) => {
    const { pool } = world({ spec });
    expect(isSelected(soughtBy(pool), { ...target, ...change })).toBe(want);
  });
});
