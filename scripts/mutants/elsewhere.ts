// Mutants of streams that move because they fail at their worker.
import type { Mutant } from './mutant.ts';

const assigned = ['unit/pool/assign/elsewhere'];
const measured = ['unit/pool/observe/ages'];
const decided = ['unit/pool/elsewhere'];

export const elsewhereMutants: readonly Mutant[] = [
  {
    file: 'src/pool/assign/problem/problem.ts',
    find: 'return left === NONE ? worker : left;',
    put: 'return worker;',
    what: 'a healthy stream moves to the failing worker in place of one that left it',
    tests: assigned,
  },
  {
    file: 'src/pool/assign/elsewhere.ts',
    find: 'if (cost > leavers.most || !destinations.move(stream, from)) continue;',
    put: 'if (!destinations.move(stream, from)) continue;',
    what: 'more streams leave a worker at once than is allowed',
    tests: assigned,
  },
  {
    file: 'src/pool/assign/moves.ts',
    find: 'if (held.size > 0 && settled.isShort) {',
    put: 'if (held.size < 0) {',
    what: 'a stream is unassigned because a stream that failed elsewhere takes its capacity',
    tests: assigned,
  },
  {
    file: 'src/pool/assign/elsewhere.ts',
    find: 'if (worker !== undefined && from === undefined) leftAbsent.set(stream, worker);',
    put: '',
    what: 'a stream moves again and again when the worker that it left restarts without streams',
    tests: decided,
  },
  {
    file: 'src/pool/streams/outcomes.ts',
    find: 'filter(([stream]) => agoMs(stream) < KEPT_AWAY_MS);',
    put: 'filter(() => false);',
    what: 'a stream whose source is unreachable moves from worker to worker',
    tests: decided,
  },
  {
    file: 'src/pool/observe.ts',
    find: 'failing.filter((it) => assigned?.has(it) ?? jobs.includes(it));',
    put: 'failing;',
    what: 'a worker makes streams move as soon as it gets them, by reporting in advance that they fail',
    tests: measured,
  },
  {
    file: 'src/pool/observe.ts',
    find: 'const report = answer?.ok === true ? answer.report : answer?.last;',
    put: 'const report = answer?.ok === true ? answer.report : undefined;',
    what: 'a worker that is silent from time to time never loses a failing stream',
    tests: measured,
  },
];
