// Which steps publish a change?
import type { Step } from '../../core/decision.ts';
import { plural } from '../../core/meta.ts';
import type { DesiredState } from '../desired-state.ts';
import type { EventReason } from '../reasons.ts';
import { outdatedAfter, refreshOfChange } from '../refresh/refresh.ts';
import { unreportedChanges } from '../status/history.ts';
import { eventStep } from '../status/steps.ts';
import { neverReadyAfter } from '../workers/never-ready.ts';
import type { PoolWorld } from '../world.ts';
import type { Move } from './moves.ts';
import type { PublishedChange } from './notes.ts';
import type { ShardWrite } from './publication.ts';
import { shardsOf } from './published.ts';
import { movedToSteps, publishStep } from './write.ts';

/** The ConfigMaps first, then nudges for the workers whose slice changed. */
export function changeSteps(
  world: PoolWorld,
  desired: DesiredState,
  change: PublishedChange,
): readonly Step[] {
  const { spec, members, publication } = desired;
  const { assignment, moves, writes } = publication;
  const { name } = world.pool.meta;
  const changed = new Set(
    [...assignment.workloads]
      .filter(([, slice]) => slice.version === change.version)
      .map(([worker]) => worker),
  );
  return [
    ...movedToSteps(name, shardsOf(name, spec), world.published.shards),
    ...writes.map((write) => writeStep(world, desired, write, change, changed)),
    eventStep(world, {
      type: 'Normal',
      reason: 'Published' satisfies EventReason,
      action: 'Publish',
      message: changeText(change, moves),
    }),
    ...refreshOfChange(spec, members, assignment.workloads, changed),
  ];
}

function writeStep(
  { pool, published }: PoolWorld,
  { spec, members }: DesiredState,
  write: ShardWrite,
  change: PublishedChange,
  changed: ReadonlySet<string>,
): Step {
  const { name, namespace } = pool.meta;
  const here = members.filter((member) => write.assignment.workloads.has(member.name));
  return publishStep(
    { namespace, pool: name, goesWithPool: spec.assignments.whenDeleted === 'Delete' },
    write,
    change,
    {
      untold: unreportedChanges(pool.status, published.changes),
      outdated: outdatedAfter(spec, here, changed),
      neverReady: neverReadyAfter({
        members: here,
        known: published.neverReady,
        change,
        before: published.assignment?.workloads.size,
      }),
    },
  );
}

function changeText(
  { version, moves: moved, reason }: PublishedChange,
  moves: readonly Move[],
): string {
  const fresh = moves.filter(({ from }) => from === undefined).length;
  const gone = moves.filter(({ to }) => to === undefined).length;
  return `version ${version}: ${plural(moved, 'stream')} moved, ${fresh} new, ${gone} gone (${reason})`;
}
