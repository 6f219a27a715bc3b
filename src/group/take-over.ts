// What is spec.replicas to be where it is left out? A size that gives each member what it has.
import type { SwarmGroupSpec } from '../api/validate.ts';
import { listed } from '../core/text.ts';
import { isFree } from './members/members.ts';
import { rulesOf, sizesGiving } from './members/sizes.ts';
import type { Bounds } from './policy/bounds.ts';
import { type GroupWorld, memberName } from './world.ts';

/** Undefined: there is none. */
export function sizeThatFits(
  { members }: GroupWorld,
  spec: SwarmGroupSpec,
  bounds: Bounds,
): number | undefined {
  const ranges = members
    .filter(isFree)
    .map((member) => sizesGiving(member.found.replicas, rulesOf(spec, member, member.found.rules)));
  let [least, most] = [bounds.least.value, bounds.most.value];
  for (const range of ranges) {
    if (range === undefined) return undefined;
    [least, most] = [Math.max(least, range.least), Math.min(most, range.most)];
  }
  return ranges.length > 0 && least <= most ? least : undefined;
}

export const missingMembers = ({ members }: GroupWorld): readonly string[] =>
  members
    .filter(({ found }) => found === undefined || found.isDeleting)
    .map((member) => {
      const { unread } = member;
      return unread === undefined ? memberName(member) : `${memberName(member)} (${unread.why})`;
    });

/** "Deployment/db 1, Deployment/web 3" */
export const sizesText = ({ members }: GroupWorld): string =>
  listed(
    members.flatMap((member) =>
      member.found === undefined ? [] : [`${memberName(member)} ${member.found.replicas}`],
    ),
  );
