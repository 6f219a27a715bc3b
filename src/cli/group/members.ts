// Which rules are there for a member that status names? Those of the spec, or of its annotations
// where a selector finds it.
import type { SwarmGroupSpec, SwarmGroupStatus } from '../../api/validate.ts';
import { annotatedRules, rulesOf } from '../../group/members/rules.ts';
import type { MemberRules } from '../../group/world.ts';

export type StatusMember = NonNullable<SwarmGroupStatus['members']>[number];

type Named = Pick<StatusMember, 'kind' | 'name'>;

export const memberNameOf = ({ kind, name }: Named): string => `${kind}/${name}`;

/** Of the members that a selector finds: their annotations, by their names. */
export type MemberAnnotations = ReadonlyMap<string, Readonly<Record<string, string>>>;

type RulesFor = (member: Named) => MemberRules;

export const rulesIn =
  (spec: SwarmGroupSpec, annotations: MemberAnnotations): RulesFor =>
  ({ kind, name }) => {
    const named = spec.members?.find((it) => it.kind === kind && it.name === name);
    if (named !== undefined) return rulesOf(spec, named);
    const { minReplicas, maxReplicas = Number.POSITIVE_INFINITY } = spec.memberDefaults;
    const own = annotations.get(memberNameOf({ kind, name })) ?? {};
    const annotated = annotatedRules(own, { minReplicas, maxReplicas });
    const ref = { kind: kind === 'StatefulSet' ? 'StatefulSet' : 'Deployment', name } as const;
    return rulesOf(spec, ref, annotated.ok ? annotated.rules : {});
  };
