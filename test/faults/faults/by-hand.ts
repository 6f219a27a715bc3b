// Which objects and processes does a user delete, edit, kill or freeze, and when?
import {
  ASSIGNED_ANNOTATION,
  readAssigned,
  readAssignment,
  writeAssignment,
} from '../../../src/api/assignment.ts';
import { kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import { signalIfThere } from '../../../src/playground/processes/processes.ts';
import { hasCode } from '../../../src/runtime/client/errors.ts';
import { eventually } from '../../support/processes.ts';
import type { Cell } from '../cell.ts';
import type { Fault } from './fault.ts';

const assignments = { name: 'tv-assignments' } as const;

/** When the change has been published, and before all workers have followed it. */
async function publishedBy(cell: Cell, act: Parameters<Fault['inject']>[1]) {
  const before = cell.version();
  const goal = await act();
  await cell.untilPublished(before);
  return goal;
}

export const configMapDeleted: Fault = {
  inject: async (cell, act) => {
    const goal = await publishedBy(cell, act);
    const before = cell.version();
    await cell.swarm.api.delete(kinds.ConfigMap, { namespace: cell.namespace, ...assignments });
    await cell.untilPublished(before);
    return goal;
  },
};

/** The ConfigMap that some workers have just followed can no longer be read. */
export const configMapSpoiled: Fault = {
  inject: async (cell, act) => {
    const goal = await publishedBy(cell, act);
    const before = cell.version();
    const text = 'workloads: [';
    cell.publications.byHand.add(text);
    await cell.patch('configmap/tv-assignments', { data: { 'config.yml': text } });
    await cell.untilPublished(before);
    return goal;
  },
};

/** A user assigns every stream to one worker, under an old version. */
export const configMapEdited: Fault = {
  inject: async (cell, act) => {
    const goal = await publishedBy(cell, act);
    const { slices } = await cell.pool.published();
    const [greedy = ''] = slices.keys();
    const all = [...slices.values()].flatMap(({ jobs }) => jobs);
    const text = writeAssignment({
      workloads: new Map([[greedy, { jobs: all, version: 1 }]]),
      version: 1,
    });
    if (!readAssignment(text).ok) throw new Error(`no assignment: ${text}`);
    cell.publications.byHand.add(text);
    await cell.patch('configmap/tv-assignments', { data: { 'config.yml': text } });
    return goal;
  },
};

/** Removes or forges the annotation that permits a slice, on every pod. */
export const annotationsEdited: Fault = {
  inject: async (cell, act) => {
    const goal = await publishedBy(cell, act);
    const [first, ...others] = (await cell.pool.pods()).map(({ metadata }) => metadata.name);
    const made = JSON.stringify({ version: 999, uid: 'nobody', digest: 'none', attempt: 1 });
    await cell.patch(`pod/${first}`, {
      metadata: { annotations: { [ASSIGNED_ANNOTATION]: made } },
    });
    for (const name of others)
      await cell.patch(`pod/${name}`, {
        metadata: { annotations: { [ASSIGNED_ANNOTATION]: null } },
      });
    return goal;
  },
};

/**
 * Its successor starts at once, with a file that may be a minute old. It may run whatever its slice
 * had until then beside other workers.
 */
export const podForced = (name: string): Fault => ({
  inject: async (cell, act) => {
    const goal = await publishedBy(cell, act);
    const told =
      readAssigned((await deletedByForce(cell, name)).metadata.annotations?.[ASSIGNED_ANNOTATION])
        ?.version ?? 0;
    await cell.untilPublished(told - 1);
    const before = cell.publications.all.filter(({ version }) => version <= told);
    for (const { slices } of before)
      for (const stream of slices.get(name)?.jobs ?? []) cell.mayDouble.add(stream);
    return goal;
  },
});

/** With the version of the deleted pod: had it changed meanwhile, the server would have refused. */
async function deletedByForce({ swarm, namespace }: Cell, name: string): Promise<KubeObject> {
  for (;;) {
    const pod = await swarm.api.get(kinds.Pod, { namespace, name });
    const { uid = '', resourceVersion = '' } = pod.metadata;
    try {
      await swarm.api.delete(
        kinds.Pod,
        { namespace, name },
        { uid, resourceVersion },
        { gracePeriodSeconds: 0 },
      );
      return pod;
    } catch (error) {
      if (!hasCode(error, 'Conflict')) throw error;
    }
  }
}

function workerPids({ swarm, namespace }: Cell, name: string): readonly number[] {
  const found = swarm.playground.nodes
    .flatMap(({ pods }) => pods)
    .find((pod) => pod.name === name && pod.namespace === namespace);
  if (found === undefined || found.pids.length === 0)
    throw new Error(`${namespace}/${name} has no process`);
  return found.pids;
}

export const workerKilled = (name: string): Fault => ({
  inject: async (cell, act) => {
    const pids = workerPids(cell, name);
    const goal = await act();
    for (const pid of pids) signalIfThere(pid, 'SIGKILL');
    return goal;
  },
});

/** It neither answers nor reads its file; its streams run on. */
export const workerFrozen = (name: string, ms: number): Fault => ({
  inject: async (cell, act) => {
    const pids = workerPids(cell, name);
    for (const pid of pids) signalIfThere(pid, 'SIGSTOP');
    const start = performance.now();
    try {
      const goal = await act();
      await eventually(`${ms} ms have passed`, () => performance.now() - start > ms);
      return goal;
    } finally {
      for (const pid of pids) signalIfThere(pid, 'SIGCONT');
    }
  },
});
