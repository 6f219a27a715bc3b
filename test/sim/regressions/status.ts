// Which stories failed because status was not true, or waited without end?
import type { Regression } from './regression.ts';

export const statusRegressions: readonly Regression[] = [
  {
    was: 'the status of a paused pool forgot how far its version had been',
    story: {
      seed: 21,
      shape: { mode: 'Restart', workers: 1, streams: 1 },
      hasStandby: false,
      actions: [
        { do: 'spec', patch: { assignments: { key: 'other' } }, atMs: 2_711 },
        { do: 'pause', atMs: 2_812 },
        { do: 'restore', atMs: 7_893 },
        { do: 'resume', atMs: 8_500 },
      ],
      faults: [],
    },
  },
  {
    was: 'a pool was Reconciling and Stalled at the same time',
    story: {
      seed: 12_566,
      shape: { mode: 'AtLeastOnce', workers: 2, streams: 3 },
      hasStandby: false,
      actions: [
        {
          do: 'spec',
          patch: { streamsFrom: [{ configMapKeyRef: { name: 'more-streams', key: 'list' } }] },
          atMs: 0,
        },
        { do: 'list', text: 'a\na\n', atMs: 10 },
        { do: 'scale', to: 3, atMs: 20 },
        { do: 'restore', atMs: 6_000 },
      ],
      faults: [],
    },
  },
  {
    was: 'a worker shown as Releasing was counted as converged, and as not having confirmed what it had',
    story: {
      seed: 124_291,
      shape: { mode: 'Exclusive', workers: 2, streams: 4 },
      hasStandby: false,
      actions: [
        { do: 'streams', names: ['s0'], atMs: 100 },
        { do: 'quota', of: 'ConfigMap', forMs: 3_000, atMs: 120 },
        { do: 'restore', atMs: 5_000 },
      ],
      faults: [],
    },
  },
  {
    was: 'a pod of a Deployment that lost its slot together with the assignment was not counted: Converged while it still ran its streams',
    story: {
      seed: 700015900,
      shape: { mode: 'Deployment', workers: 3, streams: 1, isOrdered: false },
      hasStandby: false,
      actions: [{ do: 'scale', to: 0, atMs: 0 }],
      faults: [{ fault: 'F17', call: 1, side: 'after' }],
    },
  },
  {
    was: 'a status waited for the answer of a terminating worker that was no longer probed',
    story: {
      seed: 700021998,
      shape: {
        mode: 'LeadExclusive',
        workers: 1,
        streams: 8,
        isOrdered: true,
        hasFiniteJobs: false,
        isWide: true,
      },
      isWalk: true,
      hasStandby: false,
      startsEmpty: false,
      actions: [
        { do: 'rollTarget', target: 'StatefulSet/worker', revision: 'second', atMs: 3373 },
        { do: 'nodeDies', index: 0, forMs: 9871, atMs: 3205 },
        {
          do: 'rival',
          spec: {
            workers: { targetRef: { kind: 'StatefulSet', name: 'other' }, scaling: 'Lead' },
            streams: [{ name: 'r0' }, { name: 'r1' }],
          },
          atMs: 0,
        },
        {
          do: 'rival',
          spec: {
            workers: { targetRef: { kind: 'StatefulSet', name: 'other' } },
            handoff: { type: 'Exclusive' },
            streams: [{ name: 'r0' }, { name: 'r1' }],
          },
          atMs: 7245,
        },
        { do: 'streams', names: ['s1', 's2', 's3', 's4', 's5', 's6', 's7', 's8'], atMs: 1755 },
        { do: 'rival', atMs: 7554, mends: true },
        { do: 'createTarget', atMs: 7686, mends: true },
        { do: 'createPool', atMs: 7636, mends: true },
        { do: 'resume', atMs: 9211, mends: true },
        { do: 'restore', atMs: 9582, mends: true },
      ],
      faults: [],
    },
  },
  {
    was: 'the oracle took a pool to be at rest before a worker that reports streams of others had any to name',
    story: {
      seed: 800_000_440,
      shape: {
        ...{ mode: 'Weights', workers: 1, streams: 4, isOrdered: false },
        moveAfterSeconds: 60,
      },
      hasStandby: false,
      actions: [
        { do: 'scale', to: 5, atMs: 73_958 },
        { do: 'telling', index: 0, how: 'streams of others', atMs: 4_545 },
      ],
      faults: [],
    },
  },
];
