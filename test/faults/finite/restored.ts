// What is known of completed streams when etcd is restored from a snapshot that is older than the
// record of one, and another one has ended without a record?
import { saveSnapshot } from '../../support/etcd/snapshots.ts';
import { restore } from '../faults/cluster.ts';
import { untilInjected, writes } from '../faults/fault.ts';
import { elected } from '../faults/leaders.ts';
import type { FiniteFault } from './finite-fault.ts';

const [inSnapshot, recordedSince, onlyTold] = ['s0', 's1', 's2'] as const;

export const restoredFromBefore: FiniteFault = {
  // Two replicas, since the Lease is restored as well.
  replicas: [elected, elected],
  done: [inSnapshot, recordedSince, onlyTold],
  again: [recordedSince],
  inject: async (cell) => {
    const file = `${cell.folder}/snapshot.db`;
    cell.finish(inSnapshot);
    await cell.untilCompleted(1);
    await saveSnapshot(cell.swarm.playground.plane, file);
    cell.finish(recordedSince);
    await cell.untilCompleted(2);
    const told = cell.version();
    // What ends now cannot be recorded.
    for (const { proxy } of cell.replicas)
      proxy.addRules({
        when: writes('configmaps'),
        disturb: (exchange) => exchange.refuse(503, 'ServiceUnavailable', 'injected'),
      });
    const injected = untilInjected(cell, 1);
    cell.finish(onlyTold);
    await injected;
    await restore(cell, file);
    for (const { proxy } of cell.replicas) proxy.heal();
    await cell.untilPublished(told);
  },
};
