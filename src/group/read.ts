// What must be recorded before a group is observed? The metrics and scales that the operator reads
// for it, and members that no group named when their last change arrived.
import type { SwarmGroup } from '../api/validate.ts';
import type { Clock } from '../runtime/clock.ts';
import type { MetricReadings } from '../runtime/metric-sources/readings.ts';
import type { ScaleReadings } from '../runtime/scales/readings.ts';
import type { KnownWorkloads } from '../runtime/store/workloads.ts';
import { type GroupCaches, memberKey } from './observe/caches.ts';
import type { MemberTimesNoted } from './observe/member-times.ts';
import { memberRefs, watched } from './observe/members.ts';
import { followMetric, followOthers, othersOf } from './observe/polled.ts';
import { memberName } from './world.ts';

type ReadingSources = {
  readonly clock: Clock;
  readonly workloads: KnownWorkloads;
  readonly caches: GroupCaches;
  readonly times: MemberTimesNoted;
  readonly metrics: MetricReadings;
  readonly scales: ScaleReadings;
};

export function readGroup(sources: ReadingSources, key: string, group: SwarmGroup): void {
  const { clock, workloads, times, metrics, scales } = sources;
  const { namespace } = group.meta;
  const members = memberRefs(workloads, group);
  followMetric(metrics, key, group);
  followOthers(scales, key, group, members);
  const others = othersOf(scales, group, members);
  for (const member of members) {
    const found =
      watched(sources, namespace, member).found ?? others.get(memberName(member))?.found;
    if (found !== undefined) times.take(memberKey(namespace, member), found, clock.monotonic());
  }
}
