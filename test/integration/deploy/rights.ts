// Which rights do roles grant, and which of them has somebody used? Both in the same words: `patch pods/status`, `update leases.coordination.k8s.io in swarm-operator`.
import { asList, asNumber, asString, dig, type KubeObject } from '../../../src/api/objects.ts';

/** A right of a Role is one in its namespace; what is bound to names stands for these. */
export function grantedBy(roles: readonly KubeObject[]): readonly string[] {
  const rights = roles.flatMap((role) =>
    asList(role['rules']).flatMap((rule) =>
      texts(rule, 'apiGroups').flatMap((group) =>
        texts(rule, 'resources').flatMap((resource) =>
          texts(rule, 'verbs').map((verb) => right(verb, resource, group, role.kind === 'Role' ? role.metadata.namespace : undefined)),
        ),
      ),
    ),
  );
  return [...new Set(rights)].sort();
}

export type Used = {
  readonly used: readonly string[];
  /** Whatever was answered 401 or 403, as it stands in the log. */
  readonly refused: readonly string[];
};

/** By the API server's own audit log. Leases are counted with their namespace, all else wherever it was. */
export function usedBy(user: string, auditLog: string): Used {
  const lines = auditLog.split('\n').filter((line) => line.includes(user));
  const requests = lines.map((line): unknown => JSON.parse(line)).filter((entry) => dig(entry, 'user', 'username') === user);
  const refused = requests.filter((entry) => [401, 403].includes(asNumber(dig(entry, 'responseStatus', 'code')) ?? 0));
  return {
    used: [...new Set(requests.flatMap(rightOf))].sort(),
    refused: refused.map((entry) => `${asString(dig(entry, 'verb'))} ${asString(dig(entry, 'requestURI'))}`),
  };
}

function rightOf(entry: unknown): readonly string[] {
  const verb = asString(dig(entry, 'verb')) ?? '';
  const field = (name: string): string => asString(dig(entry, 'objectRef', name)) ?? '';
  const [resource, subresource] = [field('resource'), field('subresource')];
  if (resource === '') return [];
  const name = subresource === '' ? resource : `${resource}/${subresource}`;
  return [right(verb, name, field('apiGroup'), resource === 'leases' ? field('namespace') : undefined)];
}

function right(verb: string, resource: string, group: string, namespace: string | undefined): string {
  const where = namespace === undefined ? '' : ` in ${namespace}`;
  return `${verb} ${resource}${group === '' ? '' : `.${group}`}${where}`;
}

const texts = (rule: unknown, field: string): readonly string[] => asList(dig(rule, field)).map(String);
