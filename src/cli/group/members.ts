// Which rules does the spec have for a member that status names?
import type { SwarmGroupSpec, SwarmGroupStatus } from '../../api/validate.ts';
import { type MemberRules, rulesOf } from '../../group/members/sizes.ts';

export type StatusMember = NonNullable<SwarmGroupStatus['members']>[number];

type Named = Pick<StatusMember, 'kind' | 'name'>;

export const memberNameOf = ({ kind, name }: Named): string => `${kind}/${name}`;

export function rulesFor(spec: SwarmGroupSpec, { kind, name }: Named): MemberRules {
  const named = spec.members?.find((it) => it.kind === kind && it.name === name);
  const selected = kind === 'StatefulSet' ? 'StatefulSet' : 'Deployment';
  return rulesOf(spec, named ?? { kind: selected, name });
}
