// Faults of the control plane: restarted, restored from a snapshot, with other credentials.
import { writeFileSync } from 'node:fs';
import type { RestartOptions } from '../../../src/playground/control-plane/control-plane.ts';
import {
  type RestoreOptions,
  restoreSnapshot,
  saveSnapshot,
} from '../../support/etcd/snapshots.ts';
import { eventually } from '../../support/processes.ts';
import type { Cell } from '../cell.ts';
import type { Fault } from './fault.ts';

/** Makes the change, and restarts the component before the operator can have finished it. */
export const restarted = (
  component: 'apiServer' | 'etcd',
  signal: RestartOptions['signal'] = 'SIGKILL',
): Fault => ({
  inject: async (cell, act) => {
    const { plane } = cell.swarm.playground;
    const goal = await act();
    await plane.restart([component], { signal });
    return goal;
  },
});

/**
 * Takes a snapshot, makes the change, waits until all workers follow it, and restores etcd; then
 * makes the change again, as a user who keeps manifests would. The API has lost every trace of the
 * change: only workers know of it.
 */
export const restoredFromSnapshot = (options: RestoreOptions = {}): Fault => ({
  // Two replicas, since the Lease is restored as well.
  replicas: [{ isElected: true }, { isElected: true }],
  inject: async (cell, act) => {
    const { plane } = cell.swarm.playground;
    const file = `${cell.folder}/snapshot.db`;
    await saveSnapshot(plane, file);
    const { streams, workers } = await act();
    await cell.pool.converged(streams, workers, 60);
    const told = cell.version();
    await restore(cell, file, options);
    const goal = await act();
    await cell.untilPublished(told);
    return goal;
  },
});

/** Until an operator has noticed. */
export const restore = (cell: Cell, file: string, options: RestoreOptions = {}): Promise<void> =>
  cell.unseen(async () => {
    const { plane } = cell.swarm.playground;
    await cell.publications.whileRestoring(() => restoreSnapshot(plane, file, options));
    await eventually(
      'an operator has noticed',
      () => cell.replicas.some((it) => it.logs().includes('etcd was restored')),
      60,
    );
  });

/** Revokes the operator's token: the API server answers 401. Then the file contains another. */
export const tokenRotated: Fault = {
  inject: async (cell, act) => {
    const { swarm, namespace, replica } = cell;
    const own = (...args: readonly string[]): Promise<string> =>
      swarm.kubectl('-n', 'swarm-operator', ...args);
    const issued = async (secret: string): Promise<string> => {
      await own('create', 'secret', 'generic', secret);
      return own(
        'create',
        'token',
        'swarm-operator',
        '--bound-object-kind=Secret',
        `--bound-object-name=${secret}`,
      );
    };
    writeFileSync(replica.tokenFile, await issued(`${namespace}-first`));
    const next = await issued(`${namespace}-second`);
    await own('delete', 'secret', `${namespace}-first`);
    const isRefused = (): boolean => replica.proxy.seen.some(({ status }) => status === 401);
    const [goal] = await Promise.all([
      act(),
      eventually(`${namespace}: the old token is refused`, isRefused, 60),
    ]);
    writeFileSync(replica.tokenFile, next);
    return goal;
  },
};

/** Another certificate of another authority; the CA file follows later, as in a volume. */
export const authorityRotated: Fault = {
  inject: async (cell, act) => {
    const { replica } = cell;
    replica.proxy.rotate();
    const goal = await act();
    await eventually('the operator complains of the certificate', () =>
      /certificate|self-signed/.test(replica.logs()),
    );
    replica.writeAuthority();
    return goal;
  },
};
