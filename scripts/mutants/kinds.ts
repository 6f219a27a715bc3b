// Mutants of the separation of kinds: their watches, their engines, their permissions.
import type { Mutant } from './mutant.ts';

const operator = ['unit/runtime/watch/operator'];
const runner = ['unit/runtime/engine/kind-runner'];

export const kindMutants: readonly Mutant[] = [
  {
    file: 'src/runtime/watch/deliveries.ts',
    find: 'const failed = listeners.filter((listener) => {',
    put: 'const failed = listeners.slice(0, 1).filter((listener) => {',
    what: 'only the first of two controllers that watch one kind gets its changes',
    tests: operator,
  },
  {
    file: 'src/runtime/watch/deliveries.ts',
    find: '        problem = error;\n        return true;',
    put: '        throw error;',
    what: 'when a listener throws, later listeners miss the change',
    tests: operator,
  },
  {
    file: 'src/runtime/watch/subscriptions.ts',
    find: 'kinds.find(({ metadataOnly }) => metadataOnly !== true) ?? first',
    put: 'first',
    what: 'a controller that needs whole objects gets only metadata, because another subscribed first',
    tests: ['unit/runtime/watch/subscriptions'],
  },
  {
    file: 'src/runtime/watch/recovery.ts',
    find: 'this.#options.onDenied(failure);',
    put: '',
    what: 'the operator waits for ever for a CRD that is not installed',
    tests: operator,
  },
  {
    file: 'src/runtime/engine/kind-runner.ts',
    find: "const isWanted = this.#isLeading && this.#readable.state === 'synced';",
    put: 'const isWanted = this.#isLeading;',
    what: 'a kind keeps deciding after it lost a permission to read',
    tests: runner,
  },
  {
    file: 'src/runtime/engine/kind-runner.ts',
    find: 'if (own !== this.#term) return;',
    put: '',
    what: 'a kind starts although leadership ended while its lists were being read',
    tests: runner,
  },
  {
    file: 'src/runtime/queue/turns.ts',
    find: 'const others = waiters.filter((it) => it.owner !== owner);',
    put: 'const others: Waiter[] = [];',
    what: 'a decision never ends when another kind abandons its own work',
    tests: ['unit/runtime/queue/turn-scheduler'],
  },
  {
    file: 'src/runtime/engine/execute.ts',
    find: 'while (sortOf(steps[end]) === sort) end += 1;',
    put: "while (steps[end]?.do === sort && sort !== 'scale') end += 1;",
    what: 'the operator sends scale writes one after the other',
    tests: ['unit/runtime/engine/execute'],
  },
];
