// Mutants of what keeps kinds apart: their watches, their engines, their rights.
import type { Mutant } from './mutant.ts';

const operator = ['unit/runtime/watch/operator'];
const runner = ['unit/runtime/engine/kind-runner'];

export const kindMutants: readonly Mutant[] = [
  {
    file: 'src/runtime/watch/operator.ts',
    find: 'for (const onChange of listeners) {',
    put: 'for (const onChange of listeners.slice(0, 1)) {',
    what: 'of two controllers that listen to one kind, the second hears nothing',
    tests: operator,
  },
  {
    file: 'src/runtime/watch/operator.ts',
    find: '(error)}`,\n        );\n      }\n    }\n  }',
    put: '(error)}`,\n        );\n        break;\n      }\n    }\n  }',
    what: 'a listener that throws takes the change from those after it',
    tests: operator,
  },
  {
    file: 'src/runtime/watch/subscriptions.ts',
    find: 'kinds.find(({ metadataOnly }) => metadataOnly !== true) ?? first',
    put: 'first',
    what: 'a controller that needs whole objects gets metadata, since another came first',
    tests: ['unit/runtime/watch/subscriptions'],
  },
  {
    file: 'src/runtime/watch/recovery.ts',
    find: 'this.#options.onDenied(failure);',
    put: '',
    what: 'the operator waits for ever for a definition that is not installed',
    tests: operator,
  },
  {
    file: 'src/runtime/engine/kind-runner.ts',
    find: "const isWanted = this.#isLeading && this.report.state === 'On';",
    put: 'const isWanted = this.#isLeading;',
    what: 'a kind decides although a right to read was taken away',
    tests: runner,
  },
  {
    file: 'src/runtime/engine/kind-runner.ts',
    find: 'if (own === this.#term) this.#engine.start();',
    put: 'this.#engine.start();',
    what: 'a kind begins although leadership ended while its lists were on their way',
    tests: runner,
  },
  {
    file: 'src/runtime/engine/engine.ts',
    find: 'if (error instanceof Abandoned && term === this.#term) this.queue.add(key);',
    put: 'if (error instanceof Abandoned && term === this.#term) return;',
    what: 'what another kind abandoned with its own work is never decided',
    tests: ['unit/runtime/engine/long-decisions'],
  },
  {
    file: 'src/runtime/engine/execute.ts',
    find: 'while (steps[end]?.do === sort) end += 1;',
    put: "while (steps[end]?.do === sort && sort !== 'scale') end += 1;",
    what: 'scales go one after the other',
    tests: ['unit/runtime/engine/execute'],
  },
];
