// Do roles and audit logs use the same words for permissions?
import { describe, expect, it } from '@jest/globals';
import { grantedTo, usedIn } from '../../../scripts/rights/rights.ts';
import type { KubeObject } from '../../../src/api/objects.ts';

const account = { namespace: 'ops', name: 'operator' };
const rule = (group: string, resource: string, ...verbs: string[]): object => ({
  apiGroups: [group],
  resources: [resource],
  verbs,
});
const object = (kind: string, name: string, rest: object): KubeObject =>
  ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name, ...(kind.startsWith('Role') && { namespace: 'ops' }) },
    ...rest,
  }) as KubeObject;
const binding = (kind: string, role: string, subject: string): KubeObject =>
  object(kind, role, {
    roleRef: { kind: kind.replace('Binding', ''), name: role },
    subjects: [{ kind: 'ServiceAccount', name: subject, namespace: 'ops' }],
  });

describe('granted permissions', () => {
  it('granted permissions are those of roles bound to the account, and no others', () => {
    const objects = [
      object('ClusterRole', 'pools', {
        rules: [rule('', 'pods/status', 'patch'), rule('apps', 'statefulsets', 'list', 'watch')],
      }),
      object('Role', 'lease', { rules: [rule('coordination.k8s.io', 'leases', 'get')] }),
      object('ClusterRole', 'for-people', { rules: [rule('', 'secrets', 'get')] }),
      binding('ClusterRoleBinding', 'pools', 'operator'),
      binding('RoleBinding', 'lease', 'operator'),
      binding('ClusterRoleBinding', 'for-people', 'somebody'),
    ];
    expect([...grantedTo(account, objects)].sort()).toEqual([
      'get leases.coordination.k8s.io in its namespace',
      'list statefulsets.apps',
      'patch pods/status',
      'watch statefulsets.apps',
    ]);
  });
});

describe('used permissions', () => {
  const line = (
    user: string,
    verb: string,
    objectRef: object,
    code = 200,
    message = 'words',
  ): string =>
    JSON.stringify({
      user: { username: user },
      verb,
      objectRef,
      responseStatus: { code, message },
    });
  const operator = 'system:serviceaccount:ops:operator';

  it('used permissions are counted one by one; a Lease elsewhere is separate; users are not counted', () => {
    const { used, refused } = usedIn(
      [
        line(operator, 'patch', { resource: 'pods', subresource: 'status', namespace: 'a' }),
        line(operator, 'patch', { resource: 'pods', subresource: 'status', namespace: 'b' }),
        line(operator, 'get', {
          resource: 'leases',
          apiGroup: 'coordination.k8s.io',
          namespace: 'ops',
        }),
        line(
          operator,
          'get',
          { resource: 'leases', apiGroup: 'coordination.k8s.io', namespace: 'a' },
          403,
        ),
        line('admin', 'delete', { resource: 'pods', namespace: 'a' }),
      ].join('\n'),
    );
    expect(Object.fromEntries(used)).toEqual({
      'patch pods/status': 2,
      'get leases.coordination.k8s.io in its namespace': 1,
      'get leases.coordination.k8s.io in a': 1,
    });
    expect(refused).toEqual(['get leases.coordination.k8s.io in a: words']);
  });

  it('a write that is refused while its namespace is being deleted counts as no missing permission', () => {
    const words =
      'configmaps "x" is forbidden: unable to create new content in namespace a because it is being terminated';
    expect(
      usedIn(line(operator, 'create', { resource: 'configmaps', namespace: 'a' }, 403, words))
        .refused,
    ).toEqual([]);
  });
});
