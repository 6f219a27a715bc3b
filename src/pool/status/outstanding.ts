// Which workers does a pool wait for, and why?
import type { Reason } from '../../core/reason.ts';
import { listed, plural } from '../../core/text.ts';
import type { DesiredState } from '../desired-state.ts';
import type { ProgressReason } from '../reasons.ts';
import type { PoolWorld } from '../world.ts';
import { causeOf, downOf } from './down.ts';
import type { WorkerStatus } from './worker-state.ts';

/** The workers that have not finished; workers that are down with their streams come first. */
export function outstanding(
  world: PoolWorld,
  desired: DesiredState,
  workers: readonly WorkerStatus[],
): Reason<ProgressReason> {
  const {
    assigned,
    ending,
    isPaused,
    publication,
    isPending,
    stranded,
    workers: all,
    availability,
  } = desired;
  const troubled = new Map(
    all.flatMap((it) => (causeOf(it, availability) === undefined ? [] : [[it.name, it] as const])),
  );
  const down = new Map(
    all.flatMap((it) => {
      const found = downOf(world, desired, it);
      return found === undefined ? [] : [[it.name, found.streams] as const];
    }),
  );
  const stuck = workers.filter(({ state }) => state === 'Stuck');
  const isShown = ({ name, state }: WorkerStatus): boolean =>
    stuck.length > 0
      ? state === 'Stuck' || down.has(name)
      : state !== 'Converged' && state !== 'Cordoned';
  const shown = workers.filter(isShown);
  const groups = [
    ...groupsOf(shown.filter(({ name }) => down.has(name))),
    ...groupsOf(shown.filter(({ name }) => !down.has(name))),
  ];
  const first = groups.slice(0, 3);
  const isDown = ({ name }: Group): boolean => down.has(name);
  const streams = [...down.values()].reduce((sum, count) => sum + count, 0);
  const others = groups.slice(3).reduce((sum, { count }) => sum + count, 0);
  const downText = first.filter(isDown).map(({ text }) => text);
  const parts = [
    ...(streams === 0
      ? []
      : [
          `${plural(streams, 'stream')} ${streams === 1 ? 'is' : 'are'} down: ${downText.join(', ')}`,
        ]),
    ...first.filter((group) => !isDown(group)).map(({ text }) => text),
    ...(others > 0 ? [`and ${others} more`] : []),
  ];
  const failing = shown.find(({ name }) => troubled.has(name));
  if (isPaused && isPending) {
    const lost = `, ${plural(stranded.size, 'stream')} without a worker until then`;
    const moves = `${plural(publication.moves.length, 'stream')} would move${stranded.size > 0 ? lost : ''}`;
    parts.push(`a change is pending (${moves}): the pool is paused`);
  }
  if (ending.length > 0) {
    const names = listed(ending.map(({ name }) => name));
    parts.push(`${names} is terminating and may still run its streams`);
  }
  if (assigned.deferred > 0)
    parts.push(`${plural(assigned.deferred, 'move')} more will follow (spec.rebalance.maxMoves)`);
  if (stuck.length > 0) return { reason: 'WorkersStuck', message: parts.join('; ') };
  if (failing === undefined) return { reason: 'WorkersOutstanding', message: parts.join('; ') };
  // For a pod that could not be created, the message comes from the API server.
  if (troubled.get(failing.name)?.pod !== undefined)
    parts.push(`see kubectl describe pod ${failing.name}`);
  return { reason: 'PodsNotReady', message: parts.join('; ') };
}

/** Workers in the same situation, in one sentence; `name` is one of them. */
type Group = { readonly name: string; readonly text: string; readonly count: number };

function groupsOf(workers: readonly WorkerStatus[]): readonly Group[] {
  const groups = Map.groupBy(
    workers,
    ({ state, message }) => `${state}${message === undefined ? '' : ` (${message})`}`,
  );
  return [...groups].map(([what, alike]) => {
    const names = alike.map(({ name }) => name);
    return { name: names[0] ?? '', text: `${listed(names, 3)} ${what}`, count: alike.length };
  });
}
