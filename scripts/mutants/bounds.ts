// Do tests notice when a bound is not checked, or when an owner, a mark or a version is believed
// whatever its source?
import type { Mutant } from './mutant.ts';

const texts = ['unit/api/bounds'];

export const boundMutants: readonly Mutant[] = [
  {
    file: 'src/pool/workers/seats.ts',
    find: 'if (wanted > MOST_WORKERS) return wanted;',
    // Not removed altogether: the tests would take the whole heap.
    put: 'if (wanted > 2 * MOST_WORKERS) return wanted;',
    what: 'a pool accepts more workers than the limit',
    tests: ['unit/pool/workers/bounds'],
  },
  {
    file: 'src/api/yaml.ts',
    find: 'maxAliases: 0',
    put: 'maxAliases: 3',
    what: 'the YAML parser follows a few aliases in a list or an assignment',
    tests: texts,
  },
  {
    file: 'src/api/yaml.ts',
    find: "return reason.replace(/\\s*(\"|!<|: ).*$/s, '');",
    put: 'return reason;',
    what: 'an error about a list quotes the text of the list',
    tests: texts,
  },
  {
    file: 'src/api/bounds.ts',
    find: 'return marks > most.marks ?',
    put: 'return marks > Infinity ?',
    what: 'the YAML parser accepts a million short values',
    tests: texts,
  },
  {
    file: 'src/pool/streams/join.ts',
    find: 'if (count > MOST_STREAMS)',
    put: 'if (count < 0)',
    what: 'a pool accepts lists that are too long together',
    tests: ['unit/pool/streams-bounds'],
  },
  {
    file: 'src/pool/observe/publications.ts',
    find: 'return movedTo !== undefined && isName(movedTo) ? [movedTo] : [];',
    put: 'return movedTo !== undefined ? [movedTo] : [];',
    what: 'the operator looks up a mark that is not a valid name',
    tests: ['unit/pool/observe/publications'],
  },
  {
    file: 'src/runtime/store/workloads.ts',
    find: 'const ownerKey = (namespace: string, kind: string, uid: string): string',
    put: "const ownerKey = (_: string, kind: string, uid: string, namespace = ''): string",
    what: 'a pod of another namespace becomes a worker by naming the UID of an owner',
    tests: ['unit/runtime/store/workloads'],
  },
  {
    file: 'src/pool/observe/known-versions.ts',
    find: 'Math.max(FARTHEST_BELIEVED, record + MOST_UNTOLD);',
    put: 'HIGHEST_VERSION;',
    what: 'the operator believes a version so high that no higher one can be published',
    tests: ['unit/pool/observe/known-versions'],
  },
  {
    file: 'src/runtime/engine/engine.ts',
    find: 'await this.#tellFailed(key, undefined);',
    put: '',
    what: 'an internal error of the operator does not show in the status',
    tests: ['unit/runtime/engine/engine'],
  },
];
