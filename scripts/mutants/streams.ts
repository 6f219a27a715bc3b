// Mutants of what a pool says of its streams, and of suspended ones.
import type { Mutant } from './mutant.ts';

const health = 'src/pool/status/stream-health.ts';
const told = ['unit/pool/status/stream-health'];
const suspended = ['unit/pool/publish/suspend'];

export const streamMutants: readonly Mutant[] = [
  {
    file: health,
    find: 'entries.filter(([name]) => isMine(name));',
    put: 'entries;',
    what: 'a worker is believed about streams of others',
    tests: told,
  },
  {
    file: health,
    find: 'Math.max(shown, Math.min(total, jobs.length));',
    put: 'Math.max(shown, total);',
    what: 'by its totals, a worker has more failing streams than streams',
    tests: told,
  },
  {
    file: 'src/pool/status/messages.ts',
    find: "known.set(report, { slice, message: shown[at] ?? '' });",
    put: "known.set(report, { slice, message: report.message ?? (shown[at] ?? '') });",
    what: 'status shows a password that a worker left in a message',
    tests: told,
  },
  {
    file: 'src/pool/status/steps.ts',
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
    what: 'a suspended stream loses its place',
    tests: suspended,
  },
];
