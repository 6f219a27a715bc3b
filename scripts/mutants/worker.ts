// Mutants of the worker.
import type { Mutant } from './mutant.ts';

const supervise = ['unit/worker/supervise'];
const fence = ['unit/worker/fence'];
const tells = ['unit/worker/streams'];

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
    find: 'return state.proven && isAsked(job, state.job);',
    put: 'return isAsked(job, state.job);',
    what: 'a worker confirms before its streams have started',
    tests: supervise,
  },
  {
    file: 'src/worker/decide/stream.ts',
    find: 'isDeepStrictEqual({ ...it, ...asked }, it)',
    put: 'isDeepStrictEqual(asked, it)',
    what: 'a worker restarts a stream whose restart token was removed',
    tests: supervise,
  },
  {
    file: 'src/worker/decide/stream.ts',
    find: '(trouble?.restarts ?? 0) >= maxRestarts',
    put: '(trouble?.restarts ?? 0) > maxRestarts',
    what: 'a worker restarts a stream once too often before it gives up',
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
  {
    file: 'src/worker/decide/health.ts',
    find: '|| ranMs >= WELL_AFTER_MS',
    put: '|| ranMs >= 0',
    what: 'a stream counts as healthy as soon as it was restarted',
    tests: supervise,
  },
  {
    file: 'src/worker/decide/health.ts',
    find: '|| before?.isFailing === true',
    put: '',
    what: 'a stream that ends at long intervals no longer counts as failing, though it has not run for a minute',
    tests: supervise,
  },
  {
    file: 'src/worker/decide/told-message.ts',
    find: 'redacted(oneLine(redacted(plain, values)), values)',
    put: 'oneLine(plain)',
    what: 'a message shows the password in a parameter',
    tests: tells,
  },
  {
    file: 'src/worker/report/streams.ts',
    find: '.slice(0, MOST_REPORTED_STREAMS)',
    put: '',
    what: 'a worker reports any number of streams',
    tests: tells,
  },
];
