// Do tests notice when a quota is exceeded, or a job overtakes one that goes first?
import type { Mutant } from './mutant.ts';

const tests = ['unit/queue/order/admit'];
const protocol = ['unit/queue/decide', 'unit/queue/ledger/admitted'];

export const queueMutants: readonly Mutant[] = [
  {
    file: 'src/queue/admit.ts',
    find: 'this.#freeQuota.take(demands);',
    put: '',
    what: 'two jobs of one pass get the same capacity',
    tests,
  },
  {
    file: 'src/queue/admit.ts',
    find: 'this.#leads(job, queue); // A queue',
    put: '// A queue',
    what: 'with StrictFIFO a job overtakes the second one that waits',
    tests,
  },
  {
    file: 'src/queue/admit.ts',
    find: 'this.#freeQuota.keep(demands, job, coming);',
    put: '',
    what: 'with BestEffort small jobs keep a large one waiting for ever',
    tests,
  },
  {
    file: 'src/queue/quota/usage.ts',
    find: '.filter(({ uid }) => !granted.has(uid))',
    put: '.filter(() => false)',
    what: 'pods whose entry in the ledger is lost use no quota',
    tests,
  },
  {
    file: 'src/queue/order/demands.ts',
    find: 'amount - amountOf(used, resource) - amountOf(promised, resource)',
    put: 'amount - amountOf(used, resource)',
    what: 'quota that is reserved for one job is given to another',
    tests,
  },
  {
    file: 'src/queue/ledger/entries.ts',
    find: 'if (livingPods > 0 || ',
    put: 'if (',
    what: 'a job gives its quota back while its pods still run',
    tests: protocol,
  },
  {
    file: 'src/queue/ledger/entries.ts',
    find: 'return job === undefined || !isAdmitted(job);',
    put: 'return true;',
    what: 'a job leaves the ledger before its status says how it ended',
    tests: protocol,
  },
  {
    file: 'src/queue/ledger/new-term.ts',
    find: 'world.ledger?.epoch === world.epoch && isWhole(world, now)',
    put: 'isWhole(world, now)',
    what: 'a new leader admits jobs before its epoch is in the ledger',
    tests: protocol,
  },
  {
    file: 'src/queue/ledger/new-term.ts',
    find: 'ledger !== undefined && !ledger.isEdited',
    put: 'ledger !== undefined',
    what: 'the operator trusts a ledger that a user edited',
    tests: protocol,
  },
  {
    file: 'src/job/decide.ts',
    find: 'operations: [test, ...operations]',
    put: 'operations',
    what: 'a start that arrives late starts a job whose grant was taken back',
    tests: ['unit/job'],
  },
  {
    file: 'src/job/admitted.ts',
    find: 'if (isAlive(facts) || batchJob?.isDeleting === true)',
    put: 'if (batchJob?.isDeleting === true)',
    what: 'two attempts of a job run at a time',
    tests: ['unit/job'],
  },
];
