// What is the world of one group? Collected from caches at one moment; changes and decides nothing.
import { kindOfMember } from '../api/member-kinds.ts';
import type { Target } from '../api/observed.ts';
import { hasPriority } from '../api/own-object.ts';
import type { SwarmGroup, SwarmGroupSpec } from '../api/validate.ts';
import type { Refusal } from '../core/decision.ts';
import { isPausedBy } from '../core/pause.ts';
import type { Reason } from '../core/reason.ts';
import { type Age, measureAges } from '../core/state-ages.ts';
import type { Clock } from '../runtime/clock.ts';
import type { MetricReadings } from '../runtime/metric-sources/readings.ts';
import type { ScaleReadings } from '../runtime/scales/readings.ts';
import type { KnownWorkloads } from '../runtime/store/workloads.ts';
import { annotatedRules } from './members/rules.ts';
import { type GroupCaches, memberKey } from './observe/caches.ts';
import type { MemberTimesNoted } from './observe/member-times.ts';
import { memberCount, memberRefs, watched } from './observe/members.ts';
import { nearLabelOf } from './observe/near-label.ts';
import { isNamed, metricOf, type OtherMember, othersOf } from './observe/polled.ts';
import { MOST_MEMBERS } from './preconditions.ts';
import type { ConflictReason } from './reasons.ts';
import {
  type GroupWorld,
  type MemberRef,
  memberName,
  type RememberedGroup,
  type Scalable,
  type SeenMember,
} from './world.ts';

/** The caches, reduced to methods that change nothing. */
type GroupSources = {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly workloads: KnownWorkloads;
  readonly caches: Pick<GroupCaches, 'groupsOf' | 'leaderOf'> & {
    readonly pools: Pick<GroupCaches['pools'], 'get'>;
  };
  readonly times: Pick<MemberTimesNoted, 'of'>;
  readonly metrics: Pick<MetricReadings, 'reading'>;
  readonly scales: Pick<ScaleReadings, 'kinds' | 'reading'>;
};

type Before = {
  readonly remembered: RememberedGroup;
  readonly refused: Refusal | undefined;
};

export function observeGroup(
  sources: GroupSources,
  key: string,
  group: SwarmGroup,
  { remembered, refused }: Before,
): GroupWorld {
  const { clock, scales, workloads } = sources;
  const monotonicMs = clock.monotonic();
  const { ages, states } = measureAges(remembered.ages, monotonicMs, (age) => agesOf(group, age));
  const members = memberRefs(workloads, group);
  const others = othersOf(scales, group, members);
  return {
    kind: 'SwarmGroup',
    group,
    members: members.map((ref) => seen(sources, group, ref, others.get(memberName(ref)))),
    ...(members.length === 0 && { nearLabel: nearLabelOf(workloads, group) }),
    ages,
    metric: metricOf(sources.metrics, key, group),
    remembered: { ...remembered, ages: states },
    monotonicMs,
    refused,
  };
}

/** A size that was set while the group was paused counts from the moment of its resumption. */
export function agesOf({ meta, spec, status }: SwarmGroup, age: Age): GroupWorld['ages'] {
  const pause = spec.ok && isPausedBy(meta, spec.value);
  return {
    sizeMs: age('size', spec.ok ? [...sizeSettings(spec.value), pause].join() : ''),
    drawnMs: age('drawn', [status?.drawn?.seed, status?.drawn?.number].join()),
    statusMs: age('status', JSON.stringify(status?.members ?? [])),
    failedMs: new Map(
      [...(status?.history ?? [])]
        .reverse()
        .filter(({ outcome }) => outcome === 'TimedOut' || outcome === 'RolledBack')
        .map((it) => [it.to, age(`failed ${it.to}`, it.requestTime)]),
    ),
  };
}

/** The fields that decide the size with policy Manual. */
const sizeSettings = ({ replicas, policy: { minReplicas, maxReplicas } }: SwarmGroupSpec) => [
  replicas,
  minReplicas,
  maxReplicas,
];

function seen(
  sources: GroupSources,
  group: SwarmGroup,
  ref: MemberRef,
  other: OtherMember | undefined,
): SeenMember {
  const { workloads, times, clock } = sources;
  const { namespace } = group.meta;
  const { target, ...own } = watched(sources, namespace, ref);
  const seenNow = own.found ?? other?.found;
  const trouble = target && troubleIn(workloads, target);
  const found = seenNow && {
    ...seenNow,
    ...(target !== undefined && annotatedIn(group, target)),
    ...(trouble !== undefined && { trouble }),
    times: times.of(memberKey(namespace, ref), clock.monotonic()),
  };
  const conflict = conflictOf(sources, group, ref, target);
  const { unread } = other ?? {};
  return { ...ref, found, ...(unread !== undefined && { unread }), conflict };
}

/** The rules in a member's annotations, which count if a selector finds the member. */
function annotatedIn({ spec }: SwarmGroup, { memberAnnotations }: Target): Partial<Scalable> {
  if (!spec.ok || spec.value.selector === undefined) return {};
  const { minReplicas, maxReplicas = Number.POSITIVE_INFINITY } = spec.value.memberDefaults;
  const found = annotatedRules(memberAnnotations, { minReplicas, maxReplicas });
  return found.ok ? { rules: found.rules } : { refusal: found.problem };
}

/** Pods are watched only if the operator also reconciles SwarmPools. */
function troubleIn(workloads: KnownWorkloads, target: Target): string | undefined {
  if (target.size.ready >= target.replicas) return undefined;
  const [first] = workloads.podsOf(target).flatMap((pod) => (pod.isReady ? [] : pod.trouble) ?? []);
  return first ?? target.createFailure;
}

/** The autoscaler, pool, or older group that scales the member. */
function conflictOf(
  sources: GroupSources,
  group: SwarmGroup,
  member: MemberRef,
  target: Target | undefined,
): Reason<ConflictReason> | undefined {
  const { workloads, caches } = sources;
  const { namespace } = group.meta;
  const kind = kindOfMember(member);
  const autoscaler = workloads.autoscalerOf(kind, { namespace, name: member.name });
  if (autoscaler !== undefined) {
    const message = `HorizontalPodAutoscaler ${autoscaler} scales it: point the autoscaler at the group, or remove this member from the group`;
    return { reason: 'AutoscalerConflict', message };
  }
  const leader = target && caches.leaderOf(target);
  if (leader !== undefined) {
    const message = `SwarmPool ${leader.name} scales it: make the pool the member instead`;
    return { reason: 'TargetConflict', message };
  }
  const [older] = caches
    .groupsOf(namespace, member, target)
    .filter((other) => hasPriority(other.meta, group.meta))
    // A blocked group scales nothing.
    .filter((other) => memberCount(sources.workloads, other) <= MOST_MEMBERS)
    // Groups may not be allowed to scale another version of the member's kind.
    .filter((other) => mayScale(sources, other, memberKey(namespace, member)));
  return older === undefined
    ? undefined
    : {
        reason: 'TargetConflict',
        message: `the older SwarmGroup ${older.meta.name} scales it`,
      };
}

const mayScale = (sources: GroupSources, { meta, spec }: SwarmGroup, key: string): boolean =>
  ((spec.ok && spec.value.members) || [])
    .filter((theirs) => memberKey(meta.namespace, theirs) === key)
    .every((theirs) => isNamed(sources.scales, theirs));
