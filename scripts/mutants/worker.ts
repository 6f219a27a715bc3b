// Mutants of the worker.
import type { Mutant } from './mutant.ts';

const supervise = ['unit/worker/supervise'];
const fence = ['unit/worker/fence'];

export const workerMutants: readonly Mutant[] = [
  {
    file: 'src/worker/file/fence.ts',
    find: ' && assigned.digest === digestOf(slice)',
    put: '',
    what: 'the fence accepts any slice',
    tests: fence,
  },
  {
    file: 'src/worker/file/fence.ts',
    find: 'assigned?.uid === podUid && assigned.version',
    put: 'assigned?.version',
    what: 'the annotation of an earlier pod counts for its successor',
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
    what: 'a worker confirms before the removed streams have ended',
    tests: supervise,
  },
  {
    file: 'src/worker/decide/supervise.ts',
    find: '{ ...supervisor, draining: true }',
    put: 'supervisor',
    what: 'a worker starts new streams after SIGTERM',
    tests: supervise,
  },
  {
    file: 'src/worker/file/slice-file.ts',
    find: 'version < good.version',
    put: 'version < 0',
    what: 'a worker follows an older file after a newer one',
    tests: ['unit/worker/slice-file'],
  },
];
