// How much of each ResourceQuota have jobs taken, and how much will they take for objects that do
// not exist yet?

import { takenBack } from '../../api/grants.ts';
import type { JobPod } from '../../api/job-pod.ts';
import type { LedgerEntry } from '../../api/ledger.ts';
import type { SwarmJob } from '../../api/validate.ts';
import { type Amounts, amountOf, sum } from '../../core/amounts.ts';
import { noDefaults } from '../../core/completed-pod.ts';
import { chargesOf, claimIn } from '../jobs.ts';
import { nothing, type Parts } from '../parts.ts';
import type { NamespaceQuota, QueueWorld } from '../world.ts';
import type { Taken } from './of-others.ts';
import { podCharges } from './resource-quotas.ts';

/**
 * Counts the pod as created: a webhook, or a LimitRange that has changed since, may have added to
 * the template. The operator cannot know whether a quota with scopes counts the pod.
 */
const takenByPod = ({ spec }: JobPod, quota: NamespaceQuota): Amounts =>
  quota.scopes.length > 0 ? new Map() : podCharges(spec, 1, quota, noDefaults);

const excessOver = (said: Amounts, amounts: Amounts): Amounts =>
  new Map(
    [...amounts].flatMap(([name, amount]) =>
      amount > amountOf(said, name) ? [[name, amount - amountOf(said, name)]] : [],
    ),
  );

export function takenOf(
  world: QueueWorld,
  entries: readonly LedgerEntry[],
  parts: ReadonlyMap<string, Parts>,
  jobs: ReadonlyMap<string, SwarmJob>,
): readonly Taken[] {
  const { resourceQuotas, podDefaults: defaults } = world;
  if (resourceQuotas.length === 0) return [];
  const promised = new Map<string, Amounts[]>(resourceQuotas.map(({ name }) => [name, []]));
  const ofJobs = new Map<string, Amounts[]>(resourceQuotas.map(({ name }) => [name, []]));
  const ofPods = new Map<string, Amounts[]>(resourceQuotas.map(({ name }) => [name, []]));
  const around = { quotas: resourceQuotas, defaults };
  const note = (
    to: ReadonlyMap<string, Amounts[]>,
    claim: Parameters<typeof chargesOf>[0],
  ): void => {
    for (const [name, charges] of chargesOf(claim, around)) to.get(name)?.push(charges);
  };
  for (const { uid, grant } of entries) {
    const { runs, pods } = parts.get(uid) ?? nothing;
    const claim = claimIn(jobs.get(uid), runs[0]);
    if (claim === undefined) continue;
    const run = runs.find((it) => (it.grant ?? 0) >= grant);
    const isOver = run?.end !== undefined || run?.grant === takenBack(grant);
    const size = isOver ? 0 : claim.size;
    note(ofJobs, { ...claim, size: Math.max(size, pods.length) });
    const counted = pods.filter((pod) => !world.freshPodsMs.has(pod.uid));
    for (const quota of resourceQuotas) {
      const said = podCharges(claim.podSpec, 1, quota, defaults);
      const added = pods.map((pod) => excessOver(said, takenByPod(pod, quota)));
      ofJobs.get(quota.name)?.push(...added);
      ofPods.get(quota.name)?.push(...counted.map((pod) => takenByPod(pod, quota)));
    }
    if (isOver) continue;
    note(promised, {
      ...claim,
      size: Math.max(0, size - counted.length),
      makesObjects: claim.makesObjects && run === undefined,
    });
  }
  return resourceQuotas.map(({ name, hard, used }) => ({
    name,
    hard,
    used,
    promised: sum(promised.get(name) ?? []),
    ofJobs: sum(ofJobs.get(name) ?? []),
    ofPods: sum(ofPods.get(name) ?? []),
  }));
}
