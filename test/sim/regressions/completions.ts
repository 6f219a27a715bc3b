// Which stories failed when completed streams were recorded, or run again?
import type { Regression } from './regression.ts';

export const completionRegressions: readonly Regression[] = [
  {
    was: 'a user asked for a completed stream again: the oracle wanted its record gone from one ConfigMap before the stream was written into another',
    story: {
      seed: 700_001_364,
      shape: { mode: 'Shards', workers: 2, streams: 9, isOrdered: true, isOnce: true },
      hasStandby: false,
      actions: [
        { do: 'finish', stream: 's1', atMs: 600 },
        { do: 'restart', stream: 's1', token: 'again', atMs: 5_500 },
      ],
      faults: [],
    },
  },
  {
    was: 'a pool came back to one ConfigMap from two: the oracle missed the record when the two were marked as left, and the one was not written yet',
    story: {
      seed: 700_001_663,
      shape: { mode: 'Deployment', workers: 4, streams: 9, isOnce: true, isWide: true },
      hasStandby: false,
      actions: [
        { do: 'spec', patch: { assignments: { shards: 2 } }, atMs: 500 },
        { do: 'finish', stream: 's6', atMs: 2_500 },
        { do: 'restore', atMs: 8_500 },
      ],
      faults: [],
    },
  },
  {
    was: 'a completed stream left its worker in one ConfigMap before its record was written into another: a crash between the two would have forgotten it',
    story: {
      seed: 700_001_365,
      shape: { mode: 'Shards', workers: 2, streams: 9, isOrdered: true, isOnce: true },
      hasStandby: false,
      actions: [{ do: 'finish', stream: 's1', atMs: 70_100 }],
      faults: [],
    },
  },
];
