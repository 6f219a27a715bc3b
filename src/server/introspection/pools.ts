// What is shown of a pool? What was seen, what was decided and why, and what is awaited.
import type { LastChange, Pool, PoolDetail, ShownStep } from '../../api/introspection.ts';
import type { Condition } from '../../core/conditions.ts';
import type { Step } from '../../core/decision.ts';
import { timeText } from '../../core/text.ts';
import { desiredIn } from '../../pool/decision.ts';
import { figuresOf, statusAfter } from '../../pool/status/figures.ts';
import type { Snapshot } from './snapshots.ts';
import { firstOf as first } from './truncate.ts';

/**
 * Summarized once for each observation: a page asks for all pools again and again, and a pool takes
 * the longer the more workers it has.
 */
const summaries = new WeakMap<Snapshot, Pool>();

export function summaryOf(snapshot: Snapshot): Pool {
  const told = summaries.get(snapshot) ?? summarised(snapshot);
  summaries.set(snapshot, told);
  return told;
}

function summarised(snapshot: Snapshot): Pool {
  const { world, decision } = snapshot;
  const { counts, ownership } = figuresOf(world, decision);
  const told = statusAfter(world, decision);
  const { reason = '', message = '' } = mostImportant(told?.conditions) ?? {};
  const { meta, spec } = world.pool;
  return {
    namespace: meta.namespace,
    name: meta.name,
    ...counts,
    withoutOwner: ownership.unowned,
    doubled: ownership.doubled.size,
    target: told?.target ?? '',
    ...(spec.ok && { scaling: spec.value.workers.scaling }),
    reason,
    message,
  };
}

export function detailOf(snapshot: Snapshot): PoolDetail {
  const { world, decision, now } = snapshot;
  const told = statusAfter(world, decision);
  const unassigned = desiredIn(decision)?.assigned.unassigned ?? [];
  return {
    ...summaryOf(snapshot),
    asOf: timeText(now),
    generation: world.pool.meta.generation,
    conditions: told?.conditions ?? [],
    history: told?.history ?? [],
    unassignedStreams: first(
      unassigned.map(({ name, reason, message }) => ({ name, reason, message })),
    ),
    decision: {
      steps: first(decision.steps.map(shown)),
      ...changeIn(snapshot),
      ...obstacleIn(snapshot),
      ...(decision.requeueAfterMs !== undefined && {
        requeueAfterSeconds: decision.requeueAfterMs / 1000,
      }),
    },
  };
}

/** What is published anew, if anything is. */
export function changeDecided({
  world,
  decision,
}: Pick<Snapshot, 'world' | 'decision'>): LastChange | undefined {
  const desired = desiredIn(decision);
  if (desired === undefined || world.pool.meta.isDeleting) return undefined;
  const { change, moves } = desired.publication;
  return change === undefined || desired.plan !== undefined
    ? undefined
    : { version: change.version, reason: change.reason, moves: first(moves) };
}

function changeIn(snapshot: Snapshot): Pick<PoolDetail['decision'], 'change' | 'plan'> {
  const plan = desiredIn(snapshot.decision)?.plan;
  if (plan !== undefined) return { plan: first(plan) };
  const change = changeDecided(snapshot);
  return change === undefined ? {} : { change };
}

function obstacleIn({
  world,
  decision: { basis },
}: Snapshot): Pick<PoolDetail['decision'], 'obstacle'> {
  const found = basis?.ok === false ? basis.blocked : world.refused;
  return found === undefined ? {} : { obstacle: { reason: found.reason, message: found.message } };
}

/**
 * Whom it concerns and what it is about; never what is written: that may hold what streams were
 * given as parameters.
 */
function shown(step: Step): ShownStep {
  switch (step.do) {
    case 'create':
      return { do: step.do, kind: step.kind.kind, name: step.object.metadata.name };
    case 'patch':
    case 'delete':
    case 'status':
      return { do: step.do, kind: step.kind.kind, name: step.ref.name };
    case 'scale':
      return {
        do: step.do,
        kind: step.kind.kind,
        name: step.ref.name,
        about: `${step.replicas} replicas`,
      };
    case 'annotate':
    case 'evict':
      return { do: step.do, kind: 'Pod', name: step.pod.name };
    case 'event':
      return {
        do: step.do,
        kind: step.regarding.kind,
        name: step.regarding.name,
        about: `${step.event.reason}: ${step.event.message}`,
      };
    default:
      return step satisfies never;
  }
}

/** As a person would ask: is it stuck for good, and if not, is it ready? */
function mostImportant(conditions: readonly Condition[] | undefined): Condition | undefined {
  const find = (type: string): Condition | undefined =>
    conditions?.find((condition) => condition.type === type);
  const stalled = find('Stalled');
  return stalled?.status === 'True' ? stalled : find('Ready');
}
