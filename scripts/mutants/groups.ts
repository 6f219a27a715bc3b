// Do tests notice when a group scales the wrong member, by the wrong number, out of turn, or says
// what is not so?
import type { Mutant } from './mutant.ts';

const rows = ['unit/group'];
const stories = ['sim/regressions'];

export const groupMutants: readonly Mutant[] = [
  {
    file: 'src/group/members/sizes.ts',
    find: '(product + UNIT - 1n) / UNIT',
    put: 'product / UNIT',
    what: 'a part of a replica is rounded down',
    tests: rows,
  },
  {
    file: 'src/group/members/sizes.ts',
    find: 'Math.min(Math.max(replicas, minReplicas), maxReplicas)',
    put: 'Math.max(replicas, minReplicas)',
    what: 'a member gets more than its maxReplicas',
    tests: rows,
  },
  {
    file: 'src/group/transition/order.ts',
    find: 'open.filter((it) => it.replicas <= it.target)',
    put: 'open.filter((it) => it.replicas < it.target)',
    what: 'the next stage grows before the last one is ready',
    tests: rows,
  },
  {
    file: 'src/group/transition/order.ts',
    find: '(replicas < target || stage >= downTo)',
    put: '(replicas < target || stage <= downTo)',
    what: 'a group shrinks in the order in which it grew',
    tests: rows,
  },
  {
    file: 'src/group/members/members.ts',
    find: 'found.size.observedGeneration >= found.size.generation &&',
    put: '',
    what: 'a status of before the scale counts as ready',
    tests: rows,
  },
  {
    file: 'src/group/members/members.ts',
    find: 'found.size.present === target &&',
    put: '',
    what: 'a member that shrinks counts as ready while its pods are there',
    tests: rows,
  },
  {
    file: 'src/group/members/members.ts',
    find: 'const MOST_CHANGES = 3;',
    put: 'const MOST_CHANGES = 4;',
    what: 'a group fights a hand once more than it says',
    tests: rows,
  },
  {
    file: 'src/group/members/members.ts',
    find: 'before === undefined || before.uid !== uid',
    put: 'before === undefined',
    what: 'a member that was made anew counts as changed by hand',
    tests: rows,
  },
  {
    file: 'src/group/members/members.ts',
    find: 'bounded(had?.replicas ?? replicasAt(last.from, rules), rules)',
    put: 'replicasAt(last.from, rules)',
    what: 'a rollback goes to the size before, not to what each had',
    tests: rows,
  },
  {
    file: 'src/group/transition/advance.ts',
    find: 'before: last.before ?? [],',
    put: 'before: [],',
    what: 'after a second size in mid-transition a rollback goes back a part of the way',
    tests: rows,
  },
  {
    file: 'src/group/transition/advance.ts',
    find: 'before: isNew ? had.flatMap(scaledAlready) : [],',
    put: 'before: [],',
    what: 'a new leader takes for the earlier size what the last one had scaled already',
    tests: rows,
  },
  {
    file: 'src/group/transition/advance.ts',
    find: 'isNoted: isNew && had.every((it) => it.had === it.member.found.replicas),',
    put: 'isNoted: isNew,',
    what: 'a member is scaled though status does not have what it had',
    tests: rows,
  },
  {
    file: 'src/group/transition/back-off.ts',
    find: 'first * 2 ** (failures - 1)',
    put: 'first',
    what: 'a size that fails again and again is tried at the same pace',
    tests: rows,
  },
  {
    file: 'src/group/transition/back-off.ts',
    find: 'return reached < 0 ? tried : tried.slice(0, reached);',
    put: 'return tried;',
    what: 'failures count although the size was reached since',
    tests: rows,
  },
  {
    file: 'src/group/desired-state.ts',
    find: "const isBack = transition?.state === 'RolledBack' && isUnderWay(status?.transition);",
    put: 'const isBack = false;',
    what: 'status says Ready at the moment in which a size was rolled back',
    tests: stories,
  },
  {
    file: 'src/group/decide.ts',
    find: 'return isOnItsWay ? asked.atMs + ASK_AGAIN_MS - monotonicMs : 0;',
    put: 'return 0;',
    what: 'a scale is sent again while the last is on its way',
    tests: rows,
  },
  {
    file: 'src/group/status.ts',
    find: 'isPaused ? before?.replicas : size?.wanted',
    put: 'size?.wanted',
    what: 'a size that was only proposed counts as the earlier one when the pause ends',
    tests: rows,
  },
  {
    file: 'src/group/transition/times.ts',
    find: 'if (before === undefined && hasSize && isReady) continue;',
    put: '',
    what: 'members that do not change take part in the time of a transition',
    tests: rows,
  },
  {
    file: 'src/group/status/steps.ts',
    find: 'return waitMs > 0 && isOnlyProgress(group.status, status)',
    put: 'return waitMs > 0',
    what: 'a condition that has changed is written two seconds late',
    tests: rows,
  },
  {
    file: 'src/group/transition/advance.ts',
    find: 'return { ...nothing, transition, history: historyOf(input) };',
    put: 'return { ...nothing, transition: { ...transition, before: [] }, history: historyOf(input) };',
    what: 'a rollback does not know what each member had',
    tests: rows,
  },
];
