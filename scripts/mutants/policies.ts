// Do tests notice when a policy decides another size, or at another time, than it says?
import type { Mutant } from './mutant.ts';

const rows = ['unit/group/polic'];
const lines = ['unit/api/cron'];
const sources = ['unit/runtime/metric-sources'];

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
    file: 'src/group/policy/bounds.ts',
    find: 'known.lastMs <= now && now < known.nextMs',
    put: 'now < known.nextMs',
    what: 'a clock that is set back leaves the schedule of later in force',
    tests: rows,
  },
  {
    file: 'src/group/policy/propose.ts',
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
  {
    file: 'src/group/policy/prometheus.ts',
    find: 'Math.ceil(units - EXACT * Math.max(1, units))',
    put: 'Math.ceil(units)',
    what: 'a sum of fractions asks for one unit more',
    tests: rows,
  },
  {
    file: 'src/group/policy/prometheus.ts',
    find: 'it.size > size && it.untilMs > nowMs - delayMs',
    put: 'it.size > size',
    what: 'a size that was proposed once holds the group for ever',
    tests: rows,
  },
  {
    file: 'src/group/policy/prometheus.ts',
    find: 'nowMs - sinceMs < delayMs ? undefined :',
    put: 'nowMs - sinceMs < 0 ? undefined :',
    what: 'a new leader lets a group fall at once',
    tests: rows,
  },
  {
    file: 'src/group/policy/metric.ts',
    find: 'return staleInMs > 0',
    put: 'return true',
    what: 'an old sample scales a group',
    tests: rows,
  },
  {
    file: 'src/group/decide.ts',
    find: 'proposals: desired.size?.proposal.proposals,',
    put: 'proposals: desired.size?.proposal.proposals ?? remembered.proposals,',
    what: 'a gap without a metric counts as if all had asked for less',
    tests: rows,
  },
  {
    file: 'src/runtime/metric-sources/readings.ts',
    find: 'if (limited?.source.allows(namespace) !== true)',
    put: 'if (limited === undefined)',
    what: 'a namespace uses a source that is not for it',
    tests: sources,
  },
  {
    file: 'src/runtime/metric-sources/readings.ts',
    find: 'this.#queries.get(key) ?? this.#begin(key, limited, text)',
    put: 'this.#begin(key, limited, text)',
    what: 'each group asks for itself what others ask, too',
    tests: sources,
  },
  {
    file: 'src/runtime/metric-sources/answer.ts',
    find: "if (dig(answer, 'status') === 'error') return errorIn(answer);",
    put: '',
    what: 'no user learns that a query is wrong',
    tests: sources,
  },
  {
    file: 'src/runtime/metric-sources/answer.ts',
    find: "if (others.length > 0) return metricFailure('several-series');",
    put: '',
    what: 'the first of several series scales a group',
    tests: sources,
  },
];
