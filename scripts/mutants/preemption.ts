// Do tests notice when a job ends for another one needlessly, or in vain?
import type { Mutant } from './mutant.ts';

export const preemptionMutants: readonly Mutant[] = [
  {
    file: 'src/queue/preemption/victims.ts',
    find: '({ job }) => job.priority >= priority',
    put: '({ job }) => job.priority > priority',
    what: 'a job takes the place of one of its own priority',
    tests: ['unit/queue/preemption'],
  },
  {
    file: 'src/queue/preemption/fewest.ts',
    find: 'return isEnough(others, lacking) ? others : all;',
    put: 'return isEnough([], lacking) ? others : all;',
    what: 'jobs end needlessly',
    tests: ['unit/queue/preemption/fewest'],
  },
  {
    file: 'src/queue/preemption/fewest.ts',
    find: 'largest.length < first.length',
    put: 'largest.length > first.length',
    what: 'three small jobs end where one large one would do',
    tests: ['unit/queue/preemption/fewest'],
  },
  {
    file: 'src/queue/admit.ts',
    find: "if (ending === undefined) return 'others';",
    put: "if (ending === undefined || ending.length === 0) return 'others';",
    what: 'another job gets the room that was made for one',
    tests: ['unit/queue/preemption/preemption'],
  },
  {
    file: 'src/queue/admit.ts',
    find: 'job.hasTimedOut !== true &&',
    put: '',
    what: 'a job that no node takes ends others again and again',
    tests: ['unit/queue/preemption/preemption'],
  },
  {
    file: 'src/queue/preemption/victims.ts',
    find: 'now.set(key, beyond.now);',
    put: 'now.set(key, beyond.most);',
    what: 'jobs end for one that also waits for what others leave later',
    tests: ['unit/queue/preemption/preemption'],
  },
  {
    file: 'src/queue/preemption/running.ts',
    find: 'return pods.every((pod) => isInGrace(pod, now));',
    put: 'return true;',
    what: 'an urgent job waits for pods on a lost node',
    tests: ['unit/queue/preemption/ledger'],
  },
  {
    file: 'src/job/desired-state.ts',
    find: "if (facts.entry?.preempted !== undefined) return 'Preempted';",
    put: '',
    what: 'a job does not say who takes its place',
    tests: ['unit/job/preempted'],
  },
  {
    file: 'src/job/controller.ts',
    find: "preempted?.uid ?? ''",
    put: "''",
    what: 'nothing wakes a job whose place another one takes',
    tests: ['unit/job/controller'],
  },
  {
    file: 'src/queue/labelled/giving-way.ts',
    find: 'if (job.isSuspended && job.grant === takenBack(grant)) return [];',
    put: 'if (job.isSuspended) return [];',
    what: 'a labelled Job that has not started yet keeps its entry for ever',
    tests: ['unit/queue/preemption/ledger'],
  },
  {
    file: 'src/queue/desired-state.ts',
    find: "return { ...entry, preempted: { ...entry.preempted, uid: '' } };",
    put: 'return entry;',
    what: 'a job that lost its place takes it again and again from a more urgent one',
    tests: ['unit/queue/preemption/ledger'],
  },
];
