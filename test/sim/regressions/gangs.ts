// Which stories about gangs failed that start together, or have a leader?
import { jobSpec } from '../queue/manifests.ts';
import type { Regression } from './regression.ts';

const startsTogether = jobSpec('q0', 3, '1', { forMs: 800 }, { launcher: { start: 'Together' } });
const led = jobSpec('q0', 3, '1', { forMs: 900, endsInMs: 300 }, { launcher: { type: 'Leader' } });

export const gangRegressions: readonly Regression[] = [
  {
    was: 'a new leader that read an earlier state counted a job as suspended while it ran',
    story: {
      seed: 3,
      queues: { q0: { quota: { pods: '3', cpu: '3' }, strategy: 'BestEffort' } },
      hasStandby: false,
      actions: [{ do: 'createJob', name: 'j0', spec: startsTogether, atMs: 0 }],
      faults: [{ fault: 'F5', call: 15, side: 'before' }],
    },
  },
  {
    was: 'a job failed whose leader had ended well, since a rank was evicted just before',
    story: {
      seed: 3,
      queues: { q0: { quota: { pods: '3', cpu: '3' }, strategy: 'BestEffort' } },
      hasStandby: false,
      actions: [
        { do: 'createJob', name: 'j0', spec: led, atMs: 0 },
        { do: 'pod', name: 'j0', rank: 1, how: 'evict', atMs: 1_273 },
      ],
      faults: [],
    },
  },
  {
    was: 'addresses were written to a gang of which a rank had ended while the watches were broken',
    story: {
      seed: 6,
      queues: { q0: { quota: { pods: '3', cpu: '3' }, strategy: 'StrictFIFO' } },
      hasStandby: false,
      actions: [
        { do: 'createJob', name: 'j0', spec: led, atMs: 0 },
        { do: 'pod', name: 'j0', rank: 1, how: 'evict', atMs: 2_261 },
      ],
      faults: [{ fault: 'F19', call: 11, side: 'before' }],
    },
  },
];
