// Faults in the middle of a group's transition: operators killed and frozen, an API server that
// restarts.
import { eventually } from '../../support/processes.ts';
import { elected, withFrozenLeader, withKilledLeader } from '../faults/leaders.ts';
import type { Call } from '../proxy/call.ts';
import type { Exchange } from '../proxy/exchange.ts';
import type { ReplicaOptions } from '../replica.ts';
import type { GroupCell } from './group-cell.ts';
import { LAST, replicasAt } from './members.ts';

export type GroupFault = {
  /** The operators that run before it; left out: one without leader election. */
  readonly replicas?: readonly Pick<ReplicaOptions, 'isElected' | 'environment'>[];
  /** Of the group; left out: a user decides its size. */
  readonly policy?: object;
  /** Resolves when the fault is over. `act` asks for what the state is about. */
  readonly inject: (cell: GroupCell, act: () => Promise<void>) => Promise<void>;
};

/** Made for one cell, before its operators start. */
export type MakeGroupFault = (cell: GroupCell) => Promise<GroupFault>;

const isScale = ({ isWrite, resource }: Call): boolean =>
  isWrite && resource === 'deployments/scale';

/** Matches the n-th of those that match, counted from 1. */
function nth(number: number, matches: (call: Call) => boolean): (call: Call) => boolean {
  let seen = 0;
  return (call) => {
    if (matches(call)) seen += 1;
    return matches(call) && seen === number;
  };
}

/**
 * Killed when the n-th of its scales is done and its answer has not arrived, and started again each
 * time. What it sent meanwhile arrives, so that one which is out of turn is seen; or it is lost.
 */
export const killedAfterScales = (
  numbers: readonly number[],
  meanwhile: 'arrives' | 'is lost' = 'arrives',
): GroupFault => ({
  inject: async (cell, act) => {
    const { proxy, replica, namespace } = cell;
    let done = 0;
    let isDying = false;
    let kills = 0;
    const disturb = async (exchange: Exchange): Promise<void> => {
      if (isDying && meanwhile === 'is lost') return exchange.breakOff();
      done += 1;
      if (!numbers.includes(done)) return proxy.pass(exchange);
      isDying = true;
      await exchange.forward();
      await replica.kill();
      exchange.breakOff();
      kills += 1;
    };
    proxy.addRules({ when: isScale, disturb });
    await act();
    for (const [index, number] of numbers.entries()) {
      await eventually(`${namespace}: killed after scale ${number}`, () => kills > index, 60);
      isDying = false;
      await replica.startAgain();
    }
    proxy.heal();
  },
});

/** The leader is killed when its n-th scale is done; the standby takes over. */
export const leaderKilledAfterScale = (number: number): GroupFault => ({
  replicas: [elected, elected],
  inject: (cell, act) => withKilledLeader(cell, nth(number, isScale), act),
});

/**
 * Frozen with its n-th scale of this member on its way, which arrives when another leader has gone
 * on, and then to another size.
 */
export const frozenWithScaleOf = (
  member: string,
  number: number,
  overtaken: (cell: GroupCell) => Promise<void>,
): GroupFault => ({
  replicas: [elected, elected],
  inject: (cell, act) => {
    const isOfMember = (call: Call): boolean => isScale(call) && call.name === member;
    return withFrozenLeader(cell, nth(number, isOfMember), act, () => overtaken(cell));
  },
});

/** When a first member has its new size. */
export const apiServerKilled: GroupFault = {
  inject: async (cell, act) => {
    const before = cell.record.replicasOf('db');
    await act();
    await eventually('the first scale', () => cell.record.replicasOf('db') !== before, 60);
    await cell.swarm.playground.plane.restart(['apiServer'], { signal: 'SIGKILL' });
  },
};

/** When the first member has gone back. */
export const apiServerKilledInRollback = (failed: number): GroupFault => ({
  inject: async (cell, act) => {
    const { record } = cell;
    const before = record.replicasOf(LAST);
    await act();
    const isTried = (): boolean => record.replicasOf(LAST) === replicasAt(LAST, failed);
    await eventually('the last stage has its size', isTried, 120);
    await eventually('the first scale back', () => record.replicasOf(LAST) === before, 120);
    await cell.swarm.playground.plane.restart(['apiServer'], { signal: 'SIGKILL' });
  },
});
