// Mutants of Exclusive: each stream keeps one owner whatever is lost, and two owners are reported.
import type { Mutant } from './mutant.ts';

const handoff = ['unit/pool/publish/handoff'];
const stories = ['sim/regressions'];
const twoOwners = ['sim/two-owners'];

export const ownerMutants: readonly Mutant[] = [
  {
    file: 'src/pool/publish/handoff.ts',
    find: '(isOpen || mine === undefined || mine.has(stream))',
    put: '(isOpen || wanted.has(name))',
    what: 'a stream of a lost version goes to another worker while its worker may still start it',
    tests: handoff,
  },
  {
    file: 'src/pool/publish/handoff.ts',
    find: ' || told.digest !== digestOf(slice);',
    put: ';',
    what: 'streams that a user removed from the ConfigMap count as never assigned',
    tests: handoff,
  },
  {
    file: 'src/pool/publish/handoff.ts',
    find: 'answer.report.version >= told.version) return false;',
    put: 'answer.report.version >= version) return false;',
    what: 'an older answer of a worker counts as an answer about the lost version',
    tests: handoff,
  },
  {
    file: 'src/pool/publish/record.ts',
    find: 'const floor = Math.max(recorded, highestSeen);',
    put: 'const floor = recorded;',
    what: 'the operator publishes a lost version number a second time',
    tests: ['unit/pool/publish/version'],
  },
  {
    file: 'src/pool/publish/why-changed.ts',
    find: "hasMoved(files) ? 'AssignmentMoved' : mended",
    put: 'mended',
    what: 'a changed ConfigMap name counts as a conflict with another writer',
    tests: ['unit/pool/publish/shards'],
  },
  {
    file: 'src/runtime/engine/kind-runner.ts',
    find: 'await this.#options.watches.refreshed(this.#needed);',
    put: '',
    what: 'a new leader decides on what it saw as a standby',
    tests: stories,
  },
  {
    file: 'src/pool/controller.ts',
    find: 'if (isThere || deletedPools.has(keyOf(pool))) this.#wake(keyOf(pool));',
    put: 'if (deletedPools.has(keyOf(pool))) this.#wake(keyOf(pool));',
    what: 'a ConfigMap with the label of a pool does not wake the pool unless its spec names it',
    tests: ['unit/pool/observe/publications'],
  },
  {
    file: 'src/pool/status/owners.ts',
    find: 'if (!lacks.has(stream)) doubled.add(stream);',
    put: 'if (lacks.has(stream)) doubled.add(stream);',
    what: 'the operator does not report two owners of a stream',
    tests: twoOwners,
  },
  {
    file: 'src/pool/status/owners.ts',
    find: 'new Set(found.length === 0 ? [] : differences[index]?.missing)',
    put: 'new Set<string>()',
    what: 'the operator reports two owners although one of them says that it no longer runs the stream',
    tests: [...twoOwners, 'unit/server/metrics'],
  },
  {
    file: 'src/pool/publish/published.ts',
    find: 'current.length < wanted ? 0 : Math.min(...versions)',
    put: 'Math.min(...versions)',
    what: 'the old ConfigMap is ignored as soon as the first of several new ones is written',
    tests: ['unit/pool/publish/published'],
  },
  {
    file: 'src/pool/publish/published.ts',
    find: '(assignmentIn(shard)?.version ?? least) < least',
    put: '(assignmentIn(shard)?.version ?? least) < 0',
    what: 'an earlier ConfigMap keeps deleted workers for ever',
    tests: ['unit/pool/publish/published'],
  },
  {
    file: 'src/pool/publish/steps.ts',
    find: 'annotations[ANNOTATION_MOVED_TO] !== movedTo',
    put: 'annotations[ANNOTATION_MOVED_TO] === movedTo',
    what: 'the earlier ConfigMap is not marked, so that a leader with an older view publishes there',
    tests: ['unit/pool/publish/shards'],
  },
  {
    file: 'src/pool/status/owners.ts',
    find: 'answer === undefined ? [] : (before',
    put: 'answer === null ? [] : (before',
    what: 'a worker that was not probed yet counts as a second owner',
    tests: ['unit/server/metrics'],
  },
  {
    file: 'src/pool/workers/refresh.ts',
    find: 'answer.report.read === slice.version',
    put: 'answer.report.read !== undefined',
    what: 'a worker that still carries out an older version is not nudged again for the newer one',
    tests: ['unit/pool/refresh/nudge'],
  },
  {
    file: 'src/runtime/store/config-maps.ts',
    find: "isNewer(least, object.metadata.resourceVersion ?? '')",
    put: "isNewer('', least)",
    what: 'the operator believes an outdated read of a ConfigMap',
    tests: ['unit/runtime/store/config-maps'],
  },
];
