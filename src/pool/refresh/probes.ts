// Which workers are probed, where, and how urgently?
import { ASSIGNED_ANNOTATION, readAssigned, type Slice } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import type { Pod } from '../../api/observed.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import type { Step } from '../../core/decision.ts';
import type { WorkerProbe } from '../../core/worker-probe.ts';
import type { Member } from '../workers/members.ts';
import type { PoolWorld } from '../world.ts';
import { hasConverged } from './convergence.ts';
import { boundOf, type ReportBounds } from './report-bound.ts';

/**
 * Every worker with an address. Often while it is unconfirmed or not Ready, since an earlier answer
 * may no longer hold.
 */
export function probesOf(
  members: readonly Member[],
  slices: ReadonlyMap<string, Slice>,
  probe: SwarmPoolSpec['probe'],
  bounds: ReportBounds,
): readonly WorkerProbe[] {
  if (probe.type === 'None') return [];
  return members.flatMap((member) => {
    const { pod } = member;
    const slice = slices.get(member.name);
    const port = pod === undefined ? undefined : portOf(pod, probe.httpGet.port);
    if (
      pod?.ip === undefined ||
      port === undefined ||
      slice === undefined ||
      pod.isTerminating ||
      pod.hasEnded
    )
      return [];
    const host = pod.ip.includes(':') ? `[${pod.ip}]` : pod.ip;
    const url = `${probe.httpGet.scheme.toLowerCase()}://${host}:${port}${probe.httpGet.path}`;
    const isOutstanding = !pod.isReady || !hasConverged(member, slice);
    return [
      {
        podUid: pod.uid,
        url,
        awaiting: String(slice.version),
        isOutstanding,
        most: boundOf(member, slice, bounds),
      },
    ];
  });
}

export const portOf = (pod: Pod, port: number | string): number | undefined =>
  typeof port === 'number' ? port : own(pod.ports, port);

/**
 * A worker nudged now cannot have confirmed yet: the next decision probes it. If the nudge was
 * refused before, the file may follow by itself.
 */
export function probesAfterNudge(
  { refused }: PoolWorld,
  members: readonly Member[],
  probes: readonly WorkerProbe[],
  steps: readonly Step[],
): readonly WorkerProbe[] {
  const told = new Set(
    steps.flatMap((step) =>
      step.do === 'annotate' && isFirstNudge(step.annotations) ? [step.pod.uid] : [],
    ),
  );
  if (told.size === 0 || refused !== undefined) return probes;
  const answering = new Set(
    members.flatMap(({ pod, answer }) =>
      pod?.isReady === true && answer?.ok === true ? [pod.uid] : [],
    ),
  );
  return probes.map((probe) =>
    told.has(probe.podUid) && answering.has(probe.podUid)
      ? { ...probe, isOutstanding: false }
      : probe,
  );
}

const isFirstNudge = (annotations: Readonly<Record<string, string | null>>): boolean =>
  readAssigned(annotations[ASSIGNED_ANNOTATION] ?? undefined)?.attempt === 1;
