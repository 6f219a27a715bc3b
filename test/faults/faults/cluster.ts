// Faults of all the rest: control plane, manual edits, workers, credentials, quotas and policies.
import { rmSync, writeFileSync } from 'node:fs';
import {
  ASSIGNED_ANNOTATION,
  readAssigned,
  readAssignment,
  writeAssignment,
} from '../../../src/api/assignment.ts';
import { kinds } from '../../../src/api/kinds.ts';
import type { KubeObject } from '../../../src/api/objects.ts';
import type { RestartOptions } from '../../../src/playground/control-plane/control-plane.ts';
import { signalIfThere } from '../../../src/playground/processes/processes.ts';
import { hasCode } from '../../../src/runtime/client/errors.ts';
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

/** A quota allows no more ConfigMaps in the namespace, until it is deleted. */
export const quota: Fault = {
  inject: async (cell, act) => {
    const { namespace } = cell;
    await eventually('the first ConfigMap exists', async () =>
      (await cell.kubectl('get', 'configmaps', '-o', 'name')).includes('kube-root-ca.crt'),
    );
    await cell.kubectl('create', 'quota', 'tight', '--hard=count/configmaps=1');
    const used = async (): Promise<string> =>
      cell.kubectl('get', 'quota/tight', '-o', 'jsonpath={.status.used}');
    await eventually('the quota counts it', async () => (await used()).includes('1'));
    const isRefused = (): boolean =>
      cell.proxy.seen.some(({ call, status }) => call.isWrite && status === 403);
    const [goal] = await Promise.all([
      act(),
      eventually(`${namespace}: the ConfigMap is refused`, isRefused, 60),
    ]);
    await cell.kubectl('delete', 'quota/tight');
    return goal;
  },
};

/**
 * An admission policy refuses every ConfigMap write of operators in this namespace, until it is
 * deleted.
 */
export const forbidden: Fault = {
  inject: async (cell, act) => {
    const { swarm, namespace } = cell;
    const file = `${cell.folder}/policy.json`;
    writeFileSync(file, JSON.stringify(policy(namespace)));
    await swarm.kubectl('apply', '-f', file);
    await eventually('the policy is in force', async () => {
      const probe = await cell
        .kubectl(
          'annotate',
          'configmap/kube-root-ca.crt',
          'probe=1',
          '--overwrite',
          '--dry-run=server',
        )
        .catch(String);
      return probe.includes('nobody writes here');
    });
    const isRefused = (): boolean =>
      cell.proxy.seen.some(({ call, status }) => call.isWrite && status === 422);
    const [goal] = await Promise.all([
      act(),
      eventually(`${namespace}: a write is refused`, isRefused, 60),
    ]);
    await swarm.kubectl('delete', '-f', file);
    rmSync(file);
    return goal;
  },
};

function policy(namespace: string): object {
  const name = `frozen-${namespace}`;
  const admission = 'admissionregistration.k8s.io/v1';
  const rule = {
    apiGroups: [''],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE'],
    resources: ['configmaps'],
  };
  const validations = [{ expression: 'false', message: 'nobody writes here' }];
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  return {
    apiVersion: 'v1',
    kind: 'List',
    items: [
      {
        apiVersion: admission,
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name },
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: { namespaceSelector, resourceRules: [rule] },
          validations,
        },
      },
      {
        apiVersion: admission,
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name },
        spec: {
          policyName: name,
          validationActions: ['Deny'],
          matchResources: { namespaceSelector },
        },
      },
    ],
  };
}

/** A PodDisruptionBudget refuses every eviction, until it is deleted. */
export const evictionsRefused: Fault = {
  inject: async (cell, act) => {
    await cell.swarm.apply({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'all', namespace: cell.namespace },
      spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'worker' } } },
    });
    const isRefused = (): boolean =>
      cell.proxy.seen.some(
        ({ call, status }) => call.resource === 'pods/eviction' && status === 429,
      );
    const [goal] = await Promise.all([
      act(),
      eventually(`${cell.namespace}: an eviction is refused`, isRefused, 60),
    ]);
    await cell.kubectl('delete', 'pdb/all');
    return goal;
  },
};
