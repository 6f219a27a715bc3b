// Mutants of editing a pool while its workers run, and of its status meanwhile.
import type { Mutant } from './mutant.ts';

const pool = 'src/pool';
const former = ['unit/pool/workers/former'];
const truth = ['unit/pool/status/truth'];
const changes = ['unit/pool/publish/changes'];

export const editMutants: readonly Mutant[] = [
  {
    file: `${pool}/workers/seats.ts`,
    find: 'const living = formerPods.filter(({ hasEnded }) => !hasEnded);',
    put: 'const living = formerPods.filter(() => false);',
    what: 'the operator forgets workers at once when the pool names another StatefulSet',
    tests: former,
  },
  {
    file: `${pool}/publish/handoff.ts`,
    find: 'return isFormer && hasAcknowledged && heldBy(worker, before, uncertainty).size === 0;',
    put: 'return isFormer && hasAcknowledged;',
    what: 'a worker of an earlier target is released although it still runs streams',
    tests: former,
  },
  {
    file: `${pool}/workers/workers.ts`,
    find: 'const keeping = new Set(desired.some(hasJoined) ? [] : keepers);',
    put: 'const keeping = new Set<Seat>();',
    what: 'earlier workers lose their streams before a new worker is Ready',
    tests: former,
  },
  {
    file: `${pool}/preconditions.ts`,
    find: 'world.predecessor?.isMutual === true && list.ok;',
    put: 'world.predecessor?.isMutual === true && !list.ok;',
    what: 'two pools that swap their targets wait for each other for ever',
    tests: former,
  },
  {
    file: `${pool}/preconditions.ts`,
    find: 'if (predecessor === undefined) return undefined;',
    put: 'if (predecessor === undefined || !predecessor.isMutual) return undefined;',
    what: 'a pool takes workers that still run the streams of another pool',
    tests: former,
  },
  {
    file: `${pool}/workers/workers.ts`,
    find: 'const isDone = worker.isDesired ? isSettled(worker, slice) : isEmptied(worker, slice);',
    put: 'const isDone = !worker.isDesired || isSettled(worker, slice);',
    what: 'a pool is Converged while removed workers still run streams',
    tests: truth,
  },
  {
    file: `${pool}/workers/workers.ts`,
    find: 'pod?.isReady === true && !pod.isTerminating && !pod.hasEnded;',
    put: 'pod?.isReady === true && !pod.hasEnded;',
    what: 'a worker whose pod is terminating counts as converged',
    tests: truth,
  },
  {
    file: `${pool}/status.ts`,
    find: '  return {\n    observedGeneration: meta.generation,\n    ...(version > 0',
    put: '  return {\n    ...status,\n    observedGeneration: meta.generation,\n    ...(version > 0',
    what: 'status keeps its old figures while the operator cannot decide',
    tests: truth,
  },
  {
    file: `${pool}/decide.ts`,
    find: '...untilWritten(world.published, desired) }',
    put: 'isPending: true }',
    what: 'status counts streams as assigned before they are published',
    tests: truth,
  },
  {
    file: `${pool}/status.ts`,
    find: 'paceInMs(pool.status, status, newsIn, ages.statusMs)',
    put: '0',
    what: 'the operator writes status for every single confirmation',
    tests: truth,
  },
  {
    file: `${pool}/publish/steps.ts`,
    find: 'earlier: unreportedChanges(status, published.changes).map(plainChange)',
    put: 'earlier: []',
    what: 'history loses changes that no status write has recorded yet',
    tests: truth,
  },
  {
    file: `${pool}/workers/size.ts`,
    find: 'if (!scalesTarget(spec, autoscaler)) return asTargetSays;',
    put: "if (spec.workers.scaling === 'Follow') return asTargetSays;",
    what: 'with an autoscaler on the target, streams are assigned to the size in the pool’s spec',
    tests: ['unit/pool/scaling'],
  },
  {
    file: `${pool}/publish/files.ts`,
    find: 'if (isByReplacement(spec)) return () => true;',
    put: 'if (wanted.length > 0) return () => true;',
    what: 'workers count as converged in a ConfigMap that they have not read',
    tests: changes,
  },
  {
    file: `${pool}/publish/config-map.ts`,
    find: 'textDigest(text) !== note.digest',
    put: 'textDigest(text) === note.digest',
    what: 'history records a manual edit as a change of the list',
    tests: changes,
  },
  {
    file: `${pool}/publish/steps.ts`,
    find: 'before === undefined || before === key ? {} : { [before]: null }',
    put: 'before === undefined || before !== key ? {} : { [before]: null }',
    what: 'the old key stays in the ConfigMap after assignments.key has changed',
    tests: changes,
  },
  {
    file: `${pool}/publish/checks.ts`,
    find: 'return isLetGo ? 0 : JOIN_CHANGES_MS - ages.publishedMs;',
    put: 'return isLetGo ? 0 : 0;',
    what: 'each of several quick changes gets a version of its own',
    tests: changes,
  },
  {
    file: `${pool}/publish/checks.ts`,
    find: 'return isLetGo ? 0 : JOIN_CHANGES_MS - ages.publishedMs;',
    put: 'return JOIN_CHANGES_MS - ages.publishedMs;',
    what: 'a released stream waits for other changes',
    tests: changes,
  },
  {
    file: `${pool}/status/events.ts`,
    find: "isNow('WriteRefused') &&",
    put: "isNow('WorkersOutstanding') &&",
    what: 'a refused write creates no event',
    tests: ['unit/pool/preconditions'],
  },
  {
    file: `${pool}/workers/availability.ts`,
    find: "handoff.type === 'Exclusive' ? pod === undefined : ",
    put: '',
    what: 'Exclusive gives up a worker that was never Ready although it has a pod',
    tests: ['unit/pool/workers/never-ready'],
  },
];
