// Mutants of an operator that watches some namespaces: one that cannot be read stops no other.
import type { Mutant } from './mutant.ts';

const denied = ['unit/runtime/watch/operator.denied'];
const runner = ['unit/runtime/engine/kind-runner'];

export const namespaceMutants: readonly Mutant[] = [
  {
    file: 'src/runtime/watch/readable.ts',
    find: 'own.filter(isOfMissingKind)',
    put: 'own',
    what: 'a namespace that cannot be read ends the kind in all namespaces',
    tests: ['unit/runtime/watch/readable'],
  },
  {
    file: 'src/runtime/engine/kind-runner.ts',
    find: 'this.#opened.delete(namespace);\n      this.#engine.close(namespace);',
    put: '',
    what: 'a kind keeps deciding in a namespace that it cannot read',
    tests: runner,
  },
  {
    file: 'src/runtime/engine/kind-runner.ts',
    find: 'await this.#options.watches.refreshed(this.#needed, namespace);',
    put: '',
    what: 'a namespace that can be read again is decided about before it is listed',
    tests: runner,
  },
  {
    file: 'src/runtime/watch/watches.ts',
    find: '.filter((it) => it.namespace === undefined || it.namespace === namespace)',
    put: '',
    what: 'no job is admitted anywhere while a watch of one namespace is broken',
    tests: denied,
  },
  {
    file: 'src/runtime/watch/watches.ts',
    find: 'if (watch.namespace === namespace) watch.watcher.renew();',
    put: 'void watch;',
    what: 'a removed permission shows only when the watches of its namespace end',
    tests: denied,
  },
  {
    file: 'src/runtime/client/probed-connections.ts',
    find: 'else session.destroy(unanswered());',
    put: 'else answered();',
    what: 'a silent connection with the watches of many namespaces is never noticed',
    tests: ['unit/runtime/client/probed-connections'],
  },
  {
    file: 'src/runtime/watch/paced-lists.ts',
    find: 'await semaphore.acquire(namespace, semaphore);',
    put: "await semaphore.acquire('', semaphore);",
    what: 'a namespace that answers no list delays the lists of all others',
    tests: ['unit/runtime/watch/paced-lists'],
  },
];
