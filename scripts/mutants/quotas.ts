// Do tests notice when the operator counts a pod in a ResourceQuota otherwise than the API server?
import type { Mutant } from './mutant.ts';

const tests = ['unit/queue/quota'];

export const quotaMutants: readonly Mutant[] = [
  {
    file: 'src/core/pod-requests.ts',
    find: 'const all = [...containers, ...initContainers];',
    put: 'const all = containers;',
    what: 'a job whose sidecar lacks what a ResourceQuota demands is admitted',
    tests,
  },
  {
    file: 'src/core/pod-requests.ts',
    find: '[ofPod.limits] : []',
    put: '[ofPod.requests] : []',
    what: 'the limits of a pod as a whole count by its requests',
    tests,
  },
  {
    file: 'src/queue/quota/resource-quotas.ts',
    find: "asString(dig(podSpec, 'priorityClassName')) || priorityClass;",
    put: "asString(dig(podSpec, 'priorityClassName')) || (priorityClass && undefined);",
    what: 'pods that get the default PriorityClass are in no scope of it',
    tests,
  },
  {
    file: 'src/queue/quota/of-others.ts',
    find: 'larger(amountOf(used, it), atLeast(it))',
    put: 'amountOf(used, it)',
    what: 'a job gets the room of pods that live, since a ResourceQuota counts them no more',
    tests: ['unit/queue/waiting', 'unit/queue/quota/of-others'],
  },
  {
    file: 'src/queue/quota/of-others.ts',
    find: '  if (nowMs - sinceMs < COUNTED_WITHIN_MS) return { amount, less: { most, sinceMs } };\n',
    put: '',
    what: 'a ResourceQuota that counts less for a moment gives room that others hold',
    tests: ['unit/queue/quota/of-others'],
  },
  {
    file: 'src/queue/quota/taken.ts',
    find: 'ofJobs.get(quota.name)?.push(...added);\n',
    put: '',
    what: 'what a webhook has added to pods of a job counts as that of others',
    tests: ['unit/queue/quota/room-of-jobs'],
  },
];
