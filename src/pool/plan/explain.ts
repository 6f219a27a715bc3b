// Why is a stream where it is, or nowhere? Read from the operator's own decision.
import { ANYTHING, type Slice } from '../../api/assignment.ts';
import type { Explanation } from '../../api/introspection.ts';
import { listed, plural } from '../../core/meta.ts';
import type { Basis } from '../decision.ts';
import type { DesiredState } from '../desired-state.ts';
import type { Blocked } from '../preconditions.ts';
import { hasConverged } from '../refresh/convergence.ts';
import type { Stream } from '../streams.ts';
import type { Member } from '../workers/members.ts';
import type { PoolWorld } from '../world.ts';
import { whyOf } from './why.ts';

export type ExplainResult =
  | { readonly ok: true; readonly explanation: Explanation }
  | { readonly ok: false; readonly blocked: Blocked };

export const explain = (world: PoolWorld, basis: Basis, name: string): ExplainResult =>
  basis.ok ? { ok: true, explanation: explanationOf(world, basis.desired, name) } : basis;

function explanationOf(world: PoolWorld, desired: DesiredState, name: string): Explanation {
  const slices = world.published.assignment?.workloads ?? new Map<string, Slice>();
  const worker = [...slices].find(([, { jobs }]) => jobs.includes(name))?.[0];
  const keeper =
    [...slices].find(([, { releasing }]) => releasing?.includes(name) === true)?.[0] ??
    (worker === undefined
      ? [...slices].find(([, { releasing }]) => releasing?.includes(ANYTHING) === true)?.[0]
      : undefined);
  const next = [...desired.assigned.jobs].find(([, jobs]) => jobs.includes(name))?.[0];
  const stream = desired.streams.find((it) => it.name === name);
  const where = {
    stream: name,
    ...(worker !== undefined && { worker }),
    ...(next !== undefined && next !== worker && { next }),
  };
  if (stream === undefined && worker === undefined && keeper === undefined) {
    return {
      ...where,
      state: 'Unlisted',
      because: [`it is not among the ${desired.streams.length} streams of the pool`],
    };
  }
  const complaint =
    desired.complaint === undefined
      ? []
      : [
          `${desired.complaint.reason}: ${desired.complaint.message}; what is published stays in force`,
        ];
  const refusal = desired.assigned.unassigned.find((it) => it.name === name);
  const kept =
    keeper === undefined
      ? []
      : [`${keeper} has not confirmed that it let go of it, and handoff Exclusive waits for that`];
  if (refusal !== undefined) {
    return {
      ...where,
      state: 'Nowhere',
      because: [`${refusal.reason}: ${refusal.message}`, ...kept, ...complaint],
    };
  }
  const move = desired.publication.moves.find((it) => it.stream === name);
  if (move !== undefined || worker === undefined) {
    const why = whyOf({
      streams: new Map(desired.streams.map((it) => [it.name, it])),
      status: world.pool.status,
      wasPublished: world.published.assignment !== undefined,
      first: desired,
      last: desired,
    });
    const waits =
      desired.plan === undefined
        ? []
        : ['the pool is paused: it stays where it is until that ends'];
    return {
      ...where,
      state: 'Moving',
      because: [...(move === undefined ? [] : [why(move)]), ...kept, ...waits, ...complaint],
    };
  }
  const member = desired.members.find((it) => it.name === worker);
  const isConfirmed = member !== undefined && hasConverged(member, slices.get(worker));
  const because = [
    ...(stream === undefined ? [] : reasonsFor(stream, worker, desired, member)),
    ...told(worker, member, isConfirmed),
    ...complaint,
  ];
  return { ...where, state: isConfirmed ? 'Confirmed' : 'Assigned', because };
}

function reasonsFor(
  stream: Stream,
  worker: string,
  desired: DesiredState,
  member: Member | undefined,
): readonly string[] {
  const { streams, spec } = desired;
  const { capacity } = spec.workers;
  const here = new Set(desired.slices.get(worker)?.jobs);
  const beside = streams.filter(({ name }) => here.has(name));
  const load = beside.reduce((sum, { weight }) => sum + weight, 0);
  const pinned = stream.ordinal !== undefined && stream.ordinal === member?.ordinal;
  return [
    ...(pinned ? [`it is pinned to ordinal ${stream.ordinal}`] : []),
    stream.weight >= capacity
      ? `it reserves ${stream.weight}, all that a worker can carry: ${worker} is its own`
      : stream.weight > 0
        ? `it reserves ${stream.weight} of ${capacity}; with all its streams ${worker} carries ${load}`
        : `it reserves nothing, and is one of ${plural(beside.length, 'stream')} there`,
    ...groupOf(stream, desired),
    ...(pinned ? [] : [staysBecause(desired)]),
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
    return 'it stays where it was: spec.rebalance.policy WhenRequired moves only what lost its worker';
  return assigned.deferred > 0
    ? `${plural(assigned.deferred, 'move')} will follow (spec.rebalance.maxMoves), this stream may be among them`
    : 'it stays where it was: to move it would make nothing more even';
}

function told(worker: string, member: Member | undefined, isConfirmed: boolean): readonly string[] {
  if (member === undefined) return [`${worker} is no worker of the pool any more`];
  const { answer, pod } = member;
  if (isConfirmed)
    return [
      answer?.ok === true
        ? `${worker} confirmed version ${answer.report.version}`
        : `${worker} is Ready since the change`,
    ];
  if (pod === undefined) return [`${worker} has no pod now; its streams wait for it`];
  if (answer === undefined || !answer.ok)
    return [`${worker} does not answer${pod.isReady ? '' : ', its pod is not Ready'}`];
  return [
    `${worker} answers version ${answer.report.version}, and ${listed(answer.report.jobs ?? []) || 'no streams'}`,
  ];
}
