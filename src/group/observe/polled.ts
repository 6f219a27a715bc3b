// Which facts does no watch report, so that the operator reads them again and again? The metric of
// a group, and its members of kinds that the administrator allows.
import { namedText } from '../../api/kinds.ts';
import { builtInKindOf, builtInKinds, kindOfMember } from '../../api/member-kinds.ts';
import type { SwarmGroup } from '../../api/validate.ts';
import type { MetricReading } from '../../core/metric.ts';
import type { MetricQuestion, MetricReadings } from '../../runtime/metric-sources/readings.ts';
import type { ScaledRef, ScaleReading, ScaleReadings } from '../../runtime/scales/readings.ts';
import { type MemberRef, memberName, type Unread } from '../world.ts';
import { asScale, type Timeless } from './scalable.ts';

/** The metric source is read as long as the group has such a policy. */
export function followMetric(
  metrics: Pick<MetricReadings, 'follow' | 'release'>,
  key: string,
  group: SwarmGroup,
): void {
  const question = questionOf(group);
  if (question === undefined) metrics.release(key);
  else metrics.follow(key, group.meta.namespace, question);
}

export const metricOf = (
  metrics: Pick<MetricReadings, 'reading'>,
  key: string,
  group: SwarmGroup,
): MetricReading => (questionOf(group) === undefined ? { state: 'pending' } : metrics.reading(key));

function questionOf({ meta, spec }: SwarmGroup): MetricQuestion | undefined {
  const { policy } = spec.ok ? spec.value : {};
  if (policy?.prometheus === undefined || meta.isDeleting) return undefined;
  const { source, query } = policy.prometheus;
  return { source, query, periodMs: policy.periodSeconds * 1000 };
}

type Named = Pick<ScaleReadings, 'kinds'>;

export type OtherMember = {
  readonly found: Timeless | undefined;
  readonly unread?: Unread;
};

/** The time between two reads while the group moves, and at rest. */
const MOVING_MS = 2_000;
const REST_MS = 30_000;

/** From now on the operator reads the scales of these members for this group. */
export function followOthers(
  scales: Pick<ScaleReadings, 'kinds' | 'follow'>,
  key: string,
  { meta, status }: SwarmGroup,
  members: readonly MemberRef[],
): void {
  const state = status?.transition?.state;
  const paceMs = state === 'Scaling' || state === 'RollingBack' ? MOVING_MS : REST_MS;
  const asked = meta.isDeleting ? [] : notWatched(members).filter((it) => isNamed(scales, it));
  scales.follow(
    key,
    asked.map((member) => scaledRef(meta, member)),
    paceMs,
  );
}

/** The members that are not watched, by name. */
export const othersOf = (
  scales: Pick<ScaleReadings, 'kinds' | 'reading'>,
  { meta }: SwarmGroup,
  members: readonly MemberRef[],
): ReadonlyMap<string, OtherMember> =>
  new Map(
    notWatched(members).map((member) => [
      memberName(member),
      otherMember(
        isNamed(scales, member)
          ? scales.reading(scaledRef(meta, member))
          : notNamed(scales, member),
      ),
    ]),
  );

const notWatched = (members: readonly MemberRef[]): readonly MemberRef[] =>
  members.filter((member) => builtInKindOf(member) === undefined);

const scaledRef = ({ namespace }: SwarmGroup['meta'], member: MemberRef): ScaledRef => ({
  ...kindOfMember(member),
  ...{ namespace, name: member.name },
});

/** Does the administrator allow groups to scale it? */
export function isNamed({ kinds }: Named, member: MemberRef): boolean {
  const wanted = namedText(kindOfMember(member));
  return builtInKindOf(member) !== undefined || kinds.some((it) => namedText(it) === wanted);
}

function notNamed({ kinds }: Named, { apiVersion, kind }: MemberRef): ScaleReading {
  const given =
    apiVersion === undefined ? `kind ${kind}` : `apiVersion ${apiVersion}, kind ${kind}`;
  const named = kinds.length === 0 ? 'none' : kinds.map(namedText).join(', ');
  const allowed = `${builtInKinds.join(', ')}, and the kinds that the administrator lists in --member-kinds (${named})`;
  return { state: 'refused', why: `${given} is not allowed; allowed are ${allowed}` };
}

function otherMember(reading: ScaleReading): OtherMember {
  switch (reading.state) {
    case 'found':
      return { found: asScale(reading) };
    case 'missing':
      return { found: undefined };
    case 'pending':
      return { found: undefined, unread: { isPending: true, why: 'not read yet' } };
    case 'refused':
      return { found: undefined, unread: { isPending: false, why: reading.why } };
    default:
      return reading satisfies never;
  }
}
