// What did the engine last observe and decide about each pool, and what is shown of it?
import type { LastChange, Pool, PoolDetail } from '../../api/introspection.ts';
import { memoize } from '../../core/memoize.ts';
import { timeText } from '../../core/text.ts';
import { desiredIn, type PoolDecision, type PoolReport } from '../../pool/decide.ts';
import { downWorkers } from '../../pool/status/down.ts';
import { figuresOf, statusAfter } from '../../pool/status/figures.ts';
import type { PoolWorld } from '../../pool/world.ts';
import { decisionShown, mostImportant } from './decided.ts';
import { firstOf as first } from './page.ts';
import { Snapshots } from './snapshots.ts';

/** Of the streams that fail, in brief. */
const MOST_NAMED = 3;

const downIn = memoize(({ world, decision, now }: PoolSnapshot) => {
  const desired = desiredIn(decision);
  if (desired === undefined || world.pool.meta.isDeleting) return [];
  return downWorkers(world, desired, now);
});

/** Kept, because it takes the longer the more workers the pool has. */
const summaryOf = memoize((snapshot: PoolSnapshot): Pool => {
  const { world, decision } = snapshot;
  const { counts, ownership } = figuresOf(world, decision);
  const status = statusAfter(world, decision);
  const { reason = '', message = '' } = mostImportant(status?.conditions) ?? {};
  const { meta, spec } = world.pool;
  const down = downIn(snapshot).find(({ hasCause }) => hasCause);
  const failing = (status?.failing ?? []).slice(0, MOST_NAMED).map(({ name }) => name);
  const complete = status?.conditions?.find(({ type }) => type === 'Complete');
  return {
    namespace: meta.namespace,
    name: meta.name,
    ...counts,
    down: status?.streams?.down ?? 0,
    ...(down !== undefined && { firstDown: `${down.name}: ${down.why}` }),
    ...(failing.length > 0 && { failingNames: failing }),
    ...(complete !== undefined && { isComplete: complete.status === 'True' }),
    withoutOwner: ownership.unowned,
    doubled: ownership.doubled.size,
    target: status?.target ?? '',
    ...(spec.ok && { scaling: spec.value.workers.scaling }),
    reason,
    message,
  };
});

export function detailOf(snapshot: PoolSnapshot): PoolDetail {
  const { world, decision, now } = snapshot;
  const status = statusAfter(world, decision);
  const desired = desiredIn(decision);
  const obstacle = decision.basis?.ok === false ? decision.basis.blocked : world.refused;
  return {
    ...summaryOf(snapshot),
    asOf: timeText(now),
    generation: world.pool.meta.generation,
    conditions: status?.conditions ?? [],
    history: status?.history ?? [],
    unassignedStreams: first(
      (desired?.unassigned ?? []).map(({ name, reason, message }) => ({ name, reason, message })),
    ),
    downWorkers: first(downIn(snapshot)),
    failingStreams: { total: status?.streams?.failing ?? 0, first: status?.failing ?? [] },
    decision: {
      ...decisionShown(decision, obstacle),
      change: changeDecided(snapshot),
      plan: desired?.isPaused === true ? first(desired.publication.moves) : undefined,
    },
  };
}

/** The new publication, if there is one. */
function changeDecided({ world, decision }: Observed): LastChange | undefined {
  const desired = desiredIn(decision);
  if (desired === undefined || world.pool.meta.isDeleting) return undefined;
  const { change, moves } = desired.publication;
  return change === undefined || desired.isPaused
    ? undefined
    : { version: change.version, reason: change.reason, moves: first(moves) };
}

type Observed = { readonly world: PoolWorld; readonly decision: PoolDecision };

export type PoolSnapshot = Observed & {
  readonly now: number;
  /** The last change that this operator decided on: its moves are written nowhere else. */
  readonly lastChange?: LastChange | undefined;
};

export class PoolSnapshots extends Snapshots<PoolSnapshot> {
  readonly kind = 'SwarmPool';
  readonly events = { changed: 'pool', gone: 'gone' };
  readonly inShort = summaryOf;

  decided(key: string, { world, decision, now }: Omit<PoolReport, 'tookMs'>): void {
    if (world.kind === 'SwarmPool') {
      const lastChange = changeDecided({ world, decision }) ?? this.get(key)?.lastChange;
      this.keep(key, { world, decision, now, lastChange });
    } else this.forgotten(key);
  }
}
