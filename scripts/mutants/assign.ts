// Mutants of the assignment itself.
import type { Mutant } from './mutant.ts';

const assign = 'src/pool/assign';
const light = ['unit/pool/assign/even'];
const weights = ['unit/pool/assign/weights', 'unit/pool/assign/every-case'];

export const assignMutants: readonly Mutant[] = [
  {
    file: `${assign}/problem/pose.ts`,
    find: 'own > capacity && !overcommit',
    put: 'own > 2 * capacity && !overcommit',
    what: 'the operator accepts a stream that is heavier than the capacity of any worker',
    tests: weights,
  },
  {
    file: `${assign}/problem/pose.ts`,
    find: 'pin[index] = worker ?? NONE;',
    put: 'pin[index] = NONE;',
    what: 'the assignment ignores a pin',
    tests: ['unit/pool/assign'],
  },
  {
    file: `${assign}/even.ts`,
    find: '(counts[worker] ?? 0) <= (shares[worker] ?? 0) ||\n      (problem.isPinned',
    put: '(counts[worker] ?? 0) < (shares[worker] ?? 0) ||\n      (problem.isPinned',
    what: 'more streams move than balance needs',
    tests: light,
  },
  {
    file: `${assign}/even.ts`,
    find: 'even + (rank < extra ? 1 : 0)',
    put: 'even + (rank === 0 ? extra : 0)',
    what: 'one worker gets the whole remainder, so that loads differ by more than one',
    tests: light,
  },
  {
    file: `${assign}/moves.ts`,
    find: 'if (left <= maxMoves) break;',
    put: 'if (left <= maxMoves + 1) break;',
    what: 'a rebalance makes one move more than maxMoves allows',
    tests: ['unit/pool/assign'],
  },
];
