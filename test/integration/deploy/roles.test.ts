// What may a user with each of Kubernetes' own roles, or with none, do with pools? Role by role, as
// in SECURITY.md.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/processes.ts';
import { Swarm } from '../support/swarm.ts';

const repository = new URL('../../../', import.meta.url).pathname;
const POOLS = 'swarmpools.k8slab.info';
const QUEUES = 'swarmqueues.k8slab.info';
const JOBS = 'swarmjobs.k8slab.info';
const WRITES = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const READS = ['get', 'list', 'watch'];

let swarm: Swarm;

beforeAll(async () => {
  swarm = await Swarm.start();
  await swarm.kubectl('apply', '-f', `${repository}deploy/user-roles.yaml`);
  for (const namespace of ['ours', 'theirs']) await swarm.kubectl('create', 'namespace', namespace);
  for (const role of ['view', 'edit', 'admin', 'nobody'])
    await swarm.kubectl('-n', 'ours', 'create', 'serviceaccount', role);
  for (const role of ['view', 'edit', 'admin'])
    await swarm.kubectl(
      '-n',
      'ours',
      'create',
      'rolebinding',
      role,
      `--clusterrole=${role}`,
      `--serviceaccount=ours:${role}`,
    );
  // A Kubernetes controller aggregates our roles into its own.
  await eventually(
    'the roles are aggregated',
    async () =>
      (await verbsOf('view', POOLS, ['list'])).length === 1 &&
      (await verbsOf('edit', POOLS, ['create'])).length === 1 &&
      (await verbsOf('admin', QUEUES, ['create'])).length === 1,
  );
});

afterAll(async () => {
  await swarm?.kubectl('delete', '-f', `${repository}deploy/user-roles.yaml`);
  await swarm?.stop();
});

/** Which of these verbs a role has. */
async function verbsOf(
  role: string,
  resource: string,
  verbs: readonly string[],
  namespace = 'ours',
): Promise<readonly string[]> {
  const [name = '', subresource = ''] = resource.split('/');
  const [plural = '', ...group] = name.split('.');
  const attributes = { namespace, group: group.join('.'), resource: plural, subresource };
  const review = (verb: string): object => ({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      user: `system:serviceaccount:ours:${role}`,
      groups: ['system:serviceaccounts', 'system:authenticated'],
      resourceAttributes: { ...attributes, verb },
    },
  });
  const file = swarm.file({ apiVersion: 'v1', kind: 'List', items: verbs.map(review) });
  const format = 'jsonpath={.status.allowed}{"\\n"}';
  const answers = (await swarm.kubectl('create', '-f', file, '-o', format)).trim().split('\n');
  if (answers.length !== verbs.length || answers.some((it) => it !== 'true' && it !== 'false'))
    throw new Error(`what ${role} may do with ${resource} is not answered: ${answers.join(', ')}`);
  return verbs.filter((_, index) => answers[index] === 'true');
}

describe('a user without permissions', () => {
  it.each([POOLS, `${POOLS}/status`, `${POOLS}/scale`, 'configmaps', 'leases.coordination.k8s.io'])(
    'a user without permissions cannot read or write %s',
    async (resource) => {
      expect(await verbsOf('nobody', resource, [...READS, ...WRITES])).toEqual([]);
    },
  );
});

describe('the role view', () => {
  it('the role view reads pools, their status, and the ConfigMaps with streams and parameters', async () => {
    expect(await verbsOf('view', POOLS, READS)).toEqual(READS);
    expect(await verbsOf('view', 'configmaps', READS)).toEqual(READS);
  });

  it('the role view reads queues and jobs, and their status', async () => {
    for (const resource of [QUEUES, `${QUEUES}/status`, JOBS, `${JOBS}/status`, `${JOBS}/scale`])
      expect(await verbsOf('view', resource, [...READS, ...WRITES])).toEqual(READS);
  });

  it.each([POOLS, `${POOLS}/status`, `${POOLS}/scale`, 'configmaps', 'pods/status'])(
    'the role view does not write %s',
    async (resource) => {
      expect(await verbsOf('view', resource, WRITES)).toEqual([]);
    },
  );
});

describe.each(['edit', 'admin'])('the role %s', (role) => {
  it('the roles edit and admin write pools, and the objects that they name', async () => {
    expect(await verbsOf(role, POOLS, WRITES)).toEqual(WRITES);
    for (const resource of ['configmaps', 'statefulsets.apps', 'deployments.apps', 'pods'])
      expect(await verbsOf(role, resource, ['create', 'patch', 'delete'])).toEqual([
        'create',
        'patch',
        'delete',
      ]);
    expect(await verbsOf(role, `${POOLS}/scale`, ['update', 'patch'])).toEqual(['update', 'patch']);
  });

  it('the roles edit and admin have all permissions that swarmctl group needs', async () => {
    const groups = 'swarmgroups.k8slab.info';
    expect(await verbsOf(role, groups, [...READS, 'patch'])).toEqual([...READS, 'patch']);
    expect(await verbsOf(role, `${groups}/scale`, ['patch'])).toEqual(['patch']);
    expect(await verbsOf(role, 'horizontalpodautoscalers.autoscaling', ['list'])).toEqual(['list']);
  });

  it('the roles edit and admin write jobs, and no status of a job or a queue', async () => {
    expect(await verbsOf(role, JOBS, [...READS, ...WRITES])).toEqual([...READS, ...WRITES]);
    expect(await verbsOf(role, `${JOBS}/scale`, ['update', 'patch'])).toEqual(['update', 'patch']);
    for (const resource of [JOBS, QUEUES])
      expect(await verbsOf(role, `${resource}/status`, WRITES)).toEqual([]);
  });

  it(`the role ${role} ${role === 'admin' ? 'writes' : 'only reads'} queues`, async () => {
    const verbs = role === 'admin' ? [...READS, ...WRITES] : READS;
    expect(await verbsOf(role, QUEUES, [...READS, ...WRITES])).toEqual(verbs);
  });

  it('the roles edit and admin write no status of a pool or a pod', async () => {
    expect(await verbsOf(role, `${POOLS}/status`, WRITES)).toEqual([]);
    expect(await verbsOf(role, 'pods/status', WRITES)).toEqual([]);
  });

  it('the roles edit and admin have no permission in another namespace or on the operator’s own objects', async () => {
    for (const resource of [POOLS, 'configmaps', 'pods'])
      expect(await verbsOf(role, resource, ['get', 'create', 'patch', 'delete'], 'theirs')).toEqual(
        [],
      );
    for (const resource of [
      'pods',
      'pods/portforward',
      'leases.coordination.k8s.io',
      'serviceaccounts/token',
    ])
      expect(await verbsOf(role, resource, ['get', 'create', 'update'], 'swarm-operator')).toEqual(
        [],
      );
  });

  it('the roles edit and admin change no CRD, policy or role of the operator', async () => {
    for (const resource of [
      'customresourcedefinitions.apiextensions.k8s.io',
      'validatingadmissionpolicies.admissionregistration.k8s.io',
      'clusterroles.rbac.authorization.k8s.io',
    ])
      expect(await verbsOf(role, resource, WRITES)).toEqual([]);
  });
});
