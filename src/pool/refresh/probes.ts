// Which workers are probed, where, and how urgently?
import { ASSIGNED_ANNOTATION, readAssigned } from '../../api/assignment.ts';
import { own } from '../../api/objects.ts';
import type { Pod } from '../../api/observed.ts';
import type { Step } from '../../core/decision.ts';
import type { WorkerProbe } from '../../core/worker-probe.ts';
import type { DesiredState } from '../desired-state.ts';
import { livePod } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';
import { hasConverged } from './convergence.ts';
import { boundOf } from './report-bound.ts';

/** Often while a worker is unconfirmed or not Ready: an earlier answer may no longer hold. */
export function probesOf(
  { published, highestSeen }: PoolWorld,
  { workers, slices, streams, spec: { probe } }: DesiredState,
): readonly WorkerProbe[] {
  if (probe.type === 'None') return [];
  const isRecordWhole = (published.assignment?.version ?? 0) >= highestSeen;
  return workers.flatMap((worker) => {
    const pod = livePod(worker);
    const slice = slices.get(worker.name);
    const port = pod === undefined ? undefined : portOf(pod, probe.httpGet.port);
    if (pod?.ip === undefined || port === undefined || slice === undefined) return [];
    const host = pod.ip.includes(':') ? `[${pod.ip}]` : pod.ip;
    const url = `${probe.httpGet.scheme.toLowerCase()}://${host}:${port}${probe.httpGet.path}`;
    const isOutstanding = !pod.isReady || !hasConverged(worker, slice);
    const most = boundOf(worker, slice, streams, isRecordWhole);
    return [{ podUid: pod.uid, url, awaiting: String(slice.version), isOutstanding, most }];
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
  { workers }: DesiredState,
  probes: readonly WorkerProbe[],
  steps: readonly Step[],
): readonly WorkerProbe[] {
  const nudged = new Set(
    steps.flatMap((step) =>
      step.do === 'annotate' && isFirstNudge(step.annotations) ? [step.pod.uid] : [],
    ),
  );
  if (nudged.size === 0 || refused !== undefined) return probes;
  const answering = new Set(
    workers.flatMap(({ pod, answer }) =>
      pod?.isReady === true && answer?.ok === true ? [pod.uid] : [],
    ),
  );
  return probes.map((probe) =>
    nudged.has(probe.podUid) && answering.has(probe.podUid)
      ? { ...probe, isOutstanding: false }
      : probe,
  );
}

const isFirstNudge = (annotations: Readonly<Record<string, string | null>>): boolean =>
  readAssigned(annotations[ASSIGNED_ANNOTATION] ?? undefined)?.attempt === 1;
