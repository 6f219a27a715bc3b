// Mutants of streams that move because they fail where they are.
import type { Mutant } from './mutant.ts';

const assigned = ['unit/pool/assign/elsewhere'];
const measured = ['unit/pool/observe/ages'];
const decided = ['unit/pool/elsewhere'];

export const elsewhereMutants: readonly Mutant[] = [
  {
    file: 'src/pool/assign/problem.ts',
    find: 'return left === NONE ? worker : left;',
    put: 'return worker;',
    what: 'a healthy stream goes to the broken worker for one that left it',
    tests: assigned,
  },
  {
    file: 'src/pool/assign/elsewhere.ts',
    find: 'if (cost > leavers.most || !room.move(stream, from)) continue;',
    put: 'if (!room.move(stream, from)) continue;',
    what: 'more streams than may leave a worker at once',
    tests: assigned,
  },
  {
    file: 'src/pool/assign/assign.ts',
    find: 'if (held.size > 0 && settled.isShort) {',
    put: 'if (held.size < 0) {',
    what: 'a stream has no worker because another one failed elsewhere and takes its room',
    tests: assigned,
  },
  {
    file: 'src/pool/assign/elsewhere.ts',
    find: 'if (worker !== undefined && from === undefined) leftAbsent.set(stream, worker);',
    put: '',
    what: 'a stream moves on and on when the worker that it left empty starts anew',
    tests: decided,
  },
  {
    file: 'src/pool/streams/outcomes.ts',
    find: 'filter(([stream]) => agoMs(stream) < KEPT_AWAY_MS);',
    put: 'filter(() => false);',
    what: 'a stream whose source is away moves from worker to worker',
    tests: decided,
  },
  {
    file: 'src/pool/observe.ts',
    find: 'failing.filter((it) => assigned?.has(it) ?? jobs.includes(it));',
    put: 'failing;',
    what: 'a worker makes streams move as soon as it gets them, by telling before that they fail',
    tests: measured,
  },
  {
    file: 'src/pool/observe.ts',
    find: 'const report = answer?.ok === true ? answer.report : answer?.last;',
    put: 'const report = answer?.ok === true ? answer.report : undefined;',
    what: 'a worker that falls silent now and then never loses a stream that fails',
    tests: measured,
  },
];
