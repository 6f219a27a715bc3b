// Do tests notice when a policy decides a wrong size, or at a wrong time?
import type { Mutant } from './mutant.ts';

const rows = ['unit/group/polic'];
const lines = ['unit/api/cron'];
const sources = ['unit/runtime/metric-sources'];

export const policyMutants: readonly Mutant[] = [
  {
    file: 'src/api/cron.ts',
    find: 'new Cron(byNumbers(schedule),',
    put: 'new Cron(schedule,',
    what: 'a time that the clock repeats is due twice if the cron line has steps',
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
    what: 'after the clock was set back, the later schedule stays in force',
    tests: rows,
  },
  {
    file: 'src/group/policy/propose.ts',
    find: 'leftMs > 0 ? last.number : last.number + 1',
    put: 'last.number + 1',
    what: 'a random size is drawn at each decision',
    tests: rows,
  },
  {
    file: 'src/group/status.ts',
    find: '...(drawn !== undefined && { drawn }),',
    put: '',
    what: 'a random walk starts over after a mistake in the spec',
    tests: rows,
  },
  {
    file: 'src/group/policy/prometheus.ts',
    find: 'Math.ceil(units - EXACT * Math.max(1, units))',
    put: 'Math.ceil(units)',
    what: 'a sum of fractions is rounded up to one unit more',
    tests: rows,
  },
  {
    file: 'src/group/policy/prometheus.ts',
    find: 'it.size > size && it.untilMs > nowMs - delayMs',
    put: 'it.size > size',
    what: 'a size that was proposed once keeps the group from scaling down for ever',
    tests: rows,
  },
  {
    file: 'src/group/policy/prometheus.ts',
    find: 'nowMs - sinceMs < delayMs ? undefined :',
    put: 'nowMs - sinceMs < 0 ? undefined :',
    what: 'under a new leader, a group scales down at once',
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
    what: 'a gap without a metric counts towards scaling down',
    tests: rows,
  },
  {
    file: 'src/runtime/metric-sources/readings.ts',
    find: 'if (limited?.source.allows(namespace) !== true)',
    put: 'if (limited === undefined)',
    what: 'a namespace uses a metric source that is not allowed for it',
    tests: sources,
  },
  {
    file: 'src/runtime/metric-sources/readings.ts',
    find: 'this.#queries.get(key) ?? this.#begin(key, limited, text)',
    put: 'this.#begin(key, limited, text)',
    what: 'each group sends its own request for a query that others share',
    tests: sources,
  },
  {
    file: 'src/runtime/metric-sources/answer.ts',
    find: "if (dig(answer, 'status') === 'error') return errorIn(answer);",
    put: '',
    what: 'an error in a query is not reported',
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
