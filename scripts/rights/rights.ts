// Which permissions does the operator have, and which has it used? Both in the same words: `patch
// pods/status`, `update leases.coordination.k8s.io in its namespace`.
import { asList, asNumber, asString, dig, type KubeObject } from '../../src/api/objects.ts';

export type Account = { readonly namespace: string; readonly name: string };

/**
 * The permissions of roles bound to this account; rules with resource names count for all objects.
 */
export function grantedTo(account: Account, objects: readonly KubeObject[]): ReadonlySet<string> {
  const isTheirs = (subject: unknown): boolean =>
    dig(subject, 'kind') === 'ServiceAccount' &&
    dig(subject, 'name') === account.name &&
    dig(subject, 'namespace') === account.namespace;
  const bindings = objects.filter(
    ({ kind, subjects }) => kind.endsWith('RoleBinding') && asList(subjects).some(isTheirs),
  );
  const roles = bindings.flatMap((binding) =>
    objects.filter(
      ({ kind, metadata }) =>
        kind === dig(binding, 'roleRef', 'kind') &&
        metadata.name === dig(binding, 'roleRef', 'name') &&
        (kind === 'ClusterRole' || metadata.namespace === binding.metadata.namespace),
    ),
  );
  return new Set(
    roles.flatMap((role) =>
      asList(role['rules']).flatMap((rule) => rightsIn(rule, role.metadata.namespace, account)),
    ),
  );
}

function rightsIn(
  rule: unknown,
  namespace: string | undefined,
  account: Account,
): readonly string[] {
  const texts = (field: string): readonly string[] => asList(dig(rule, field)).map(String);
  return texts('apiGroups').flatMap((group) =>
    texts('resources').flatMap((resource) =>
      texts('verbs').map((verb) => right(verb, resource, group, namespace, account)),
    ),
  );
}

export type Used = {
  /** Permission -> number of requests. */
  readonly used: ReadonlyMap<string, number>;
  /** Requests refused with 401 or 403, with the server's message. */
  readonly refused: readonly string[];
};

const TERMINATING = 'because it is being terminated';

/** From API servers' audit logs: requests of service accounts. */
export function usedIn(auditLog: string): Used {
  const used = new Map<string, number>();
  const refused: string[] = [];
  for (const line of auditLog.split('\n').filter(Boolean)) {
    const entry: unknown = JSON.parse(line);
    const account = accountOf(asString(dig(entry, 'user', 'username')) ?? '');
    if (account === undefined) continue;
    const found = rightOf(entry, account);
    if (found !== undefined) used.set(found, (used.get(found) ?? 0) + 1);
    const message = asString(dig(entry, 'responseStatus', 'message')) ?? 'no reason given';
    // No client can create objects in a namespace that is being deleted.
    const isRefused =
      [401, 403].includes(asNumber(dig(entry, 'responseStatus', 'code')) ?? 0) &&
      !message.endsWith(TERMINATING);
    if (isRefused) refused.push(`${found ?? asString(dig(entry, 'requestURI'))}: ${message}`);
  }
  return { used, refused };
}

function accountOf(username: string): Account | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

function rightOf(entry: unknown, account: Account): string | undefined {
  const field = (name: string): string => asString(dig(entry, 'objectRef', name)) ?? '';
  const [resource, subresource] = [field('resource'), field('subresource')];
  if (resource === '') return undefined;
  const name = subresource === '' ? resource : `${resource}/${subresource}`;
  return right(
    asString(dig(entry, 'verb')) ?? '',
    name,
    field('apiGroup'),
    field('namespace'),
    account,
  );
}

/** The namespace matters for Leases alone: other objects are in the namespaces of pools. */
function right(
  verb: string,
  resource: string,
  group: string,
  namespace: string | undefined,
  account: Account,
): string {
  const where =
    resource !== 'leases'
      ? ''
      : namespace === account.namespace
        ? ' in its namespace'
        : ` in ${namespace ?? 'any namespace'}`;
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}${where}`;
}
