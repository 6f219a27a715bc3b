// Do tests notice when a quota is exceeded, or a job overtakes one that goes first?
import type { Mutant } from './mutant.ts';

const tests = ['unit/queue/admit'];

export const queueMutants: readonly Mutant[] = [
  {
    file: 'src/queue/admit.ts',
    find: '      room.take(demands);\n',
    put: '',
    what: 'two jobs of one pass get the same capacity',
    tests,
  },
  {
    file: 'src/queue/admit.ts',
    find: "if (queue.strategy === 'StrictFIFO' || !isBlocked.has(job.queue)) room.keep",
    put: 'if (!isBlocked.has(job.queue)) room.keep',
    what: 'with StrictFIFO a job overtakes the second one that waits',
    tests,
  },
  {
    file: 'src/queue/admit.ts',
    find: "if (queue.strategy === 'StrictFIFO' || !isBlocked.has(job.queue)) room.keep",
    put: "if (queue.strategy === 'StrictFIFO') room.keep",
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
    file: 'src/queue/admit.ts',
    find: 'amount - amountOf(used, resource) - amountOf(promised, resource)',
    put: 'amount - amountOf(used, resource)',
    what: 'quota that is reserved for one job is given to another',
    tests,
  },
];
