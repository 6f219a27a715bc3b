// What refuses the writes of an operator: a quota, a policy, a budget?
import { rmSync, writeFileSync } from 'node:fs';
import { eventually } from '../../support/processes.ts';
import type { Fault } from './fault.ts';

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
