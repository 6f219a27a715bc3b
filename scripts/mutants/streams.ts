// Mutants of the health of streams in status, suspended streams, and streams with a typo.
import type { Mutant } from './mutant.ts';

const health = 'src/pool/status/stream-health.ts';
const told = ['unit/pool/status/stream-health'];
const suspended = ['unit/pool/publish/suspend'];
const kept = ['unit/pool/assign/keep', 'unit/pool/kept'];

export const streamMutants: readonly Mutant[] = [
  {
    file: health,
    find: 'entries.filter(([name]) => isMine(name));',
    put: 'entries;',
    what: 'the operator believes what a worker reports about streams of other workers',
    tests: told,
  },
  {
    file: health,
    find: 'Math.max(shown, Math.min(total, jobs.length));',
    put: 'Math.max(shown, total);',
    what: "a worker's totals may count more failing streams than it has streams",
    tests: told,
  },
  {
    file: 'src/pool/status/stream-health.ts',
    find: "known.set(report, { slice, message: shown[at] ?? '' });",
    put: "known.set(report, { slice, message: report.message ?? (shown[at] ?? '') });",
    what: 'status shows a password that a worker left in a message',
    tests: told,
  },
  {
    file: 'src/pool/status.ts',
    find: '!isSameJson(pool.status, withNotedFigures(pool.status, status));',
    put: '!isSameJson(pool.status, status);',
    what: 'each restart of a failing stream costs a write of status',
    tests: told,
  },
  {
    file: 'src/pool/desired-state.ts',
    find: 'if (idle.size === 0) return { running: jobs,',
    put: 'if (idle.size >= 0) return { running: jobs,',
    what: 'a suspended stream stays among the jobs of its worker',
    tests: suspended,
  },
  {
    file: 'src/api/assignment.ts',
    find: 'suspended === undefined ? jobs : [...jobs, ...suspended];',
    put: 'jobs;',
    what: 'a suspended stream loses its worker',
    tests: suspended,
  },
  {
    file: 'src/pool/assign/keep.ts',
    find: 'if (worse.length === 0 && !isDelayed) return',
    put: 'if (!isDelayed) return',
    what: 'another stream moves because one with a typo keeps its worker',
    tests: kept,
  },
  {
    file: 'src/pool/desired-state.ts',
    find: 'streams: withKeptWeights(open.streams, assigned.kept)',
    put: 'streams: open.streams',
    what: 'the weight that a stream with a typo had is forgotten with the next publication',
    tests: kept,
  },
  {
    file: 'src/pool/workers/before.ts',
    find: 'return here.has(name) ? ',
    put: 'return true ? ',
    what: 'a stream with a typo that lost its worker is assigned again before that worker has stopped it',
    tests: kept,
  },
];
