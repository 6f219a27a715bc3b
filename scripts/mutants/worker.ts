// Mutants of what runs in pods.
import type { Mutant } from './mutant.ts';

const supervise = ['unit/worker/supervise'];
const fence = ['unit/worker/fence'];

export const workerMutants: readonly Mutant[] = [
  {
    file: 'src/worker/file/fence.ts',
    find: ' && assigned.digest === digestOf(slice)',
    put: '',
    what: 'a slice is vouched for whatever it says',
    tests: fence,
  },
  {
    file: 'src/worker/file/fence.ts',
    find: 'assigned?.uid === podUid && assigned.version',
    put: 'assigned?.version',
    what: 'what was told to the pod before counts for its successor',
    tests: fence,
  },
  {
    file: 'src/worker/decide/stream.ts',
    find: 'return state.proven && isSameJob(state.job, job);',
    put: 'return isSameJob(state.job, job);',
    what: 'a worker confirms before its streams have started',
    tests: supervise,
  },
  {
    file: 'src/worker/decide/supervise.ts',
    find: ' || supervisor.streams.size !== jobs.size',
    put: '',
    what: 'a worker confirms before what was taken away has ended',
    tests: supervise,
  },
  {
    file: 'src/worker/decide/supervise.ts',
    find: '{ ...supervisor, draining: true }',
    put: 'supervisor',
    what: 'asked to go, a worker starts what it is given next',
    tests: supervise,
  },
  {
    file: 'src/worker/file/slice-file.ts',
    find: 'version < good.version',
    put: 'version < 0',
    what: 'an older file is followed after a newer one',
    tests: ['unit/worker/slice-file'],
  },
];
