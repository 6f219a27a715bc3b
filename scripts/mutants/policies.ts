// Do tests notice when a policy decides another size, or at another time, than it says?
import type { Mutant } from './mutant.ts';

const rows = ['unit/group/polic'];
const lines = ['unit/api/cron'];

export const policyMutants: readonly Mutant[] = [
  {
    file: 'src/api/cron.ts',
    find: 'new Cron(byNumbers(schedule),',
    put: 'new Cron(schedule,',
    what: 'a time that the clock repeats is due twice where a line has steps',
    tests: lines,
  },
  {
    file: 'src/api/cron.ts',
    find: 'nowMs - (nowMs % 1000) + 1000',
    put: 'nowMs',
    what: 'a schedule that is due now counts a moment later',
    tests: lines,
  },
  {
    file: 'src/group/policy/schedules.ts',
    find: 'known.lastMs <= now && now < known.nextMs',
    put: 'now < known.nextMs',
    what: 'a clock that is set back leaves the schedule of later in force',
    tests: rows,
  },
  {
    file: 'src/group/policy/proposal.ts',
    find: 'leftMs > 0 ? last.number : last.number + 1',
    put: 'last.number + 1',
    what: 'a size at random is drawn at each decision',
    tests: rows,
  },
  {
    file: 'src/group/status.ts',
    find: '...(drawn !== undefined && { drawn }),',
    put: '',
    what: 'a walk begins anew after a mistake in the spec',
    tests: rows,
  },
];
