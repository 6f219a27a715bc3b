// Do tests notice when a job ends too early or too late, or does not say why?
import type { Mutant } from './mutant.ts';

const ends = ['unit/core/batch-ends'];

export const jobMutants: readonly Mutant[] = [
  {
    file: 'src/core/batch-ends.ts',
    find: '  if (pods.some(({ hasEnded }) => !hasEnded)) return false;\n',
    put: '',
    what: 'a job is over while one of its pods still runs',
    tests: ends,
  },
  {
    file: 'src/core/batch-ends.ts',
    find: 'pod.hasSucceeded && !pod.isTerminating',
    put: 'pod.hasSucceeded',
    what: 'a job is over by a pod that Kubernetes does not count',
    tests: ends,
  },
  {
    file: 'src/job/desired-state.ts',
    find: "if ((runsUnder(facts, entry) || wasTakenBack(facts)) && isCutShort(facts)) return 'Disrupted';",
    put: '',
    what: 'a gang goes on without a rank that was deleted',
    tests: ['unit/job/cut-short'],
  },
  {
    file: 'src/job/ended.ts',
    find: 'if (!isTakenBack(batchJob)) return',
    put: 'return',
    what: 'a suspended job whose ranks take the signal well has succeeded',
    tests: ['unit/job/stops'],
  },
  {
    file: 'src/job/stopped.ts',
    find: 'const facts = ownPods(world);',
    put: 'const facts = world;',
    what: 'a job made again is suspended for pods of the deleted one',
    tests: ['unit/job/stops'],
  },
  {
    file: 'src/job/attempt/ranks.ts',
    find: 'missesPods(world) ? world.podRefusal : undefined',
    put: 'undefined',
    what: 'a job does not say that its pods are refused',
    tests: ['unit/job/refused-pods'],
  },
  {
    file: 'src/queue/plain-jobs.ts',
    find: '    if (job.waits === waits) continue;\n',
    put: '',
    what: 'the reason of each waiting batch Job is written in every pass',
    tests: ['unit/queue/plain-jobs'],
  },
];
