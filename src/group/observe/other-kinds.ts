// What is known of the members of kinds that the operator does not watch? The administrator names
// these kinds, and their scales are asked again and again while a group is observed.
import { namedText } from '../../api/kinds.ts';
import { builtInKindOf, builtInKinds, kindOfMember } from '../../api/member-kinds.ts';
import type { SwarmGroup } from '../../api/validate.ts';
import type { ScaleReading, ScaleReadings } from '../../runtime/scales/readings.ts';
import { type MemberRef, memberName, type Unread } from '../world.ts';
import { asScale, type Timeless } from './scalable.ts';

export type Scales = Pick<ScaleReadings, 'kinds' | 'read'>;

export type OtherMember = {
  readonly found: Timeless | undefined;
  readonly unread?: Unread;
};

/** How often while the group moves, and else. */
const MOVING_MS = 2_000;
const REST_MS = 30_000;

/** By name; not those that are watched. */
export function readOthers(
  scales: Scales,
  key: string,
  { meta, status }: SwarmGroup,
  members: readonly MemberRef[],
): ReadonlyMap<string, OtherMember> {
  const { namespace, isDeleting } = meta;
  const state = status?.transition?.state;
  const paceMs = state === 'Scaling' || state === 'RollingBack' ? MOVING_MS : REST_MS;
  const others = members.filter((member) => builtInKindOf(member) === undefined);
  const asked = isDeleting ? [] : others.filter((member) => isNamed(scales, member));
  const refs = asked.map((member) => ({ ...kindOfMember(member), namespace, name: member.name }));
  const readings = scales.read(key, refs, paceMs);
  const known = new Map(asked.map((member, index) => [memberName(member), readings[index]]));
  return new Map(
    others.map((member) => {
      const name = memberName(member);
      return [name, otherMember(known.get(name) ?? notNamed(scales, member))];
    }),
  );
}

/** May this group scale it, as far as the administrator is concerned? */
export function isNamed({ kinds }: Pick<Scales, 'kinds'>, member: MemberRef): boolean {
  const wanted = namedText(kindOfMember(member));
  return builtInKindOf(member) !== undefined || kinds.some((it) => namedText(it) === wanted);
}

function notNamed({ kinds }: Scales, { apiVersion, kind }: MemberRef): ScaleReading {
  const given =
    apiVersion === undefined ? `kind ${kind}` : `apiVersion ${apiVersion}, kind ${kind}`;
  const named = kinds.length === 0 ? 'none' : kinds.map(namedText).join(', ');
  const allowed = `${builtInKinds.join(', ')}, and what the administrator names by --member-kinds (${named})`;
  return { state: 'refused', why: `it has ${given}; allowed are ${allowed}` };
}

function otherMember(reading: ScaleReading): OtherMember {
  switch (reading.state) {
    case 'found':
      return { found: asScale(reading) };
    case 'missing':
      return { found: undefined };
    case 'pending':
      return { found: undefined, unread: { isPending: true, why: 'it is being read' } };
    case 'refused':
      return { found: undefined, unread: { isPending: false, why: reading.why } };
    default:
      return reading satisfies never;
  }
}
