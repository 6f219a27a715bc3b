// Which stories failed when another operator became leader, or the leader froze?
import type { Regression } from './regression.ts';

export const leaderRegressions: readonly Regression[] = [
  {
    was: "a new leader gave a stream to another worker: its watch of pods had been silent while the leader before it told the stream's first worker",
    story: {
      seed: 2,
      shape: { mode: 'Exclusive', workers: 2, streams: 4 },
      hasStandby: true,
      actions: [
        { do: 'deletePod', index: 1, atMs: 0 },
        { do: 'restartOperator', atMs: 3_300 },
        { do: 'scale', to: 1, atMs: 4_300 },
      ],
      faults: [{ fault: 'F9', how: 'Pod', operator: 0, atMs: 190 }],
    },
  },
  {
    was: 'only a resync found the write of a frozen leader to a ConfigMap that the pool no longer names',
    story: {
      seed: 304_250_101,
      shape: { mode: 'Lead', workers: 1, streams: 3 },
      hasStandby: true,
      actions: [
        { do: 'spec', patch: { assignments: { shards: 2 } }, atMs: 623 },
        { do: 'restore', atMs: 7_711 },
      ],
      faults: [{ fault: 'F16', call: 3, side: 'before' }],
    },
  },
];
