// Do the ordinary days of groups notice what no unit test does: one part of the code ignores an
// annotation, or a field of a member?
import type { Mutant } from './mutant.ts';

const days = ['sim/group-days'];

export const dayMutants: readonly Mutant[] = [
  {
    file: 'src/group/observe.ts',
    find: ': { refusal: found.problem };',
    put: ': {};',
    what: 'a member with a wrong annotation is scaled by the defaults',
    tests: days,
  },
  {
    file: 'src/group/observe.ts',
    find: 'if (!spec.ok || spec.value.selector === undefined) return {}; const { minReplicas,',
    put: 'if (!spec.ok) return {};\n  const { minReplicas,',
    what: 'annotations take effect on a member that the spec names',
    tests: days,
  },
  {
    file: 'src/group/observe.ts',
    find: 'annotatedRules(memberAnnotations, { minReplicas, maxReplicas })',
    put: 'annotatedRules(memberAnnotations, { minReplicas, maxReplicas: maxReplicas * 9 })',
    what: 'an annotation that contradicts the defaults is not reported',
    tests: days,
  },
  {
    file: 'src/group/goal.ts',
    find: 'it?.revision, it?.rules]',
    put: 'it?.revision]',
    what: "a failed size is not retried although a member's annotations have changed",
    tests: days,
  },
  {
    file: 'src/group/size.ts',
    find: 'rulesOf(spec, member, member.found.rules)',
    put: 'rulesOf(spec, member)',
    what: 'a group adopts a size as if no member had annotations',
    tests: days,
  },
  {
    file: 'src/group/transition/before.ts',
    find: 'found.replicas >= replicas && found.size.ready >= readyEnough(replicas, rules);',
    put: 'found.replicas >= replicas && found.size.ready >= replicas;',
    what: 'a size counts as not reached although enough replicas of a member are ready',
    tests: days,
  },
];
