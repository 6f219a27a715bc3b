// Why is a stream where it is, or nowhere? Read from the operator's own decision.

import { ANYTHING, placedIn, type Slice } from '../../api/assignment.ts';
import type { Explanation } from '../../api/introspection.ts';
import { hint } from '../../api/nearest.ts';
import { listed, plural } from '../../core/text.ts';
import type { Basis } from '../decide.ts';
import type { DesiredState } from '../desired-state.ts';
import type { Blocked } from '../preconditions.ts';
import { downAsNoted, downOf } from '../status/down.ts';
import { keptText } from '../status/events.ts';
import type { Stream } from '../streams/streams.ts';
import { hasConverged, loadOf, type PoolWorker } from '../workers/workers.ts';
import type { PoolWorld } from '../world.ts';
import { whetherElsewhere } from './elsewhere.ts';
import { toldStream } from './stream-list.ts';
import { whyOf } from './why.ts';

export type ExplainResult =
  | { readonly ok: true; readonly explanation: Explanation }
  | { readonly ok: false; readonly blocked: Blocked };

export const explain = (
  world: PoolWorld,
  basis: Basis,
  name: string,
  now: number,
): ExplainResult =>
  basis.ok ? { ok: true, explanation: explanationOf(world, basis.desired, name, now) } : basis;

function explanationOf(
  world: PoolWorld,
  desired: DesiredState,
  stream: string,
  now: number,
): Explanation {
  const { streams, assigned, publication, isPaused, stranded } = desired;
  const slices = world.published.assignment?.workloads ?? new Map<string, Slice>();
  const keeperOf = (name: string): string | undefined =>
    [...slices].find(([, { releasing }]) => releasing?.includes(name) === true)?.[0];
  const worker = [...slices].find(([, slice]) => placedIn(slice).includes(stream))?.[0];
  const keeper = keeperOf(stream) ?? (worker === undefined ? keeperOf(ANYTHING) : undefined);
  const next = [...assigned.jobs].find(([, jobs]) => jobs.includes(stream))?.[0];
  const entry = streams.find((it) => it.name === stream);
  const where = {
    stream,
    ...(worker !== undefined && { worker }),
    ...(next !== undefined && next !== worker && { next }),
  };
  if (entry === undefined && worker === undefined && keeper === undefined) {
    const names = streams.map(({ name }) => name);
    const because = [
      `it is not among the ${streams.length} streams of the pool${hint(stream, names)}`,
    ];
    return { ...where, state: 'Unlisted', because };
  }
  if (desired.completed.has(stream)) {
    const because = [
      'it is recorded as completed and does not run again (streamPolicy.completion Once)',
    ];
    return { ...where, state: 'Completed', because };
  }
  const complaints = complaintsAbout(stream, desired);
  const { unassigned } = stranded.has(stream) ? desired : assigned;
  const refusal = unassigned.find((it) => it.name === stream);
  const kept =
    keeper === undefined
      ? []
      : [`${keeper} has not confirmed that it released it, and handoff Exclusive waits for that`];
  if (refusal !== undefined) {
    const because = [`${refusal.reason}: ${refusal.message}`, ...kept, ...complaints];
    return { ...where, state: 'Nowhere', because };
  }
  const move = publication.moves.find((it) => it.stream === stream);
  if (move !== undefined || worker === undefined) {
    const why = whyOf(world, streams, desired, desired);
    const waits = isPaused
      ? ['the pool is paused: it stays where it is until the pool is resumed']
      : [];
    const because = [...(move === undefined ? [] : [why(move)]), ...kept, ...waits, ...complaints];
    return { ...where, state: 'Moving', because };
  }
  const owner = desired.workers.find((it) => it.name === worker);
  const isConfirmed = owner !== undefined && hasConverged(owner, slices.get(worker));
  const isToRun = owner !== undefined && entry?.isSuspended !== true;
  const found = isToRun ? downOf(world, desired, owner) : undefined;
  const down = found && downAsNoted(found, world.pool, worker, now);
  const because = [
    ...(down === undefined ? [] : [`${worker} is down: ${down.why}`, down.takeover]),
    ...(entry?.isSuspended === true
      ? ['it is suspended (suspend: true): it keeps its worker and does not run']
      : []),
    ...(entry === undefined ? [] : reasonsFor(entry, worker, desired, owner)),
    ...(down === undefined
      ? [
          confirmationText(worker, owner, isConfirmed),
          ...healthText(world, owner, stream, slices.get(worker)),
        ]
      : []),
    ...whetherElsewhere(world, desired, stream, owner),
    ...complaints,
  ];
  const state = down !== undefined ? 'Down' : isConfirmed ? 'Confirmed' : 'Assigned';
  return { ...where, state, because };
}

function complaintsAbout(
  stream: string,
  { blockedParts: { list: complaint }, removal }: DesiredState,
): readonly string[] {
  if (complaint !== undefined)
    return [`${complaint.reason}: ${complaint.message}; the published assignment stays in force`];
  return removal?.state === 'Held' && removal.held.has(stream)
    ? [`it is no longer in the list, but keeps running: LargeRemoval: ${removal.message}`]
    : [];
}

/** The worker's report, or the pool's status if the worker was not reached. */
function healthText(
  { pool }: PoolWorld,
  worker: PoolWorker | undefined,
  stream: string,
  slice: Slice | undefined,
): readonly string[] {
  if (worker === undefined || slice === undefined) return [];
  const told = toldStream(worker, slice, pool.status, stream);
  if (told === undefined) return [];
  const { state, restarts = 0, since, message } = told;
  const facts = [
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(restarts > 0 ? [`restarted ${plural(restarts, 'time')}`] : []),
    ...(message === undefined ? [] : [message]),
  ];
  return [`${worker.name} reports it as ${state}${facts.map((it) => `, ${it}`).join('')}`];
}

function reasonsFor(
  stream: Stream,
  worker: string,
  desired: DesiredState,
  owner: PoolWorker | undefined,
): readonly string[] {
  const { capacity } = desired.spec.workers;
  const slice = desired.slices.get(worker);
  const count = slice === undefined ? 0 : placedIn(slice).length;
  const load = loadOf(slice);
  const kept = desired.assigned.kept.find(({ name }) => name === stream.name);
  const { weight } = kept ?? stream;
  const pinned = stream.ordinal !== undefined && stream.ordinal === owner?.ordinal;
  return [
    ...(pinned ? [`it is pinned to ordinal ${stream.ordinal}`] : []),
    ...(kept === undefined ? [] : [`${kept.reason}: ${keptText(kept)}`]),
    weight >= capacity
      ? `it reserves ${weight}, the whole capacity of ${worker}`
      : weight > 0
        ? `it reserves ${weight} of ${capacity}; with all its streams ${worker} carries ${load}`
        : `it reserves nothing, and is one of ${plural(count, 'stream')} there`,
    ...groupOf(stream, desired),
    ...(pinned || kept !== undefined ? [] : [staysBecause(desired)]),
  ];
}

function groupOf({ spreadGroup }: Stream, { streams, slices }: DesiredState): readonly string[] {
  if (spreadGroup === undefined) return [];
  const group = new Set(
    streams.filter((it) => it.spreadGroup === spreadGroup).map(({ name }) => name),
  );
  const workers = [...slices.values()].filter(({ jobs }) =>
    jobs.some((job) => group.has(job)),
  ).length;
  return [`group ${spreadGroup}: ${plural(group.size, 'stream')} on ${plural(workers, 'worker')}`];
}

function staysBecause({ spec, assigned }: DesiredState): string {
  if (spec.rebalance.policy === 'WhenRequired')
    return 'it stays where it was: spec.rebalance.policy WhenRequired moves only streams that lost their worker';
  return assigned.deferred > 0
    ? `${plural(assigned.deferred, 'move')} will follow (spec.rebalance.maxMoves); this stream may be among them`
    : 'moving it would not improve the balance';
}

function confirmationText(
  name: string,
  worker: PoolWorker | undefined,
  isConfirmed: boolean,
): string {
  if (worker === undefined) return `${name} is no longer a worker of the pool`;
  const { answer, pod } = worker;
  if (isConfirmed)
    return answer?.ok === true
      ? `${name} confirmed version ${answer.report.version}`
      : `${name} is Ready since the change`;
  if (pod === undefined) return `${name} has no pod now; its streams wait for it`;
  if (answer === undefined)
    return `${name} has not been probed yet${pod.isReady ? '' : ', its pod is not Ready'}`;
  if (!answer.ok)
    return `${name} does not answer${pod.isReady ? '' : ', its pod is not Ready'}: ${answer.reason}`;
  const { version, jobs = [] } = answer.report;
  return `${name} reports version ${version}, and ${listed(jobs) || 'no streams'}`;
}
