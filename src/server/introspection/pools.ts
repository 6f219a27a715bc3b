// What did the engine last observe and decide about each pool, and what is shown of it?
import type { LastChange, Pool, PoolDetail, ShownStep } from '../../api/introspection.ts';
import { keyOf } from '../../api/objects.ts';
import type { Condition } from '../../core/conditions.ts';
import type { Step } from '../../core/decision.ts';
import { keptFor } from '../../core/kept.ts';
import { timeText } from '../../core/text.ts';
import { desiredIn, type PoolDecision, type PoolReport } from '../../pool/decision.ts';
import { figuresOf, statusAfter } from '../../pool/status/figures.ts';
import type { PoolWorld } from '../../pool/world.ts';
import { firstOf as first } from './page.ts';

/** Kept, because it takes the longer the more workers the pool has. */
export const summaryOf = keptFor(({ world, decision }: Snapshot): Pool => {
  const { counts, ownership } = figuresOf(world, decision);
  const status = statusAfter(world, decision);
  const { reason = '', message = '' } = mostImportant(status?.conditions) ?? {};
  const { meta, spec } = world.pool;
  return {
    namespace: meta.namespace,
    name: meta.name,
    ...counts,
    withoutOwner: ownership.unowned,
    doubled: ownership.doubled.size,
    target: status?.target ?? '',
    ...(spec.ok && { scaling: spec.value.workers.scaling }),
    reason,
    message,
  };
});

export function detailOf(snapshot: Snapshot): PoolDetail {
  const { world, decision, now } = snapshot;
  const status = statusAfter(world, decision);
  const { assigned, plan } = desiredIn(decision) ?? {};
  const obstacle = decision.basis?.ok === false ? decision.basis.blocked : world.refused;
  return {
    ...summaryOf(snapshot),
    asOf: timeText(now),
    generation: world.pool.meta.generation,
    conditions: status?.conditions ?? [],
    history: status?.history ?? [],
    unassignedStreams: first(
      (assigned?.unassigned ?? []).map(({ name, reason, message }) => ({ name, reason, message })),
    ),
    decision: {
      steps: first(decision.steps.map(shown)),
      change: changeDecided(snapshot),
      plan: plan && first(plan),
      obstacle: obstacle && { reason: obstacle.reason, message: obstacle.message },
      ...(decision.requeueAfterMs !== undefined && {
        requeueAfterSeconds: decision.requeueAfterMs / 1000,
      }),
    },
  };
}

/** The new publication, if there is one. */
function changeDecided({ world, decision }: Observed): LastChange | undefined {
  const desired = desiredIn(decision);
  if (desired === undefined || world.pool.meta.isDeleting) return undefined;
  const { change, moves } = desired.publication;
  return change === undefined || desired.plan !== undefined
    ? undefined
    : { version: change.version, reason: change.reason, moves: first(moves) };
}

/** Never what is written: that may hold the parameters of streams. */
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

/** Stalled, if it is true, and else Ready. */
const mostImportant = (conditions: readonly Condition[] = []): Condition | undefined =>
  conditions.find(({ type, status }) => type === 'Stalled' && status === 'True') ??
  conditions.find(({ type }) => type === 'Ready');

type Observed = { readonly world: PoolWorld; readonly decision: PoolDecision };

export type Snapshot = Observed & {
  readonly now: number;
  /** The last change that this operator decided on: its moves are written nowhere else. */
  readonly lastChange?: LastChange | undefined;
};

type Listener = (key: string) => void;

/** A question gathers nothing anew. */
export class Snapshots {
  readonly #byKey = new Map<string, Snapshot>();
  readonly #listeners = new Set<Listener>();

  decided(key: string, { world, decision, now }: Omit<PoolReport, 'tookMs'>): void {
    if (world.kind === 'SwarmPool') {
      const lastChange = changeDecided({ world, decision }) ?? this.#byKey.get(key)?.lastChange;
      this.#byKey.set(key, { world, decision, now, lastChange });
      this.#notify(key);
    } else this.forgotten(key);
  }

  failed(): void {
    // The next decision tells what came of it.
  }

  forgotten(key: string): void {
    if (this.#byKey.delete(key)) this.#notify(key);
  }

  get(namespace: string, name: string): Snapshot | undefined {
    return this.#byKey.get(keyOf({ namespace, name }));
  }

  /** In the order of namespaces and names. */
  entries(): readonly (readonly [string, Snapshot])[] {
    return [...this.#byKey].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(key: string): void {
    for (const listener of this.#listeners) listener(key);
  }
}
