// Which API call is an HTTP request?
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

export type Call = {
  readonly verb: Verb;
  /** `configmaps`, `pods/status`, `pods/eviction`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  /** Without Events and the Lease, which do not change what workers do. */
  readonly isWrite: boolean;
  /** As received, with its query. */
  readonly path: string;
};

const asides: ReadonlySet<string> = new Set(['events', 'leases']);

export function callOf(method: string, path: string): Call {
  const { pathname, searchParams } = new URL(path, 'https://localhost');
  const parts = pathname.split('/').slice(1).map(decodeURIComponent);
  // After /api/v1 or /apis/GROUP/VERSION.
  const rest = parts.slice(parts[0] === 'api' ? 2 : 3);
  const isNamespaced = rest[0] === 'namespaces' && rest.length > 2;
  const [plural = '', name, subresource] = isNamespaced ? rest.slice(2) : rest;
  const verb = verbOf(method, name === undefined, searchParams.get('watch') === 'true');
  return {
    verb,
    resource: subresource === undefined ? plural : `${plural}/${subresource}`,
    namespace: isNamespaced ? rest[1] : undefined,
    name,
    isWrite: !['get', 'list', 'watch'].includes(verb) && !asides.has(plural),
    path,
  };
}

function verbOf(method: string, isCollection: boolean, isWatch: boolean): Verb {
  if (method === 'POST') return 'create';
  if (method === 'PUT') return 'update';
  if (method === 'PATCH') return 'patch';
  if (method === 'DELETE') return 'delete';
  if (isWatch) return 'watch';
  return isCollection ? 'list' : 'get';
}
