// Which view does an address name? `#/` is all pools, groups and queues, `#/pools/NAMESPACE/NAME`
// one pool, with a stream or worker selected, `#/groups/…` and `#/queues/…` one group or queue.

export type Selected = { readonly stream?: string; readonly worker?: string };
export type Route =
  | { readonly view: 'home' }
  | { readonly view: 'group'; readonly namespace: string; readonly name: string }
  | { readonly view: 'queue'; readonly namespace: string; readonly name: string }
  | ({ readonly view: 'pool'; readonly namespace: string; readonly name: string } & Selected)
  | { readonly view: 'unknown'; readonly address: string };

export function routeOf(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2);
  const parts = path.split('/').filter((part) => part !== '');
  const [kind, namespace, name, ...more] = parts.map(decoded);
  if (kind === undefined) return { view: 'home' };
  const isKnown = kind === 'pools' || kind === 'groups' || kind === 'queues';
  if (!isKnown || namespace === undefined || name === undefined || more.length > 0)
    return { view: 'unknown', address: hash };
  if (kind === 'groups') return { view: 'group', namespace, name };
  if (kind === 'queues') return { view: 'queue', namespace, name };
  const parameters = new URLSearchParams(query);
  const stream = parameters.get('stream');
  const worker = parameters.get('worker');
  return {
    view: 'pool',
    namespace,
    name,
    ...(stream !== null && { stream }),
    ...(worker !== null && { worker }),
  };
}

export function hashOf(namespace: string, name: string, { stream, worker }: Selected = {}): string {
  const query = new URLSearchParams({
    ...(stream !== undefined && { stream }),
    ...(worker !== undefined && { worker }),
  }).toString();
  return `#/pools/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}${query === '' ? '' : `?${query}`}`;
}

export const groupHashOf = (namespace: string, name: string): string =>
  `#/groups/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;

export const queueHashOf = (namespace: string, name: string): string =>
  `#/queues/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
