// Mutants of what keeps each stream with one owner, whatever is lost, and tells when there are two.
import type { Mutant } from './mutant.ts';

const handoff = ['unit/pool/publish/handoff'];
const stories = ['sim/regressions'];
const twoOwners = ['sim/two-owners'];

export const ownerMutants: readonly Mutant[] = [
  {
    file: 'src/pool/publish/handoff.ts',
    find: '(isOpen || mine.has(stream))',
    put: '(isOpen || wanted.has(name))',
    what: 'a stream of a lost version goes to another worker while its worker may still start it',
    tests: handoff,
  },
  {
    file: 'src/pool/publish/handoff.ts',
    find: ' || told.digest !== digestOf(slice);',
    put: ';',
    what: 'what an editor took out of the ConfigMap counts as never told',
    tests: handoff,
  },
  {
    file: 'src/pool/publish/handoff.ts',
    find: 'answer.report.version >= told.version) return false;',
    put: 'answer.report.version >= version) return false;',
    what: 'an older answer of a worker counts as one about the lost version',
    tests: handoff,
  },
  {
    file: 'src/pool/publish/versions.ts',
    find: 'const floor = Math.max(recorded, highestSeen);',
    put: 'const floor = recorded;',
    what: 'a version that was seen and is gone is given again',
    tests: ['unit/pool/publish/version'],
  },
  {
    file: 'src/pool/publish/publish.ts',
    find: "hasMoved(input) ? 'AssignmentMoved' : 'AssignmentMended'",
    put: "'AssignmentMended'",
    what: 'who tells a pool to publish elsewhere is taken for one that writes over it',
    tests: ['unit/pool/publish/shards'],
  },
  {
    file: 'src/runtime/engine/kind-runner.ts',
    find: 'await this.#options.watches.refreshed(this.#kinds);',
    put: '',
    what: 'who begins to lead decides on what it saw as a standby',
    tests: stories,
  },
  {
    file: 'src/pool/controller.ts',
    find: 'if (isThere || departed.has(pool)) this.#wake(pool);',
    put: 'if (departed.has(pool)) this.#wake(pool);',
    what: 'a ConfigMap with the label of a pool does not wake it where the pool does not name it',
    tests: ['unit/pool/observe/publications'],
  },
  {
    file: 'src/pool/status/owners.ts',
    find: 'if (!lacks.has(stream)) doubled.add(stream);',
    put: 'if (lacks.has(stream)) doubled.add(stream);',
    what: 'two owners of a stream are not told of',
    tests: twoOwners,
  },
  {
    file: 'src/pool/status/owners.ts',
    find: 'new Set(found.length === 0 ? [] : differences[index]?.missing)',
    put: 'new Set<string>()',
    what: 'a stream has two owners, it is told, while one of them says that it runs it no more',
    tests: [...twoOwners, 'unit/server/metrics'],
  },
  {
    file: 'src/pool/publish/published.ts',
    find: 'current.length < places ? 0 : Math.min(...versions)',
    put: 'Math.min(...versions)',
    what: 'the old place counts no more as soon as the first of several new ones was written',
    tests: ['unit/pool/publish/published'],
  },
  {
    file: 'src/pool/publish/published.ts',
    find: '(assignmentIn(shard)?.version ?? least) < least',
    put: '(assignmentIn(shard)?.version ?? least) < 0',
    what: 'workers that have gone stand for ever where the pool was published before',
    tests: ['unit/pool/publish/published'],
  },
  {
    file: 'src/pool/publish/change.ts',
    find: 'annotations[ANNOTATION_MOVED_TO] !== place',
    put: 'annotations[ANNOTATION_MOVED_TO] === place',
    what: 'a place that is left is not marked, and who has an older view publishes there',
    tests: ['unit/pool/publish/shards'],
  },
  {
    file: 'src/pool/status/owners.ts',
    find: 'answer === undefined ? [] : (before',
    put: 'answer === null ? [] : (before',
    what: 'a worker that was not asked yet is counted as a second owner',
    tests: ['unit/server/metrics'],
  },
  {
    file: 'src/pool/refresh/nudge.ts',
    find: 'answer.report.read === slice.version',
    put: 'answer.report.read !== undefined',
    what: 'a worker that carries out an older version is not told of the newer one again',
    tests: ['unit/pool/refresh/nudge'],
  },
  {
    file: 'src/runtime/store/config-maps.ts',
    find: "isNewer(least, object.metadata.resourceVersion ?? '')",
    put: "isNewer('', least)",
    what: 'a ConfigMap that was read as it was before is believed',
    tests: ['unit/runtime/store/config-maps'],
  },
];
