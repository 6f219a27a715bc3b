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
  {
    file: 'src/queue/plain-jobs.ts',
    find: '{ parallelism }: BatchJob, { size }: LedgerEntry): boolean => parallelism > size;',
    put: '{ parallelism }: BatchJob, { size }: LedgerEntry): boolean => parallelism > size + 99;',
    what: 'a labelled batch Job that is scaled up while it runs exceeds the quota',
    tests: ['unit/queue/plain-jobs'],
  },
  {
    file: 'src/queue/plain-jobs.ts',
    find: 'refused !== undefined && now - Date.parse(time) > START_WITHIN_MS',
    put: 'false',
    what: 'a labelled batch Job whose start is always refused keeps its quota',
    tests: ['unit/queue/refused-starts'],
  },
  {
    file: 'src/job/attempt/start-time.ts',
    find: 'Math.max(now - latestMs(since), startingMs - WHOLE_SECOND_MS)',
    put: 'now - latestMs(since)',
    what: 'a corrected clock delays a start time-out',
    tests: ['unit/job/failures'],
  },
  {
    file: 'src/job/attempt/failure.ts',
    find: 'if (isTakenBack(batchJob) && batchJob.suspendedMs !== undefined) return false;',
    put: 'if (isTakenBack(batchJob)) return false;',
    what: 'a failure is lost when a leader that does not know of it takes the attempt back',
    tests: ['unit/job/failures', 'unit/job/hands', 'unit/job/stops'],
  },
  {
    file: 'src/pool/publish/publication.ts',
    find: 'recordsIn(allMoved, movedShards)',
    put: 'recordsIn(allMoved)',
    what: 'another file than that of its worker records why a stream moved',
    tests: ['unit/pool/publish/moved-records'],
  },
  {
    file: 'src/queue/ledger/entries.ts',
    find: '(!wantsToRun(job) && unseenMs >= SEEN_WITHIN_MS)',
    put: '!wantsToRun(job)',
    what: 'a job that is deleted before its pods are known gives its quota back',
    tests: ['unit/queue/unseen'],
  },
  {
    file: 'src/queue/observe/unseen.ts',
    find: '(isDeleting || !pod.isTerminating)',
    put: 'true',
    what: 'a pod in place of a terminating one is not expected when its job is deleted',
    tests: ['unit/queue/unseen'],
  },
  {
    file: 'src/job/stopped.ts',
    find: 'isAlive(facts) || notedInMs > 0',
    put: 'isAlive(facts)',
    what: 'a job that is suspended right after its start is Suspended before its last pod is made',
    tests: ['unit/job/noted'],
  },
  {
    file: 'src/job/desired-state.ts',
    find: 'BEGINS.has(desired.action) && !facts.isOfThisTerm',
    put: 'BEGINS.size === 0',
    what: 'a new leader starts a job by a ledger that an earlier one can still change',
    tests: ['unit/job/term'],
  },
];
