// Which worker of a pool does a user mean, and which streams would be without one after a change?
import type { MovePlan } from '../../api/introspection.ts';
import { hint } from '../../api/nearest.ts';
import type { SwarmPoolSpec } from '../../api/validate.ts';
import { listed } from '../../core/text.ts';
import type { Unassigned } from '../../pool/assign/result.ts';
import { decidePool } from '../../pool/decide.ts';
import type { DesiredState } from '../../pool/desired-state.ts';
import { planOf } from '../../pool/plan/plan.ts';
import { suppose } from '../../pool/plan/suppose.ts';
import { checkPreconditions } from '../../pool/preconditions.ts';
import type { PoolWorker } from '../../pool/workers/workers.ts';
import type { PoolWorld } from '../../pool/world.ts';
import { CommandError } from '../arguments/command.ts';
import { blockedText, type Terminal } from '../arguments/terminal.ts';
import type { Cluster } from './connect.ts';
import { observePool } from './observe-pool.ts';

type DecidedWorld = { readonly world: PoolWorld; readonly desired: DesiredState };

/** Where ordinals name workers: a pool with several targets has each of them several times. */
export async function readWorkers(
  { api, namespace }: Pick<Cluster, 'api' | 'namespace'>,
  pool: string,
): Promise<DecidedWorld> {
  const world = await observePool(api, namespace, pool, { probes: false });
  const { basis } = decidePool(world, Date.now());
  if (!basis.ok) throw new CommandError(blockedText(basis.blocked));
  const { targets } = basis.desired;
  if (targets.length > 1)
    throw new CommandError(
      `SwarmPool ${pool} has several targets (${listed(targets.map(({ name }) => name))}), so an ordinal does not identify one worker`,
    );
  return { world, desired: basis.desired };
}

/** By the name of its pod, or its number: the ordinal, of a Deployment the slot. */
export function workerNamed(
  { world, desired }: DecidedWorld,
  name: string,
): Pick<PoolWorker, 'name' | 'ordinal' | 'isCordoned'> {
  const workers = desired.workers.filter(({ isDesired }) => isDesired);
  const found = workers.find((it) => it.name === name || String(it.ordinal) === name);
  if (found !== undefined) return found;
  const names = workers.map((worker) => worker.name);
  const present = names.length === 0 ? 'it has no workers' : `its workers are ${listed(names)}`;
  throw new CommandError(
    `SwarmPool ${world.pool.meta.name} has no worker ${name}${hint(name, names)}; ${present}`,
  );
}

/** Those that have a worker now, and would have none. */
export function lostBy(
  { world, desired }: DecidedWorld,
  change: (spec: SwarmPoolSpec) => SwarmPoolSpec,
): readonly Unassigned[] {
  const after = changed(world, change);
  if (after === undefined) return [];
  const { basis } = decidePool(after, Date.now());
  const before = new Set(desired.assigned.unassigned.map(({ name }) => name));
  return basis.ok ? basis.desired.assigned.unassigned.filter(({ name }) => !before.has(name)) : [];
}

/** Streams that would leave their worker because of the change, and not without it. */
export function movesBy(
  { world }: DecidedWorld,
  change: (spec: SwarmPoolSpec) => SwarmPoolSpec,
): readonly MovePlan[] {
  const keyOf = ({ stream, from, to }: MovePlan): string => JSON.stringify([stream, from, to]);
  const pending = new Set(movesIn(world, (spec) => spec).map(keyOf));
  return movesIn(world, change).filter(
    (move) => move.from !== undefined && !pending.has(keyOf(move)),
  );
}

function movesIn(
  before: PoolWorld,
  change: (spec: SwarmPoolSpec) => SwarmPoolSpec,
): readonly MovePlan[] {
  const after = changed(before, change);
  if (after === undefined) return [];
  const checked = checkPreconditions(after);
  return checked.ok ? planOf({ before, after, checked, now: Date.now() }).moves : [];
}

/** Also of a paused pool: as it would be after it is resumed. */
function changed(
  world: PoolWorld,
  change: (spec: SwarmPoolSpec) => SwarmPoolSpec,
): PoolWorld | undefined {
  const { pool } = world;
  if (!pool.spec.ok) return undefined;
  const spec = { ok: true as const, value: change(pool.spec.value) };
  const after = suppose({ ...world, pool: { ...pool, spec } }, { add: [], remove: [] });
  return typeof after === 'string' ? undefined : after;
}

export function tellLost(lost: readonly Unassigned[], terminal: Terminal): void {
  const [first] = lost;
  const names = listed(lost.map(({ name }) => name));
  terminal.problem(
    `nothing was changed: ${names} would be left without a worker (${first?.reason}: ${first?.message}); use --force to do it anyway`,
  );
}
