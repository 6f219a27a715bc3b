// Mutants of what becomes of a pool that is edited under its workers, and of what status says
// meanwhile.
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
    what: 'workers of a StatefulSet that the pool names no more are forgotten at once',
    tests: former,
  },
  {
    file: `${pool}/publish/handoff.ts`,
    find: 'return isFormer && isConfirmed && heldBy(worker, before, doubts).size === 0;',
    put: 'return isFormer && isConfirmed;',
    what: 'an earlier worker is let go although it still runs streams',
    tests: former,
  },
  {
    file: `${pool}/workers/workers.ts`,
    find: 'const keeping = new Set(desired.some(hasJoined) ? [] : keepers);',
    put: 'const keeping = new Set<Seat>();',
    what: 'streams are taken from earlier workers before one of the new ones is Ready',
    tests: former,
  },
  {
    file: `${pool}/preconditions.ts`,
    find: 'predecessor?.isMutual === true && list.ok;',
    put: 'predecessor?.isMutual === true && !list.ok;',
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
    file: `${pool}/refresh/convergence.ts`,
    find: 'const isDone = worker.isDesired ? isSettled(worker, slice) : isEmptied(worker, slice);',
    put: 'const isDone = !worker.isDesired || isSettled(worker, slice);',
    what: 'a pool is Converged while workers that go still run streams',
    tests: truth,
  },
  {
    file: `${pool}/refresh/convergence.ts`,
    find: 'pod?.isReady === true && !pod.isTerminating && !pod.hasEnded;',
    put: 'pod?.isReady === true && !pod.hasEnded;',
    what: 'a worker whose pod is ending counts as converged',
    tests: truth,
  },
  {
    file: `${pool}/status.ts`,
    find: '  return {\n    observedGeneration: meta.generation,\n    ...(version > 0',
    put: '  return {\n    ...status,\n    observedGeneration: meta.generation,\n    ...(version > 0',
    what: 'figures of the last good status stand while nothing can be decided',
    tests: truth,
  },
  {
    file: `${pool}/desired-state.ts`,
    find: '...asPublished(published, desired, desired.assigned, true) });',
    put: 'isPending: true });',
    what: 'streams count as assigned before that is published',
    tests: truth,
  },
  {
    file: `${pool}/status/pace.ts`,
    find: 'isOnlyProgress(pool.status, status) ? PACE_MS - ages.statusMs : 0',
    put: '0',
    what: 'every bit of progress is a status write',
    tests: truth,
  },
  {
    file: `${pool}/publish/change.ts`,
    find: 'earlier: unreportedChanges(status, published.changes).map(plainChange)',
    put: 'earlier: []',
    what: 'changes that no status has told yet are lost from history',
    tests: truth,
  },
  {
    file: `${pool}/workers/seats.ts`,
    find: 'const isLeading = scalesTarget(spec, autoscaler); const sizes',
    put: "const isLeading = spec.workers.scaling === 'Lead'; const sizes",
    what: 'beside an autoscaler, streams are dealt over the size that the pool would have',
    tests: ['unit/pool/scaling'],
  },
  {
    file: `${pool}/publish/places.ts`,
    find: 'if (isByReplacement(input.checked.spec)) return () => true;',
    put: 'if (shards.length > 0) return () => true;',
    what: 'workers count as converged in a ConfigMap that they have not read',
    tests: changes,
  },
  {
    file: `${pool}/publish/notes.ts`,
    find: 'textDigest(text) !== note.digest',
    put: 'textDigest(text) === note.digest',
    what: 'an edit by hand passes for a change of the list',
    tests: changes,
  },
  {
    file: `${pool}/publish/change.ts`,
    find: 'before === undefined || before === key ? {} : { [before]: null }',
    put: 'before === undefined || before !== key ? {} : { [before]: null }',
    what: 'an abandoned key stays in the ConfigMap',
    tests: changes,
  },
  {
    file: `${pool}/publish/pace.ts`,
    find: 'return isLetGo ? 0 : JOIN_CHANGES_MS - ages.publishedMs;',
    put: 'return isLetGo ? 0 : 0;',
    what: 'changes that come fast are a version each',
    tests: changes,
  },
  {
    file: `${pool}/publish/pace.ts`,
    find: 'return isLetGo ? 0 : JOIN_CHANGES_MS - ages.publishedMs;',
    put: 'return JOIN_CHANGES_MS - ages.publishedMs;',
    what: 'a stream that was let go waits for other changes',
    tests: changes,
  },
  {
    file: `${pool}/status/events.ts`,
    find: "isNow('WriteRefused') &&",
    put: "isNow('WorkersOutstanding') &&",
    what: 'a refused write is no event',
    tests: ['unit/pool/preconditions'],
  },
  {
    file: `${pool}/workers/failover.ts`,
    find: "handoff.type === 'Exclusive' ? pod === undefined : ",
    put: '',
    what: 'Exclusive gives up a worker that has a pod, since it was never Ready',
    tests: ['unit/pool/workers/never-ready'],
  },
];
