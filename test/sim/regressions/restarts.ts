// Which stories failed when a worker had to be restarted?
import type { Regression } from './regression.ts';

export const restartRegressions: readonly Regression[] = [
  {
    was: 'a budget refused the first eviction of a worker that did not follow: the operator never tried again',
    story: {
      seed: 7,
      shape: { mode: 'Auto', workers: 2, streams: 4, readsOnce: true },
      hasStandby: false,
      actions: [
        { do: 'quota', of: 'eviction', forMs: 8_000, atMs: 0 },
        { do: 'streams', names: ['s0', 's1', 's2', 's3', 's4'], atMs: 10 },
      ],
      faults: [],
    },
  },
];
