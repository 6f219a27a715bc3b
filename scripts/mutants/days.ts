// Do ordinary days of groups notice what no row of values does: an annotation, or a part of a
// member, that one of its readers leaves out?
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
    what: 'annotations count of a member that the group names',
    tests: days,
  },
  {
    file: 'src/group/observe.ts',
    find: 'annotatedRules(memberAnnotations, { minReplicas, maxReplicas })',
    put: 'annotatedRules(memberAnnotations, { minReplicas, maxReplicas: maxReplicas * 9 })',
    what: 'an annotation contradicts the defaults, and nobody says so',
    tests: days,
  },
  {
    file: 'src/group/goal.ts',
    find: 'it?.revision, it?.rules]',
    put: 'it?.revision]',
    what: 'a size that failed waits although a member says another thing of itself',
    tests: days,
  },
  {
    file: 'src/group/size.ts',
    find: 'rulesOf(spec, member, member.found.rules)',
    put: 'rulesOf(spec, member)',
    what: 'a size is taken over as if no member said anything of itself',
    tests: days,
  },
  {
    file: 'src/group/transition/before.ts',
    find: 'found.replicas >= replicas && found.size.ready >= readyEnough(replicas, rules);',
    put: 'found.replicas >= replicas && found.size.ready >= replicas;',
    what: 'a step of a climb is not reached when enough of a member is ready',
    tests: days,
  },
];
