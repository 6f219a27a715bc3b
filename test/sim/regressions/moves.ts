// Which stories failed because a stream that fails at one worker moved to another one?
import type { Regression } from './regression.ts';

export const moveRegressions: readonly Regression[] = [
  {
    was: 'the oracle forgot a move once a user had edited the publication, and wanted the next one too soon',
    story: {
      seed: 700_000_137,
      shape: {
        ...{ mode: 'Exclusive', workers: 3, streams: 6, isOrdered: false },
        moveAfterSeconds: 60,
      },
      hasStandby: false,
      actions: [
        { do: 'breakAt', index: 2, streams: ['s4', 's5'], atMs: 3_127 },
        { do: 'scale', to: 3, atMs: 69_591 },
      ],
      faults: [{ fault: 'F17', call: 10, side: 'after' }],
    },
  },
  {
    was: 'the oracle saw no move where one shard said where a stream went and another one, later, why',
    story: {
      seed: 700_002_710,
      shape: {
        ...{ mode: 'Shards', workers: 3, streams: 6, isOrdered: false },
        moveAfterSeconds: 60,
      },
      hasStandby: false,
      actions: [
        { do: 'ail', stream: 's5', atMs: 5_646 },
        { do: 'deletePod', index: 0, atMs: 8_389 },
      ],
      faults: [],
    },
  },
  {
    was: 'the same, where the oracle looked between the writes of two shards',
    story: {
      seed: 700_000_452,
      shape: {
        ...{ mode: 'Shards', workers: 3, streams: 6, isOrdered: true },
        moveAfterSeconds: 60,
      },
      hasStandby: false,
      actions: [
        { do: 'ail', stream: 's5', atMs: 3_296 },
        { do: 'scale', to: 0, atMs: 0 },
        { do: 'scale', to: 3, atMs: 4_449 },
      ],
      faults: [{ fault: 'F14', call: 14, side: 'before' }],
    },
  },
  {
    was: 'the oracle counted too few writes for a move between workers that read their file once',
    story: {
      seed: 700_000_742,
      shape: {
        ...{ mode: 'Auto', workers: 2, streams: 6, isOrdered: false, readsOnce: true },
        moveAfterSeconds: 60,
      },
      hasStandby: false,
      actions: [
        { do: 'breakAt', index: 0, streams: ['s0', 's1', 's2', 's3', 's4', 's5'], atMs: 500 },
      ],
      faults: [],
    },
  },
  {
    was: 'the oracle expected no move from a worker that reports false data besides its own failing stream',
    story: {
      seed: 800_000_440,
      shape: {
        ...{ mode: 'Weights', workers: 1, streams: 1, isOrdered: false },
        moveAfterSeconds: 60,
      },
      hasStandby: false,
      actions: [
        { do: 'breakAt', index: 0, streams: ['s0'], atMs: 2_537 },
        { do: 'scale', to: 5, atMs: 73_958 },
        { do: 'telling', index: 0, how: 'streams of others', atMs: 4_545 },
      ],
      faults: [],
    },
  },
  {
    was: 'the oracle took a pool as at rest between the two writes of two ConfigMaps that move a failing stream',
    story: {
      seed: 810_000_163,
      shape: { mode: 'Shards', workers: 3, streams: 7, isOrdered: false, moveAfterSeconds: 60 },
      hasStandby: false,
      startsEmpty: true,
      actions: [
        { do: 'ail', stream: 's1', atMs: 1_259 },
        { do: 'telling', index: 1, how: 'too much', atMs: 3_495 },
        { do: 'createTarget', atMs: 0 },
        { do: 'createPool', atMs: 296 },
      ],
      faults: [],
    },
  },
  {
    was: 'the oracle took a suspended stream as one that left its worker, and counted its move in two shards twice',
    story: {
      seed: 311_297,
      shape: { mode: 'Shards', workers: 2, streams: 2, isOrdered: false, moveAfterSeconds: 60 },
      hasStandby: false,
      actions: [
        { do: 'ail', stream: 's1', atMs: 1_343 },
        { do: 'suspend', stream: 's1', isSuspended: true, atMs: 3_964 },
        { do: 'suspend', stream: 's1', isSuspended: false, atMs: 5_070 },
      ],
      faults: [],
    },
  },
];
